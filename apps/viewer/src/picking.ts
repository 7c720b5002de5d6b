// What a click on the stage means: a figure, a waypoint, or whatever a panel has asked for.
import { effect, signal } from "@preact/signals";
import { Group } from "three";
import { gems, lifted, dispose } from "./layers/marks.ts";
import type { Stage } from "./stage/stage.ts";
import { camera, layersOn, say, selected, show, tab, target, terrain, waypoint } from "./state.ts";
import type { Place } from "./wire/protocol.ts";

/** A panel waits for a spot of the map: "waypoint", "target", or an edit of its own. */
export const pickMode = signal<"waypoint" | "target" | "edit" | null>(null);
/** Called with what was clicked while `pickMode` is "edit". */
export const editPick: { take: (place: Place, nearest: number | null) => void; drag: (place: Place | null) => void } = {
  take: () => {},
  drag: () => {},
};

/** More than this many pixels is a drag, not a click. */
const CLICK_SLACK = 5;
/** A click farther than this from every waypoint means none. */
const WAYPOINT_REACH = 160;

export function listen(stage: Stage): void {
  const { canvas } = stage;
  let down: { x: number; y: number } | null = null;
  canvas.addEventListener("pointerdown", (event) => (down = { x: event.offsetX, y: event.offsetY }));
  canvas.addEventListener("pointerup", (event) => {
    if (down === null || event.button !== 0) return;
    const moved = Math.hypot(event.offsetX - down.x, event.offsetY - down.y);
    down = null;
    if (moved <= CLICK_SLACK) click(stage, event.offsetX, event.offsetY, event.shiftKey);
  });
  canvas.addEventListener("dblclick", (event) => {
    const figure = stage.figureAt(event.offsetX, event.offsetY);
    if (figure === null) return;
    selected.value = figure.id;
    camera.value = "follow";
  });
  markChosen(stage);
}

function click(stage: Stage, x: number, y: number, isShifted: boolean): void {
  const mode = pickMode.peek();
  if (mode === null && !isShifted) {
    const figure = stage.figureAt(x, y);
    if (figure !== null) {
      selected.value = figure.id;
      return;
    }
  }
  const place = stage.placeAt(x, y);
  if (place === null) return;
  const near = nearestWaypoint(place);
  if (mode === "edit") {
    editPick.take(place, near);
    return;
  }
  if (near === null) {
    if (mode !== null) say("No waypoint is near that spot.");
    return;
  }
  if (mode === "target" || isShifted) target.value = near;
  else if (mode === "waypoint" || wantsWaypoints()) waypoint.value = near;
  if (mode !== null) pickMode.value = null;
}

/** A plain click chooses a waypoint only where something would show it. */
function wantsWaypoints(): boolean {
  return tab.peek() === "layers" || tab.peek() === "edit" || layersOn.peek().size > 0;
}

export function nearestWaypoint(place: Place): number | null {
  const origins = terrain.peek()?.waypoints.origin ?? [];
  const feet = show.peek()?.bodies.feet ?? 24;
  let best: number | null = null;
  let nearest = WAYPOINT_REACH;
  origins.forEach((origin, i) => {
    // Height counts double: what is on another floor is not meant.
    const away = Math.hypot(origin[0] - place[0], origin[1] - place[1], 2 * (origin[2] - feet - place[2]));
    if (away < nearest) {
      nearest = away;
      best = i;
    }
  });
  return best;
}

/** The chosen waypoint and target stand out whatever else is drawn. */
function markChosen(stage: Stage): void {
  let drawn: Group | null = null;
  effect(() => {
    const of = terrain.value;
    const marks = [
      { id: waypoint.value, colour: "#ffffff" },
      { id: target.value, colour: "#ff9a3d" },
    ];
    if (drawn !== null) {
      stage.layers.remove(drawn);
      dispose(drawn);
      drawn = null;
    }
    const spots = marks.flatMap(({ id, colour }) => {
      const origin = id === null ? undefined : of?.waypoints.origin[id];
      return origin === undefined ? [] : [{ place: lifted(origin, 4), colour, size: 11 }];
    });
    if (spots.length > 0) {
      drawn = new Group().add(gems(spots, true));
      stage.layers.add(drawn);
    }
    stage.invalidate();
  });
}
