// Players as figures: body, mark under the feet, fan of sight, and a faint shape where a wall hides them.
//
// All figures of one shape are one draw call. `place` writes them anew for each drawn frame from two film frames, without
// allocating; `drawn` then says who stands where, for labels, cameras and clicks.
import {
  AdditiveBlending,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Euler,
  GreaterDepth,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  Quaternion,
  Vector3,
  type BufferGeometry,
  type Material,
} from "three";
import {
  PLAYER_BEARER,
  PLAYER_BLINDED,
  PLAYER_CROUCHED,
  PLAYER_DEAD,
  PLAYER_FIRING,
  PLAYER_PRONE,
  type Moment,
} from "../wire/film.ts";
import type { Show } from "../wire/protocol.ts";
import { COLOURS, colour, teamColour, teamShape, type TeamShape } from "./colours.ts";
import { fan, footMark, soldier } from "./shapes.ts";

const PLAYERS_MAX = 128;
/** Farther than this in one frame is a spawn or a teleporter, not a run. */
const RUN_MAX = 160;
const FAN_RADIUS = 260;
const FAN_DEGREES = 80;
const FIGURE_TALL = 56;

export type Figure = {
  id: number;
  team: number;
  x: number;
  y: number;
  /** Where the feet are. */
  z: number;
  eye: number;
  yaw: number;
  pitch: number;
  bits: number;
  health: number;
  armour: number;
  weapon: number;
  target: number;
};

type Kind = { body: InstancedMesh; behind: InstancedMesh; mark: InstancedMesh; count: number };

const DEGREES = Math.PI / 180;

export class Figures {
  readonly group = new Group();
  readonly drawn: Figure[] = [];
  count = 0;
  showFans = true;
  /** Whose eyes we look through: not drawn. */
  hidden = -1;
  private readonly kinds = new Map<TeamShape, Kind>();
  private readonly fans: InstancedMesh;
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly euler = new Euler(0, 0, 0, "ZYX");
  private readonly at = new Vector3();
  private readonly scale = new Vector3();
  private readonly tint = new Color();

  constructor() {
    for (const shape of ["disc", "diamond", "triangle", "square"] as const) this.kinds.set(shape, this.make(shape));
    const material = new MeshBasicMaterial({
      vertexColors: true,
      transparent: true,
      opacity: 0.34,
      side: DoubleSide,
      depthWrite: false,
      blending: AdditiveBlending,
    });
    this.fans = instanced(fan(FAN_RADIUS, FAN_DEGREES), material, 3);
    this.group.add(this.fans);
    for (let i = 0; i < PLAYERS_MAX; i++) this.drawn.push(emptyFigure());
  }

  place(moment: Moment, show: Show, selected: number | null): void {
    const { now, next, share } = moment;
    this.count = Math.min(now.players, PLAYERS_MAX);
    for (const kind of this.kinds.values()) kind.count = 0;
    let fans = 0;
    for (let i = 0; i < this.count; i++) {
      const figure = this.drawn[i]!;
      read(figure, moment, i, show);
      const then = i < next.players && next.playerId(i) === figure.id ? i : next.indexOf(figure.id);
      if (then >= 0) move(figure, moment, then, share, show);
      if (figure.id === this.hidden) continue;
      this.draw(figure, show, figure.id === selected);
      if (this.showFans && (figure.bits & PLAYER_DEAD) === 0) this.drawFan(fans++, figure, figure.id === selected);
    }
    for (const kind of this.kinds.values()) {
      commit(kind.body, kind.count);
      commit(kind.behind, kind.count);
      commit(kind.mark, kind.count);
    }
    commit(this.fans, fans);
  }

  find(id: number | null): Figure | null {
    if (id === null) return null;
    for (let i = 0; i < this.count; i++) if (this.drawn[i]!.id === id) return this.drawn[i]!;
    return null;
  }

  private draw(figure: Figure, show: Show, isSelected: boolean): void {
    const kind = this.kinds.get(teamShape(figure.team))!;
    const index = kind.count++;
    const isDead = (figure.bits & PLAYER_DEAD) !== 0;
    const lies = isDead || (figure.bits & PLAYER_PRONE) !== 0;
    const { standing, crouched } = show.bodies;
    const tall = (figure.bits & PLAYER_CROUCHED) !== 0 ? crouched : standing;
    const height = (tall.maxs[2] - tall.mins[2]) / FIGURE_TALL;
    this.at.set(figure.x, figure.y, figure.z + (lies ? 6 : 0));
    this.scale.set(1, 1, height);
    this.euler.set(0, lies ? (isDead ? -Math.PI / 2 : Math.PI / 2) : 0, figure.yaw * DEGREES);
    this.matrix.compose(this.at, this.turn.setFromEuler(this.euler), this.scale);
    kind.body.setMatrixAt(index, this.matrix);
    kind.behind.setMatrixAt(index, this.matrix);
    this.tint.copy(colour(teamColour(figure.team)));
    if (isDead) this.tint.multiplyScalar(0.35);
    else if ((figure.bits & PLAYER_BLINDED) !== 0) this.tint.lerp(colour("#ffffff"), 0.6);
    else if ((figure.bits & PLAYER_FIRING) !== 0) this.tint.lerp(colour("#fff4d6"), 0.25);
    kind.body.setColorAt(index, this.tint);
    kind.behind.setColorAt(index, this.tint);
    this.at.set(figure.x, figure.y, figure.z + 2);
    const size = isSelected ? 1.35 : (figure.bits & PLAYER_BEARER) !== 0 ? 1.2 : 1;
    this.scale.set(size, size, 1);
    this.euler.set(0, 0, figure.yaw * DEGREES);
    this.matrix.compose(this.at, this.turn.setFromEuler(this.euler), this.scale);
    kind.mark.setMatrixAt(index, this.matrix);
    kind.mark.setColorAt(index, isSelected ? colour(COLOURS.select) : this.tint);
  }

