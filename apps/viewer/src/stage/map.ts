// The map as something to look into: solid, shaded, cut open at a height, and asked where a finger points.
//
// In: the bytes of /api/map. Out: meshes for the world and for every mover. The world is drawn twice: faces that look at us,
// shaded; and the insides of solids, flat, which the cut plane lays open, so that a wall that is cut shows as filled.
import {
  BackSide,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  EdgesGeometry,
  FrontSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  Vector3,
  type Plane,
  type Raycaster,
} from "three";
import { MeshBVH, acceleratedRaycast } from "three-mesh-bvh";
import type { Frame, Moment } from "../wire/film.ts";
import type { Place } from "../wire/protocol.ts";
import { cutPlane, cutPlanes } from "./cutplane.ts";

const MAGIC = "FTMAP1\0\0";
const CLASS = { solid: 0, floor: 1, ceiling: 2, liquid: 3, glass: 4, hidden: 5 } as const;
/** Lines along corners make brushes readable; on very large maps they cost more than they show. */
const EDGED_TRIANGLES_MAX = 120_000;
const FLOOR_BIN = 16;
/** Floors nearer to each other than a standing player are one. */
const FLOOR_GAP = 72;
/** A height is a floor if it has at least this share of the ground. */
const FLOOR_SHARE = 0.03;

type Submodel = { positions: Float32Array; normals: Float32Array; classes: Uint8Array; indices: Uint32Array };

export class MapView {
  readonly group = new Group();
  readonly min: Place = [Infinity, Infinity, Infinity];
  readonly max: Place = [-Infinity, -Infinity, -Infinity];
  floors: number[] = [];
  triangles = 0;
  private readonly solid: Mesh[] = [];
  private readonly movers = new Map<number, Group>();

  constructor(bytes: ArrayBuffer) {
    const submodels = parse(bytes);
    submodels.forEach((submodel, index) => {
      const group = this.build(submodel, index > 0);
      if (index > 0) this.movers.set(index, group);
      this.group.add(group);
    });
    if (!Number.isFinite(this.min[0])) {
      this.min.splice(0, 3, -512, -512, 0);
      this.max.splice(0, 3, 512, 512, 256);
    }
    if (submodels[0] !== undefined) this.floors = findFloors(submodels[0]);
  }

  /** Where a ray first meets what is drawn. */
  pick(ray: Raycaster): Vector3 | null {
    const hits = ray.intersectObjects(this.solid, false);
    const hit = hits.find((each) => each.point.z <= cutPlane.constant);
    return hit?.point ?? null;
  }

  placeMovers(moment: Moment): void {
    for (const [model, group] of this.movers) {
      const at = moment.now.moverIndexOf(model);
      if (at < 0) {
        group.visible = true;
        group.position.set(0, 0, 0);
        group.rotation.set(0, 0, 0);
      } else {
        placeMover(group, moment.now, at, moment.next, moment.next.moverIndexOf(model), moment.share);
      }
    }
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (object instanceof Mesh || object instanceof LineSegments) object.geometry.dispose();
    });
  }

  private build(submodel: Submodel, isMover: boolean): Group {
    const group = new Group();
    if (!isMover) this.grow(submodel);
    this.triangles += submodel.classes.length;
    const clippingPlanes = cutPlanes;
    const opaque = geometryOf(submodel, (kind) => kind <= CLASS.ceiling, isMover);
    if (opaque !== null) {
      const face = new MeshLambertMaterial({ vertexColors: true, side: FrontSide, clippingPlanes });
      const mesh = new Mesh(opaque, face);
      opaque.boundsTree = new MeshBVH(opaque);
      mesh.raycast = acceleratedRaycast;
      this.solid.push(mesh);
      const inside = new Mesh(opaque, new MeshBasicMaterial({ color: "#1b222c", side: BackSide, clippingPlanes }));
      group.add(mesh, inside);
      if (submodel.classes.length <= EDGED_TRIANGLES_MAX) group.add(edgesOf(opaque, clippingPlanes));
    }
    const liquid = geometryOf(submodel, (kind) => kind === CLASS.liquid, isMover);
    if (liquid !== null) group.add(new Mesh(liquid, film("#3f88c5", 0.45, clippingPlanes)));
    const glass = geometryOf(submodel, (kind) => kind === CLASS.glass, isMover);
    if (glass !== null) group.add(new Mesh(glass, film("#b9d6e8", 0.18, clippingPlanes)));
    return group;
  }

  private grow(submodel: Submodel): void {
    const { positions, indices, classes } = submodel;
    for (let t = 0; t < classes.length; t++) {
      if (classes[t] === CLASS.hidden) continue;
      for (let corner = 0; corner < 3; corner++) {
        const at = indices[t * 3 + corner]! * 3;
        for (let axis = 0; axis < 3; axis++) {
          this.min[axis] = Math.min(this.min[axis]!, positions[at + axis]!);
          this.max[axis] = Math.max(this.max[axis]!, positions[at + axis]!);
        }
      }
    }
  }
}

const DEGREES = Math.PI / 180;

