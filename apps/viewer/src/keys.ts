// Keys of the whole page. What has the focus and takes text keeps its own.
import { GROUND_LAYERS } from "./layers/catalogue.ts";
import { cutOf, setCut } from "./panels/page.tsx";
import { redo, undo } from "./panels/edit.tsx";
import { pickMode } from "./picking.ts";
import { goLive, headFrame, nudgeSpeed, seek, step, togglePlay } from "./playback.ts";
import { shareMoment } from "./address.ts";
import { rosters } from "./roster.ts";
import type { Stage } from "./stage/stage.ts";
import { camera, cut, cutFollows, floors, isHelpOpen, selected, show, tab, toggleLayer } from "./state.ts";

export function listenToKeys(stage: Stage): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isTyping(event.target) || isHelpOpen.peek()) return;
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if (tab.peek() === "edit" && press(event, { z: undo, y: redo })) event.preventDefault();
      return;
    }
    if (/^[1-9]$/.test(event.key)) {
      selected.value = everyone()[Number(event.key) - 1] ?? selected.peek();
      event.preventDefault();
    } else if (press(event, actions(stage))) {
      event.preventDefault();
    }
  });
}

function press(event: KeyboardEvent, known: Record<string, () => void>): boolean {
  const action = known[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  action?.();
  return action !== undefined;
}

function actions(stage: Stage): Record<string, () => void> {
  const second = Math.round(1000 / (show.peek()?.frame_ms ?? 50));
  return {
    " ": togglePlay,
    ",": () => step(-1),
    ".": () => step(1),
    ArrowLeft: () => seek(headFrame.peek() - second),
    ArrowRight: () => seek(headFrame.peek() + second),
    "-": () => nudgeSpeed(-1),
    "+": () => nudgeSpeed(1),
    "=": () => nudgeSpeed(1),
    l: goLive,
    "[": () => cycle(-1),
    "]": () => cycle(1),
    Escape: escape,
    o: () => (camera.value = "orbit"),
    f: () => (camera.value = "follow"),
    v: () => (camera.value = "first"),
    "0": () => setCut(null),
    c: () => (cutFollows.value = !cutFollows.peek()),
    PageUp: () => changeFloor(1),
    PageDown: () => changeFloor(-1),
    g: () => toggleLayer("grid", undefined, GROUND_LAYERS),
    w: () => toggleLayer("links"),
    a: () => toggleLayer("areas", undefined, GROUND_LAYERS),
    t: () => toggleLayer("throws"),
    h: () => home(stage),
    s: () => void shareMoment(),
    "?": () => (isHelpOpen.value = true),
  };
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement || target.isContentEditable;
}

function everyone(): number[] {
  return rosters.peek().flatMap((team) => team.rows.map((row) => row.id));
}

function cycle(by: number): void {
  const all = everyone();
  if (all.length === 0) return;
  const at = selected.peek() === null ? (by > 0 ? -1 : 0) : all.indexOf(selected.peek()!);
  selected.value = all[(at + by + all.length) % all.length]!;
}

function escape(): void {
  if (pickMode.peek() !== null) pickMode.value = null;
  else selected.value = null;
}

function changeFloor(by: number): void {
  const all = floors.peek();
  if (all.length === 0) return;
  const now = cut.peek() === null ? all.length : all.findIndex((_, i) => cutOf(i) >= cut.peek()!);
  const next = (now < 0 ? all.length : now) + by;
  if (next >= all.length) setCut(null);
  else setCut(cutOf(Math.max(0, next)));
}

function home(stage: Stage): void {
  camera.value = "orbit";
  if (stage.map !== null) stage.cameras.frame(stage.map.min, stage.map.max);
}