  private drawFan(index: number, figure: Figure, isSelected: boolean): void {
    this.at.set(figure.x, figure.y, figure.eye);
    this.euler.set(0, figure.pitch * DEGREES, figure.yaw * DEGREES);
    const size = isSelected ? 1.6 : 1;
    this.scale.set(size, size, 1);
    this.matrix.compose(this.at, this.turn.setFromEuler(this.euler), this.scale);
    this.fans.setMatrixAt(index, this.matrix);
    this.fans.setColorAt(index, colour(teamColour(figure.team)));
  }

  private make(shape: TeamShape): Kind {
    const geometry = soldier(shape);
    const body = instanced(geometry, new MeshLambertMaterial({ vertexColors: true, flatShading: true }), 1);
    const behind = instanced(
      geometry,
      new MeshBasicMaterial({ transparent: true, opacity: 0.2, depthFunc: GreaterDepth, depthWrite: false }),
      2,
    );
    const flat = { side: DoubleSide, transparent: true, opacity: 0.9, depthWrite: false };
    const mark = instanced(footMark(shape), new MeshBasicMaterial(flat), 2);
    this.group.add(body, behind, mark);
    return { body, behind, mark, count: 0 };
  }
}

function emptyFigure(): Figure {
  return {
    id: -1,
    team: 255,
    x: 0,
    y: 0,
    z: 0,
    eye: 0,
    yaw: 0,
    pitch: 0,
    bits: 0,
    health: 0,
    armour: 0,
    weapon: 0,
    target: 255,
  };
}

function read(figure: Figure, moment: Moment, i: number, show: Show): void {
  const { now } = moment;
  figure.id = now.playerId(i);
  figure.team = now.playerTeam(i);
  figure.bits = now.playerBits(i);
  figure.x = now.playerAt(i, 0);
  figure.y = now.playerAt(i, 1);
  figure.z = now.playerAt(i, 2) - show.bodies.feet;
  figure.yaw = now.playerYaw(i);
  figure.pitch = now.playerPitch(i);
  figure.health = now.playerHealth(i);
  figure.armour = now.playerArmour(i);
  figure.weapon = now.playerWeapon(i);
  figure.target = now.playerTarget(i);
  figure.eye = figure.z + eyeAbove(figure.bits, show);
}

function eyeAbove(bits: number, show: Show): number {
  const standing = show.bodies.feet + show.bodies.eye_standing;
  if ((bits & (PLAYER_DEAD | PLAYER_PRONE)) !== 0) return 12;
  if ((bits & PLAYER_CROUCHED) === 0) return standing;
  const shorter = show.bodies.standing.maxs[2] - show.bodies.crouched.maxs[2];
  return Math.max(12, standing - shorter);
}

function move(figure: Figure, moment: Moment, then: number, share: number, show: Show): void {
  const { next } = moment;
  const dx = next.playerAt(then, 0) - figure.x;
  const dy = next.playerAt(then, 1) - figure.y;
  const dz = next.playerAt(then, 2) - show.bodies.feet - figure.z;
  if (Math.abs(dx) + Math.abs(dy) + Math.abs(dz) > RUN_MAX) return;
  figure.x += dx * share;
  figure.y += dy * share;
  figure.z += dz * share;
  figure.eye += dz * share;
  figure.yaw += turnBetween(figure.yaw, next.playerYaw(then)) * share;
  figure.pitch += (next.playerPitch(then) - figure.pitch) * share;
}

/** The shorter way round, in degrees. */
function turnBetween(from: number, to: number): number {
  return ((((to - from) % 360) + 540) % 360) - 180;
}

function instanced(geometry: BufferGeometry, material: Material, order: number): InstancedMesh {
  const mesh = new InstancedMesh(geometry, material, PLAYERS_MAX);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  mesh.setColorAt(0, colour("#ffffff"));
  mesh.frustumCulled = false;
  mesh.renderOrder = order;
  mesh.count = 0;
  return mesh;
}

function commit(mesh: InstancedMesh, count: number): void {
  mesh.count = count;
  mesh.visible = count > 0;
  if (count === 0) return;
  mesh.instanceMatrix.clearUpdateRanges();
  mesh.instanceMatrix.addUpdateRange(0, count * 16);
  mesh.instanceMatrix.needsUpdate = true;
  const colours = mesh.instanceColor!;
  colours.clearUpdateRanges();
  colours.addUpdateRange(0, count * 3);
  colours.needsUpdate = true;
}