function placeMover(group: Group, now: Frame, at: number, next: Frame, then: number, share: number): void {
  group.visible = !now.moverIsGone(at);
  const between = (axis: 0 | 1 | 2): number => {
    const from = now.moverAt(at, axis);
    return then < 0 ? from : from + (next.moverAt(then, axis) - from) * share;
  };
  group.position.set(between(0), between(1), between(2));
  // Pitch, yaw, roll as the engine has them: roll about x first, then pitch about y, then yaw about z.
  group.rotation.order = "ZYX";
  group.rotation.set(
    now.moverAngle(at, 2) * DEGREES,
    now.moverAngle(at, 0) * DEGREES,
    now.moverAngle(at, 1) * DEGREES,
  );
}

function parse(bytes: ArrayBuffer): Submodel[] {
  const magic = new TextDecoder("latin1").decode(new Uint8Array(bytes, 0, 8));
  if (magic !== MAGIC) throw new Error("the map's geometry is in a form this page does not know");
  const view = new DataView(bytes);
  const submodels: Submodel[] = [];
  let at = 12;
  for (let count = view.getUint32(8, true); count > 0; count--) {
    const vertices = view.getUint32(at, true);
    const triangles = view.getUint32(at + 4, true);
    at += 8;
    const positions = new Float32Array(bytes, at, vertices * 3);
    at += vertices * 12;
    const normals = new Float32Array(bytes, at, vertices * 3);
    at += vertices * 12;
    const classes = new Uint8Array(bytes, at, triangles);
    at += (triangles + 3) & ~3;
    const indices = new Uint32Array(bytes, at, triangles * 3);
    at += triangles * 12;
    submodels.push({ positions, normals, classes, indices });
  }
  return submodels;
}

function geometryOf(from: Submodel, wants: (kind: number) => boolean, isMover: boolean): BufferGeometry | null {
  const kept: number[] = [];
  for (let t = 0; t < from.classes.length; t++) if (wants(from.classes[t]!)) kept.push(t);
  if (kept.length === 0) return null;
  const positions = new Float32Array(kept.length * 9);
  const normals = new Float32Array(kept.length * 9);
  const colours = new Float32Array(kept.length * 9);
  const tint = new Color();
  let at = 0;
  for (const t of kept) {
    for (let corner = 0; corner < 3; corner++) {
      const source = from.indices[t * 3 + corner]! * 3;
      const z = from.positions[source + 2]!;
      shade(from.classes[t]!, z, isMover, tint);
      for (let axis = 0; axis < 3; axis++) {
        positions[at + axis] = from.positions[source + axis]!;
        normals[at + axis] = from.normals[source + axis]!;
      }
      colours[at] = tint.r;
      colours[at + 1] = tint.g;
      colours[at + 2] = tint.b;
      at += 3;
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  return geometry;
}

const WALL = new Color("#8592a1");
const FLOOR = new Color("#a3adb8");
const CEILING = new Color("#66717e");
const MOVER = new Color("#b08d63");
const LOW = new Color("#5d7391");

/** Lower ground is a little bluer and darker: heights can be told apart from straight above. */
function shade(kind: number, z: number, isMover: boolean, into: Color): void {
  if (isMover) {
    into.copy(MOVER);
    return;
  }
  into.copy(kind === CLASS.floor ? FLOOR : kind === CLASS.ceiling ? CEILING : WALL);
  into.lerp(LOW, Math.max(0, Math.min(0.55, (160 - z) / 800)));
}

function film(tint: string, opacity: number, clippingPlanes: Plane[]): MeshLambertMaterial {
  return new MeshLambertMaterial({
    color: tint,
    transparent: true,
    opacity,
    side: DoubleSide,
    depthWrite: false,
    clippingPlanes,
  });
}

function edgesOf(geometry: BufferGeometry, clippingPlanes: Plane[]): LineSegments {
  const material = new LineBasicMaterial({ color: "#0b0f14", transparent: true, opacity: 0.42, clippingPlanes });
  return new LineSegments(new EdgesGeometry(geometry, 25), material);
}

/** Heights with much ground at them, lowest first: from the areas of floor-like triangles, in bins. */
function findFloors(world: Submodel): number[] {
  const bins = new Map<number, number>();
  let all = 0;
  const [a, b, c] = [new Vector3(), new Vector3(), new Vector3()];
  for (let t = 0; t < world.classes.length; t++) {
    if (world.classes[t] !== CLASS.floor) continue;
    a.fromArray(world.positions, world.indices[t * 3]! * 3);
    b.fromArray(world.positions, world.indices[t * 3 + 1]! * 3);
    c.fromArray(world.positions, world.indices[t * 3 + 2]! * 3);
    const z = (a.z + b.z + c.z) / 3;
    const size = b.sub(a).cross(c.sub(a)).length() / 2;
    all += size;
    const bin = Math.round(z / FLOOR_BIN);
    bins.set(bin, (bins.get(bin) ?? 0) + size);
  }
  const found: number[] = [];
  for (const [bin, size] of [...bins].sort((one, other) => other[1] - one[1])) {
    const z = bin * FLOOR_BIN;
    if (size < all * FLOOR_SHARE || found.length >= 8) break;
    if (found.every((floor) => Math.abs(floor - z) >= FLOOR_GAP)) found.push(z);
  }
  return found.sort((one, other) => one - other);
}
