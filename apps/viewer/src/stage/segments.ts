// Many line segments in one buffer, each with its own colour, filled anew whenever what they show has changed.
import {
  AdditiveBlending,
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  LineBasicMaterial,
  LineSegments,
  NormalBlending,
  type Color,
} from "three";

/** Glowing segments add up where they cross; plain ones cover what is behind them. */
export class Segments {
  readonly object: LineSegments;
  private readonly positions: Float32Array;
  private readonly colours: Float32Array;
  private count = 0;

  constructor(
    private readonly most: number,
    glows = true,
  ) {
    this.positions = new Float32Array(most * 6);
    this.colours = new Float32Array(most * 6);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute("color", new BufferAttribute(this.colours, 3).setUsage(DynamicDrawUsage));
    const material = new LineBasicMaterial({
      vertexColors: true,
      transparent: true,
      depthWrite: false,
      blending: glows ? AdditiveBlending : NormalBlending,
    });
    this.object = new LineSegments(geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 6;
  }

  begin(): void {
    this.count = 0;
  }

  /** `tail` is how bright the second end is beside the first. */
  add(x: number, y: number, z: number, ex: number, ey: number, ez: number, tint: Color, tail: number): void {
    if (this.count >= this.most) return;
    const at = this.count++ * 6;
    const { positions: p, colours: c } = this;
    p[at] = x;
    p[at + 1] = y;
    p[at + 2] = z;
    p[at + 3] = ex;
    p[at + 4] = ey;
    p[at + 5] = ez;
    c[at] = tint.r * tail;
    c[at + 1] = tint.g * tail;
    c[at + 2] = tint.b * tail;
    c[at + 3] = tint.r;
    c[at + 4] = tint.g;
    c[at + 5] = tint.b;
  }

  /** A line in pieces `length` long, with gaps as long. */
  addDashed(from: ArrayLike<number>, to: ArrayLike<number>, tint: Color, length: number): void {
    const [dx, dy, dz] = [to[0]! - from[0]!, to[1]! - from[1]!, to[2]! - from[2]!];
    const all = Math.hypot(dx, dy, dz);
    const pieces = Math.max(1, Math.min(64, Math.round(all / (length * 2))));
    for (let i = 0; i < pieces; i++) {
      const a = i / pieces;
      const b = (i + 0.55) / pieces;
      this.add(
        from[0]! + dx * a,
        from[1]! + dy * a,
        from[2]! + dz * a,
        from[0]! + dx * b,
        from[1]! + dy * b,
        from[2]! + dz * b,
        tint,
        1,
      );
    }
  }

  /** A level ring. */
  addRing(x: number, y: number, z: number, radius: number, tint: Color, sides = 32): void {
    for (let i = 0; i < sides; i++) {
      const a = (i / sides) * 2 * Math.PI;
      const b = ((i + 1) / sides) * 2 * Math.PI;
      const [ax, ay] = [x + Math.cos(a) * radius, y + Math.sin(a) * radius];
      this.add(ax, ay, z, x + Math.cos(b) * radius, y + Math.sin(b) * radius, z, tint, 1);
    }
  }

  end(): void {
    const geometry = this.object.geometry;
    geometry.setDrawRange(0, this.count * 2);
    this.object.visible = this.count > 0;
    for (const name of ["position", "color"]) {
      const attribute = geometry.getAttribute(name) as BufferAttribute;
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, this.count * 6);
      attribute.needsUpdate = true;
    }
  }
}
