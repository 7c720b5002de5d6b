// One plane for everything that is cut open with the map: it keeps what lies below it.
import { Plane, Vector3 } from "three";

const UNCUT = 1e6;

export const cutPlane = new Plane(new Vector3(0, 0, -1), UNCUT);
export const cutPlanes = [cutPlane];

export function setCut(height: number | null): void {
  cutPlane.constant = height ?? UNCUT;
}
