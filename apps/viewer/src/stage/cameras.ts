// Three ways to look: round a spot one chooses, along with somebody, and through his eyes.
import { MathUtils, Vector3, type PerspectiveCamera } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { CameraMode } from "../state.ts";
import type { Place } from "../wire/protocol.ts";
import type { Figure } from "./figures.ts";

const DEGREES = Math.PI / 180;
const WIDE_FIRST = 85;
const WIDE_ORBIT = 50;
/** How much of the picture a map may fill, and what the bar above takes of its height. */
const FILL = 0.97;
const BAR_SHARE = 0.1;
/** How quickly a flight to another spot gets there, per second. */
const FLIGHT_RATE = 7;

export class Cameras {
  readonly controls: OrbitControls;
  private mode: CameraMode = "orbit";
  private flight: { camera: Vector3; target: Vector3 } | null = null;
  private readonly body = new Vector3();
  private readonly step = new Vector3();
  private followed = -1;
  private kept: { camera: Vector3; target: Vector3 } | null = null;
  private readonly isCalm = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(
    readonly camera: PerspectiveCamera,
    element: HTMLElement,
  ) {
    this.controls = new OrbitControls(camera, element);
    this.controls.enableDamping = !this.isCalm.matches;
    this.controls.dampingFactor = 0.14;
    this.controls.maxPolarAngle = Math.PI * 0.495;
    this.controls.minDistance = 60;
    this.controls.maxDistance = 12_000;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("start", () => (this.flight = null));
  }

  /** Looks at the whole of a box from the south-east, as near as it fits. */
  frame(min: Place, max: Place): void {
    const { camera, controls } = this;
    const size = Math.max(400, Math.hypot(max[0] - min[0], max[1] - min[1]));
    const towards = new Vector3(0.28, -0.72, 0.86).normalize();
    const corners = cornersOf(min, max);
    controls.target.set((min[0] + max[0]) / 2, (min[1] + max[1]) / 2, (min[2] + max[2]) / 2);
    camera.far = Math.max(12_000, size * 6);
    let away = size;
    // What is near looks larger, so the middle of the picture is not the middle of the box: both are closed in on.
    for (let turn = 0; turn < 12; turn++) {
      camera.position.copy(controls.target).addScaledVector(towards, away);
      camera.lookAt(controls.target);
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
      const seen = extentOf(corners, camera);
      const tall = Math.tan((camera.fov * DEGREES) / 2) * away;
      this.body.set(1, 0, 0).applyQuaternion(camera.quaternion);
      controls.target.addScaledVector(this.body, ((seen.left + seen.right) / 2) * tall * camera.aspect);
      this.body.set(0, 1, 0).applyQuaternion(camera.quaternion);
      controls.target.addScaledVector(this.body, ((seen.bottom + seen.top) / 2 + BAR_SHARE / 2) * tall);
      away *= Math.max((seen.right - seen.left) / 2 / FILL, (seen.top - seen.bottom) / 2 / (FILL - BAR_SHARE / 2)) ** 0.8;
      away = MathUtils.clamp(away, 200, controls.maxDistance);
    }
    controls.update();
  }

  setMode(mode: CameraMode): void {
    if (mode === this.mode) return;
    if (mode === "first") this.kept = { camera: this.camera.position.clone(), target: this.controls.target.clone() };
    if (this.mode === "first" && this.kept !== null) {
      this.camera.position.copy(this.kept.camera);
      this.controls.target.copy(this.kept.target);
    }
    this.mode = mode;
    this.followed = -1;
    this.flight = null;
    this.controls.enabled = mode !== "first";
    this.camera.fov = mode === "first" ? WIDE_FIRST : WIDE_ORBIT;
    this.camera.near = mode === "first" ? 1 : 8;
    this.camera.updateProjectionMatrix();
  }

  /** Brings a spot into the middle, near enough to see it. */
  flyTo(place: Place): void {
    if (this.mode !== "orbit") return;
    const target = new Vector3(...place);
    const offset = this.camera.position.clone().sub(this.controls.target);
    offset.setLength(Math.min(offset.length(), 700));
    this.flight = { camera: target.clone().add(offset), target };
    if (this.isCalm.matches) this.land();
  }

  /** For a moment that was shared: exactly this view. */
  set(position: Place, target: Place): void {
    this.camera.position.set(...position);
    this.controls.target.set(...target);
    this.controls.update();
  }

  update(seconds: number, figure: Figure | null): void {
    if (this.mode === "first" && figure !== null) {
      this.lookThrough(figure);
      return;
    }
    if (this.mode === "follow" && figure !== null) this.goAlong(figure, seconds);
    else if (this.flight !== null) this.fly(seconds);
    if (this.controls.enabled) this.controls.update(seconds);
  }

  private lookThrough(figure: Figure): void {
    this.camera.position.set(figure.x, figure.y, figure.eye);
    const pitch = figure.pitch * DEGREES;
    const yaw = figure.yaw * DEGREES;
    this.body.set(Math.cos(yaw) * Math.cos(pitch), Math.sin(yaw) * Math.cos(pitch), -Math.sin(pitch));
    this.camera.lookAt(this.body.add(this.camera.position));
  }

  /** The camera keeps where it stands beside him; a new one to follow is flown to. */
  private goAlong(figure: Figure, seconds: number): void {
    this.body.set(figure.x, figure.y, figure.z + 40);
    if (this.followed !== figure.id) {
      this.followed = figure.id;
      const offset = this.camera.position.clone().sub(this.controls.target);
      offset.setLength(MathUtils.clamp(offset.length(), 260, 620));
      this.flight = { camera: this.body.clone().add(offset), target: this.body.clone() };
      if (this.isCalm.matches) this.land();
    }
    this.step.copy(this.body).sub(this.controls.target);
    if (this.flight !== null) {
      this.step.copy(this.body).sub(this.flight.target);
      this.flight.target.add(this.step);
      this.flight.camera.add(this.step);
      this.fly(seconds);
    } else {
      this.controls.target.add(this.step);
      this.camera.position.add(this.step);
    }
  }

  private fly(seconds: number): void {
    const flight = this.flight!;
    const share = 1 - Math.exp(-seconds * FLIGHT_RATE);
    this.camera.position.lerp(flight.camera, share);
    this.controls.target.lerp(flight.target, share);
    if (this.camera.position.distanceTo(flight.camera) < 2) this.flight = null;
  }

  private land(): void {
    this.camera.position.copy(this.flight!.camera);
    this.controls.target.copy(this.flight!.target);
    this.flight = null;
  }

  get isFlying(): boolean {
    return this.flight !== null;
  }
}

function cornersOf(min: Place, max: Place): Vector3[] {
  const pick = (bit: number, axis: 0 | 1 | 2): number => (bit === 0 ? min[axis] : max[axis]);
  return Array.from({ length: 8 }, (_, i) => new Vector3(pick(i & 1, 0), pick(i & 2, 1), pick(i & 4, 2)));
}

/** Where corners are drawn, from -1 to 1 each way. */
function extentOf(corners: Vector3[], camera: PerspectiveCamera): { left: number; right: number; bottom: number; top: number } {
  const drawn = corners.map((corner) => corner.clone().project(camera));
  const [x, y] = [drawn.map((each) => each.x), drawn.map((each) => each.y)];
  return { left: Math.min(...x), right: Math.max(...x), bottom: Math.min(...y), top: Math.max(...y) };
}
