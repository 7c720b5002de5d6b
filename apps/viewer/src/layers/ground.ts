// The ground as cells that can be painted: by what they are, by the waypoint that owns them, by anything known per place.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Mesh, MeshBasicMaterial } from "three";
import { cutPlanes } from "../stage/cutplane.ts";
import { getBytes } from "../wire/api.ts";

const MAGIC = "FTGRID1\0";
const SPAN_BYTES = 16;
export const NO_OWNER = 0xffff;
/** Above the floor, so that it is not drawn into it. */
const LIFT = 1.5;

export const CELL_LEDGE = 1;
export const CELL_LIQUID = 2;
export const CELL_HARM = 4;
export const CELL_CROUCH = 8;
export const CELL_LADDER = 16;

export type Cell = { x: number; y: number; z: number; owner: number; bits: number };
/** Colours a cell; `false` leaves it bare. */
export type Paint = (cell: Cell, into: Color) => boolean;

export class Ground {
  readonly cell: number;
  readonly count: number;
  private readonly view: DataView;

  constructor(bytes: ArrayBuffer) {
    const magic = new TextDecoder("latin1").decode(new Uint8Array(bytes, 0, 8));
    if (magic !== MAGIC) throw new Error("the ground is in a form this page does not know");
    this.view = new DataView(bytes);
    this.cell = this.view.getFloat32(8, true);
    this.count = this.view.getUint32(12, true);
  }

  static async fetch(): Promise<Ground> {
    return new Ground(await getBytes("terrain/grid"));
  }

  /** A mesh of the cells that were painted. `gap` is how much of a cell stays bare at its rim. */
  paint(paint: Paint, opacity = 0.62, gap = 0.08): Mesh {
    const positions: number[] = [];
    const colours: number[] = [];
    const indices: number[] = [];
    const cell: Cell = { x: 0, y: 0, z: 0, owner: NO_OWNER, bits: 0 };
    const tint = new Color();
    const half = (this.cell / 2) * (1 - gap);
    for (let i = 0; i < this.count; i++) {
      this.read(i, cell);
      if (!paint(cell, tint)) continue;
      const first = positions.length / 3;
      const z = cell.z + LIFT;
      positions.push(cell.x - half, cell.y - half, z, cell.x + half, cell.y - half, z);
      positions.push(cell.x + half, cell.y + half, z, cell.x - half, cell.y + half, z);
      for (let corner = 0; corner < 4; corner++) colours.push(tint.r, tint.g, tint.b);
      indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    geometry.setIndex(indices);
    const material = new MeshBasicMaterial({
      vertexColors: true,
      transparent: true,
      opacity,
      depthWrite: false,
      side: DoubleSide,
      clippingPlanes: cutPlanes,
    });
    const mesh = new Mesh(geometry, material);
    mesh.renderOrder = 2;
    return mesh;
  }

  private read(i: number, into: Cell): void {
    const at = 16 + i * SPAN_BYTES;
    into.x = this.view.getFloat32(at, true);
    into.y = this.view.getFloat32(at + 4, true);
    into.z = this.view.getFloat32(at + 8, true);
    into.owner = this.view.getUint16(at + 12, true);
    into.bits = this.view.getUint8(at + 14);
  }
}
