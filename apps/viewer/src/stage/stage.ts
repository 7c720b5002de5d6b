// The stage: scene, lights, what is drawn each frame and when nothing has to be.
//
// A drawn frame is a function of the film, the head and what is selected; nothing moves by itself. That is why two films can be
// drawn side by side with the same figures, and why a frame in which nothing changed is not drawn at all.
import {
  AmbientLight,
  Color,
  DirectionalLight,
  Fog,
  HemisphereLight,
  Object3D,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { Moment, type Film } from "../wire/film.ts";
import type { Place } from "../wire/protocol.ts";
import { camera, comparison, cut, cutFollows, film, mind, selected, show } from "../state.ts";
import { advance, head, isMoving } from "../playback.ts";
import { Cameras } from "./cameras.ts";
import { setCut } from "./cutplane.ts";
import { Effects } from "./effects.ts";
import { Figures, type Figure } from "./figures.ts";
import { Labels } from "./labels.ts";
import { MapView } from "./map.ts";
import { MindView } from "./mindview.ts";

Object3D.DEFAULT_UP.set(0, 0, 1);

const BACKGROUND = "#0d1117";
/** Pixels from a figure within which a click means it. */
const CLICK_REACH = 30;
/** A head's height above the feet, and some air, for the cut that follows somebody. */
const CUT_ABOVE = 92;
const SLOW_FRAME_MS = 45;
const RATIO_MIN = 0.5;

/** What tests and curious people read: how long our own code took per drawn frame. */
export const counters = {
  drawn: 0,
  script_ms_last: 0,
  script_ms_sum: 0,
  script_ms_max: 0,
  draw_calls: 0,
  triangles: 0,
  pixel_ratio: 1,
};

export class Stage {
  readonly scene = new Scene();
  readonly cameras: Cameras;
  readonly figures = new Figures();
  /** Layers hang themselves in here. */
  readonly layers = new Object3D();
  map: MapView | null = null;
  private readonly renderer: WebGLRenderer;
  private readonly lens = new PerspectiveCamera(50, 1, 8, 16_000);
  private readonly effects = new Effects();
  private readonly mindView = new MindView();
  private readonly labels: Labels;
  private readonly otherLabels: Labels;
  private readonly moment = new Moment();
  private readonly otherMoment = new Moment();
  private readonly ray = new Raycaster();
  private readonly spot = new Vector3();
  private readonly pointer = new Vector2();
  private isStale = true;
  private before = 0;
  private lastHead = -1;
  private lastCut: number | null = null;
  private lastPosition = new Vector3();
  private lastTurn = 0;
  private ratio = Math.min(devicePixelRatio, 2);
  private slowness = 0;
  private drawnMind: unknown = undefined;
  private width = 1;
  private height = 1;

  constructor(private readonly root: HTMLElement) {
    const canvas = document.createElement("canvas");
    canvas.className = "stage-canvas";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "The match in three dimensions. The panels say the same in words.");
    canvas.tabIndex = 0;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.localClippingEnabled = true;
    this.renderer.setPixelRatio(this.ratio);
    root.append(canvas);
    this.labels = new Labels(labelsIn(root));
    this.otherLabels = new Labels(labelsIn(root));
    this.cameras = new Cameras(this.lens, canvas);
    this.light();
    this.scene.add(this.figures.group, this.effects.group, this.mindView.group, this.layers);
    new ResizeObserver(() => this.resize()).observe(root);
    this.resize();
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  start(): void {
    const loop = (now: number): void => {
      requestAnimationFrame(loop);
      const seconds = Math.min(0.1, Math.max(0, (now - this.before) / 1000));
      this.before = now;
      const began = performance.now();
      if (this.turn(seconds)) count(performance.now() - began);
    };
    requestAnimationFrame(loop);
  }

  /** Something other than head and camera changed. */
  invalidate(): void {
    this.isStale = true;
  }

  setMap(map: MapView): void {
    if (this.map !== null) {
      this.scene.remove(this.map.group);
      this.map.dispose();
    }
    this.map = map;
    this.scene.add(map.group);
    this.scene.fog = new Fog(BACKGROUND, 4000, 14_000);
    this.cameras.frame(map.min, map.max);
    this.invalidate();
  }

  /** Who is drawn at a spot of the canvas, in CSS pixels. */
  figureAt(x: number, y: number): Figure | null {
    let best: Figure | null = null;
    let nearest = CLICK_REACH;
    for (let i = 0; i < this.figures.count; i++) {
      const figure = this.figures.drawn[i]!;
      for (const above of [10, 34, 60]) {
        this.spot.set(figure.x, figure.y, figure.z + above).project(this.lens);
        if (this.spot.z > 1) continue;
        const away = Math.hypot(
          (this.spot.x * 0.5 + 0.5) * this.width - x,
          (0.5 - this.spot.y * 0.5) * this.height - y,
        );
        if (away < nearest) {
          nearest = away;
          best = figure;
        }
      }
    }
    return best;
  }

  /** The place of the map under a spot of the canvas. */
  placeAt(x: number, y: number): Place | null {
    if (this.map === null) return null;
    this.pointer.set((x / this.width) * 2 - 1, 1 - (y / this.height) * 2);
    this.ray.setFromCamera(this.pointer, this.lens);
    const hit = this.map.pick(this.ray);
    return hit === null ? null : [hit.x, hit.y, hit.z];
  }

  /** Where a place is drawn, in CSS pixels of the canvas. */
  project(place: Place): { x: number; y: number; isInView: boolean } {
    this.spot.set(...place).project(this.lens);
    const isInView = this.spot.z < 1 && Math.abs(this.spot.x) <= 1 && Math.abs(this.spot.y) <= 1;
    return { x: (this.spot.x * 0.5 + 0.5) * this.width, y: (0.5 - this.spot.y * 0.5) * this.height, isInView };
  }

  /** One turn of the loop; `true` if a frame was drawn. */
  private turn(seconds: number): boolean {
    const shown = show.peek();
    if (shown === null) return false;
    advance(seconds);
    const at = head();
    this.figures.hidden = camera.peek() === "first" ? (selected.peek() ?? -1) : -1;
    this.cameras.setMode(selected.peek() === null ? "orbit" : camera.peek());
    const hasMoment = this.moment.seek(film.own, at);
    if (hasMoment) this.figures.place(this.moment, shown, selected.peek());
    const figure = this.figures.find(selected.peek());
    this.cameras.update(seconds, figure);
    this.cutAbove(figure);
    const isMindNew = this.drawnMind !== mind.peek();
    if (!this.isStale && !isMindNew && at === this.lastHead && !this.hasCameraMoved()) return false;
    this.remember(at);
    this.mindView.place(mind.peek()?.bot === selected.peek() ? mind.peek() : null, figure, shown);
    this.drawnMind = mind.peek();
    this.adapt(seconds);
    if (comparison.peek() === null) this.drawOne(hasMoment);
    else this.drawBoth(at);
    counters.draw_calls = this.renderer.info.render.calls;
    counters.triangles = this.renderer.info.render.triangles;
    return true;
  }

  private drawOne(hasMoment: boolean): void {
    const shown = show.peek()!;
    this.otherLabels.hideAll();
    this.renderer.setScissorTest(false);
    this.renderer.setViewport(0, 0, this.width, this.height);
    if (hasMoment) {
      this.effects.place(this.moment, shown);
      this.map?.placeMovers(this.moment);
    }
    this.renderer.render(this.scene, this.lens);
    this.label(this.labels, 0, this.width);
  }

  /** As it was on the left, changed on the right, the same camera for both. */
  private drawBoth(at: number): void {
    const pair = comparison.peek()!;
    const half = Math.floor(this.width / 2);
    const since = at - pair.from;
    this.lens.aspect = half / this.height;
    this.lens.updateProjectionMatrix();
    this.renderer.setScissorTest(true);
    this.mindView.group.visible = false;
    this.drawHalf(pair.asWas, since, 0, half, this.labels);
    this.drawHalf(pair.changed, since, half, this.width - half, this.otherLabels);
    this.lens.aspect = this.width / this.height;
    this.lens.updateProjectionMatrix();
  }

  private drawHalf(from: Film, at: number, left: number, width: number, labels: Labels): void {
    const shown = show.peek()!;
    this.renderer.setViewport(left, 0, width, this.height);
    this.renderer.setScissor(left, 0, width, this.height);
    if (this.otherMoment.seek(from, Math.max(0, at))) {
      this.figures.place(this.otherMoment, shown, selected.peek());
      this.effects.place(this.otherMoment, shown);
      this.map?.placeMovers(this.otherMoment);
    }
    this.renderer.render(this.scene, this.lens);
    this.label(labels, left, width);
  }

  private label(labels: Labels, left: number, width: number): void {
    const { figures } = this;
    labels.place(figures.drawn, figures.count, this.lens, left, width, this.height, selected.peek(), figures.hidden);
  }

  private cutAbove(figure: Figure | null): void {
    if (this.map === null) return;
    const isInside = camera.peek() === "first" && figure !== null;
    const follows = cutFollows.peek() && figure !== null;
    const height = isInside ? null : follows ? figure.z + CUT_ABOVE : cut.peek();
    if (height === this.lastCut) return;
    this.lastCut = height;
    setCut(height);
    this.isStale = true;
  }

  private hasCameraMoved(): boolean {
    return this.lens.position.distanceToSquared(this.lastPosition) > 1e-4 || this.lens.quaternion.x !== this.lastTurn;
  }

  private remember(at: number): void {
    this.isStale = false;
    this.lastHead = at;
    this.lastPosition.copy(this.lens.position);
    this.lastTurn = this.lens.quaternion.x;
  }

  /** Where frames come slowly, fewer pixels are drawn while things move; what stands still is sharp. */
  private adapt(seconds: number): void {
    const full = Math.min(devicePixelRatio, 2);
    const isStill = !isMoving();
    this.slowness += ((seconds * 1000 > SLOW_FRAME_MS ? 1 : 0) - this.slowness) * 0.08;
    let wanted = this.ratio;
    if (isStill) wanted = full;
    else if (this.slowness > 0.7) wanted = Math.max(RATIO_MIN, this.ratio * 0.8);
    else if (this.slowness < 0.02 && this.ratio < full) wanted = Math.min(full, this.ratio * 1.1);
    if (Math.abs(wanted - this.ratio) < 0.02) return;
    this.ratio = wanted;
    this.slowness = 0.3;
    counters.pixel_ratio = wanted;
    this.renderer.setPixelRatio(wanted);
  }

  private light(): void {
    this.scene.background = new Color(BACKGROUND);
    const sky = new HemisphereLight("#dfe9f5", "#39414d", 1.5);
    sky.position.set(0, 0, 1);
    const sun = new DirectionalLight("#fff2dd", 1.5);
    sun.position.set(0.45, -0.8, 1.2);
    const fill = new DirectionalLight("#9fc0ee", 0.5);
    fill.position.set(-0.8, 0.5, 0.4);
    this.scene.add(sky, sun, fill, new AmbientLight("#ffffff", 0.25));
  }

  private resize(): void {
    this.width = Math.max(1, this.root.clientWidth);
    this.height = Math.max(1, this.root.clientHeight);
    this.lens.aspect = this.width / this.height;
    this.lens.updateProjectionMatrix();
    this.renderer.setSize(this.width, this.height, false);
    this.invalidate();
  }
}

function labelsIn(root: HTMLElement): HTMLElement {
  const labels = document.createElement("div");
  labels.className = "labels";
  labels.setAttribute("aria-hidden", "true");
  root.append(labels);
  return labels;
}

function count(ms: number): void {
  counters.drawn++;
  counters.script_ms_last = ms;
  counters.script_ms_sum += ms;
  counters.script_ms_max = Math.max(counters.script_ms_max, ms);
}
