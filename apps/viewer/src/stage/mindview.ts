// What the selected bot believes, drawn beside what is true: ghosts where it thinks enemies are, with a line to where they
// really are; rings where it heard something; its route and where it aims.
import { Color, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import type { Mind, Place, Show } from "../wire/protocol.ts";
import { COLOURS, colour } from "./colours.ts";
import type { Figure } from "./figures.ts";
import { Segments } from "./segments.ts";
import { soldier } from "./shapes.ts";

const GHOSTS_MAX = 64;
/** Beliefs fade as they age; this old, they are as faint as they get. */
const FADE_MS = 12_000;

export class MindView {
  readonly group = new Group();
  private readonly ghosts: InstancedMesh;
  private readonly lines = new Segments(2048, false);
  private readonly routeLine: Line2;
  private readonly matrix = new Matrix4();
  private readonly tint = new Color();

  constructor() {
    const ghostly = new MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.55, depthTest: false });
    this.ghosts = new InstancedMesh(soldier("square"), ghostly, GHOSTS_MAX);
    this.ghosts.instanceMatrix.setUsage(DynamicDrawUsage);
    this.ghosts.setColorAt(0, colour("#ffffff"));
    this.ghosts.frustumCulled = false;
    this.ghosts.count = 0;
    this.ghosts.renderOrder = 8;
    this.routeLine = new Line2(
      new LineGeometry(),
      new LineMaterial({
        color: COLOURS.route,
        linewidth: 3,
        transparent: true,
        opacity: 0.85,
        depthTest: false,
      }),
    );
    this.routeLine.visible = false;
    this.routeLine.frustumCulled = false;
    this.routeLine.renderOrder = 7;
    const lines = this.lines.object;
    (lines.material as { depthTest?: boolean }).depthTest = false;
    lines.renderOrder = 8;
    this.group.add(this.ghosts, lines, this.routeLine);
  }

  place(mind: Mind | null, figure: Figure | null, show: Show): void {
    this.group.visible = mind !== null && figure !== null;
    if (mind === null || figure === null) return;
    this.lines.begin();
    this.placeThreats(mind, show);
    this.placeNoises(mind);
    this.placeAim(mind, figure);
    this.lines.end();
    this.placeRoute(mind, figure, show);
  }

  private placeThreats(mind: Mind, show: Show): void {
    let count = 0;
    for (const threat of mind.threats) {
      if (threat.is_dead || count >= GHOSTS_MAX) continue;
      const strength = 1 - 0.65 * Math.min(1, threat.age_ms / FADE_MS);
      const feet = threat.place[2] - show.bodies.feet;
      this.tint.set(COLOURS.belief).multiplyScalar(strength);
      this.matrix.makeTranslation(threat.place[0], threat.place[1], feet);
      this.ghosts.setMatrixAt(count, this.matrix);
      this.ghosts.setColorAt(count, this.tint);
      count++;
      if (threat.spread !== null && threat.spread > 8) {
        this.lines.addRing(threat.place[0], threat.place[1], feet + 3, threat.spread, this.tint);
      }
      if (threat.truth !== null) this.lines.addDashed(threat.place, threat.truth, this.tint.set(COLOURS.truth), 10);
    }
    this.ghosts.count = count;
    this.ghosts.visible = count > 0;
    this.ghosts.instanceMatrix.needsUpdate = true;
    this.ghosts.instanceColor!.needsUpdate = true;
  }

  private placeNoises(mind: Mind): void {
    for (const noise of mind.noises) {
      const strength = 1 - 0.7 * Math.min(1, noise.age_ms / 6000);
      this.tint.set(COLOURS.noise).multiplyScalar(strength * (noise.is_explained ? 0.5 : 1));
      const radius = Math.max(14, noise.spread);
      this.lines.addRing(...noise.place, radius, this.tint, 24);
      this.lines.addRing(...noise.place, radius * 0.5, this.tint, 24);
    }
  }

  private placeAim(mind: Mind, figure: Figure): void {
    if (mind.aim.at === null) return;
    const eye: Place = [figure.x, figure.y, figure.eye];
    this.lines.addDashed(eye, mind.aim.at, this.tint.set(COLOURS.aim), 14);
    this.lines.addRing(...mind.aim.at, 9, this.tint, 12);
  }

  private placeRoute(mind: Mind, figure: Figure, show: Show): void {
    const points = mind.route?.points ?? [];
    // A line needs two ends; the first is where he stands.
    const first = Math.max(0, Math.min(mind.route?.at ?? 0, points.length));
    const ahead = points.length > first ? points.slice(first) : [];
    this.routeLine.visible = ahead.length > 0;
    if (ahead.length === 0) return;
    const flat = [figure.x, figure.y, figure.z + 6];
    for (const point of ahead) flat.push(point[0], point[1], point[2] - show.bodies.feet + 8);
    this.routeLine.geometry.dispose();
    this.routeLine.geometry = new LineGeometry().setPositions(flat);
  }
}
