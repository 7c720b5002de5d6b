// Small things drawn many times: waypoints, portals, hiding spots, lines between places.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  OctahedronGeometry,
  SphereGeometry,
  type Object3D,
} from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { cutPlanes } from "../stage/cutplane.ts";
import type { Place } from "../wire/protocol.ts";

export type Segment = { from: Place; to: Place; colour: string; fades?: boolean };

/** Lines that start bright and end dim, so that their direction shows. */
export function segments(all: readonly Segment[], opacity = 0.9, isOnTop = false): LineSegments {
  const positions = new Float32Array(all.length * 6);
  const colours = new Float32Array(all.length * 6);
  const tint = new Color();
  all.forEach((segment, i) => {
    positions.set(segment.from, i * 6);
    positions.set(segment.to, i * 6 + 3);
    tint.set(segment.colour).toArray(colours, i * 6);
    if (segment.fades !== false) tint.multiplyScalar(0.35);
    tint.toArray(colours, i * 6 + 3);
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  const material = new LineBasicMaterial({
    vertexColors: true,
    transparent: true,
    opacity,
    depthWrite: false,
    depthTest: !isOnTop,
    clippingPlanes: cutPlanes,
  });
  const lines = new LineSegments(geometry, material);
  lines.renderOrder = 4;
  return lines;
}

export function gems(places: readonly { place: Place; colour: string; size: number }[], isOnTop = false): InstancedMesh {
  const material = new MeshBasicMaterial({ clippingPlanes: cutPlanes, depthTest: !isOnTop });
  const mesh = new InstancedMesh(new OctahedronGeometry(1), material, Math.max(1, places.length));
  const matrix = new Matrix4();
  const tint = new Color();
  places.forEach(({ place, colour, size }, i) => {
    matrix.makeScale(size, size, size).setPosition(...place);
    mesh.setMatrixAt(i, matrix);
    mesh.setColorAt(i, tint.set(colour));
  });
  mesh.count = places.length;
  mesh.frustumCulled = false;
  mesh.renderOrder = isOnTop ? 9 : 3;
  return mesh;
}

/** A line some pixels wide, through walls if need be. */
export function ribbon(points: readonly Place[], colour: string, width: number, opacity = 1): Object3D {
  const flat = points.flat();
  const material = new LineMaterial({
    color: colour,
    linewidth: width,
    transparent: true,
    opacity,
    depthTest: false,
  });
  const line = new Line2(new LineGeometry().setPositions(flat), material);
  line.renderOrder = 8;
  line.frustumCulled = false;
  return line;
}

export function shell(place: Place, radius: number, colour: string, opacity: number): Mesh {
  const material = new MeshBasicMaterial({ color: colour, transparent: true, opacity, depthWrite: false });
  const mesh = new Mesh(new SphereGeometry(radius, 24, 16), material);
  mesh.position.set(...place);
  mesh.renderOrder = 6;
  return mesh;
}

export function lifted(place: Place, by: number): Place {
  return [place[0], place[1], place[2] + by];
}

/** Frees what a drawn thing holds on the graphics card. */
export function dispose(object: Object3D): void {
  object.traverse((each) => {
    if (each instanceof Mesh || each instanceof LineSegments || each instanceof Line2) {
      each.geometry.dispose();
      const materials = Array.isArray(each.material) ? each.material : [each.material];
      for (const material of materials) material.dispose();
    }
    if (each instanceof InstancedMesh) each.dispose();
  });
}
