// Geometry that several drawers share: the figure of a soldier, marks for teams, fans of sight.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CircleGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  IcosahedronGeometry,
  RingGeometry,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { TeamShape } from "./colours.ts";

/** Painted parts are multiplied by the team's colour: white takes it whole, dark parts stay dark. */
function painted(geometry: BufferGeometry, paint: string): BufferGeometry {
  const plain = geometry.index === null ? geometry : geometry.toNonIndexed();
  const tint = new Color(paint);
  const count = plain.getAttribute("position").count;
  const colours = new Float32Array(count * 3);
  for (let i = 0; i < count; i++) tint.toArray(colours, i * 3);
  plain.setAttribute("color", new BufferAttribute(colours, 3));
  plain.deleteAttribute("uv");
  return plain;
}

function box(x: number, y: number, z: number, at: [number, number, number], paint: string): BufferGeometry {
  return painted(new BoxGeometry(x, y, z).translate(...at), paint);
}

/**
 * A soldier 56 units tall, feet at 0, looking along x. The head tells the team as well: round for the first, angular for the
 * second, pointed for the third.
 */
export function soldier(shape: TeamShape): BufferGeometry {
  const parts = [
    box(7, 8, 24, [0, -6, 12], "#8f98a3"),
    box(7, 8, 24, [0, 6, 12], "#8f98a3"),
    painted(new CylinderGeometry(12, 9.5, 20, 8).rotateX(Math.PI / 2).translate(0, 0, 33), "#ffffff"),
    box(9, 17, 12, [-9, 0, 34], "#7a838e"),
    box(20, 5, 5, [8, -11, 36], "#d5dbe2"),
    box(20, 5, 5, [8, 11, 36], "#d5dbe2"),
    box(30, 3.5, 5, [20, -7, 37], "#262c33"),
    head(shape),
    box(3, 9, 4, [7.2, 0, 50], "#1a1f26"),
  ];
  const merged = mergeGeometries(parts, false);
  merged.computeVertexNormals();
  return merged;
}

function head(shape: TeamShape): BufferGeometry {
  switch (shape) {
    case "disc":
      return painted(new IcosahedronGeometry(8.5, 1).translate(0, 0, 50), "#ffffff");
    case "diamond":
      return painted(new BoxGeometry(14, 14, 13).translate(0, 0, 50), "#ffffff");
    case "triangle":
      return painted(new ConeGeometry(10, 18, 6).rotateX(Math.PI / 2).translate(0, 0, 51), "#ffffff");
    case "square":
      return painted(new CylinderGeometry(8, 8, 14, 6).rotateX(Math.PI / 2).translate(0, 0, 50), "#ffffff");
  }
}

/** What lies under a figure's feet: an outline in its team's shape. */
export function footMark(shape: TeamShape): BufferGeometry {
  switch (shape) {
    case "disc":
      return new RingGeometry(19, 24, 28);
    case "diamond":
      return new RingGeometry(22, 29, 4);
    case "triangle":
      return new RingGeometry(21, 29, 3);
    case "square":
      return new RingGeometry(22, 29, 4).rotateZ(Math.PI / 4);
  }
}

/** A flat fan along x, `degrees` wide, with its alpha falling to nothing at the rim. */
export function fan(radius: number, degrees: number): BufferGeometry {
  const half = (degrees * Math.PI) / 360;
  const geometry = new CircleGeometry(radius, 14, -half, half * 2);
  const count = geometry.getAttribute("position").count;
  const colours = new Float32Array(count * 4).fill(1);
  for (let i = 0; i < count; i++) colours[i * 4 + 3] = i === 0 ? 1 : 0;
  geometry.setAttribute("color", new BufferAttribute(colours, 4));
  return geometry;
}
