// A moment as an address: frame, bot, camera, layers and cut, in the part after `#`. The token is never in it.
import { effect } from "@preact/signals";
import { headFrame, isFollowing, isPlaying, visit } from "./playback.ts";
import { camera, cut, cutFollows, layersOn, say, selected, show, tab, target, waypoint, type CameraMode } from "./state.ts";
import type { Stage } from "./stage/stage.ts";
import type { Place } from "./wire/protocol.ts";

const CAMERAS: readonly string[] = ["orbit", "follow", "first"];
let stage: Stage | null = null;
/** What the address asked for, to be done when the show is there. */
const asked = new URLSearchParams(location.hash.slice(1));

/** What needs no film: done at once. */
export function readAddress(): void {
  const number = (name: string): number | null => {
    const text = asked.get(name);
    return text === null || text === "" || !Number.isFinite(Number(text)) ? null : Number(text);
  };
  selected.value = number("bot");
  waypoint.value = number("waypoint");
  target.value = number("target");
  cut.value = number("cut");
  cutFollows.value = asked.get("cut") === "auto";
  const mode = asked.get("camera");
  if (mode !== null && CAMERAS.includes(mode)) camera.value = mode as CameraMode;
  const layers = asked.get("layers");
  if (layers !== null && layers !== "") layersOn.value = new Set(layers.split(","));
  tab.value = asked.get("tab") ?? tab.peek();
}

/** The view, once there is a map; later shows keep theirs. */
export function applyView(): void {
  const view = places(asked.get("view"));
  if (view !== null) stage?.cameras.set(view[0], view[1]);
  asked.delete("view");
}

/** The frame, once the film reaches it. */
export function applyFrame(length: number): void {
  const frame = Number(asked.get("frame") ?? NaN);
  if (!Number.isFinite(frame) || frame >= length) return;
  visit(frame);
  // The map may come later than the film, and the view with it.
  asked.delete("frame");
}

/** Keeps the address in step, so that reloading the page or copying it comes back here. */
export function keepAddress(of: Stage): void {
  stage = of;
  let timer = 0;
  effect(() => {
    void [selected.value, waypoint.value, target.value, camera.value, layersOn.value, cut.value, cutFollows.value, tab.value];
    void [isFollowing.value, isPlaying.value || headFrame.value];
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (show.peek() === null || asked.has("frame") || asked.has("view")) return;
      history.replaceState(null, "", `#${describe(!isFollowing.peek())}`);
    }, 400);
  });
}

export async function shareMoment(): Promise<void> {
  const address = new URL(location.href);
  address.searchParams.delete("token");
  address.hash = describe(true);
  history.replaceState(null, "", address.hash);
  try {
    await navigator.clipboard.writeText(address.href);
    say("The address of this moment is copied.", "good");
  } catch {
    say("This moment is now in the address bar.");
  }
}

function describe(withFrame: boolean): string {
  const parts = new URLSearchParams();
  if (withFrame) parts.set("frame", String(headFrame.peek()));
  if (selected.peek() !== null) parts.set("bot", String(selected.peek()));
  if (camera.peek() !== "orbit") parts.set("camera", camera.peek());
  if (withFrame && stage !== null) parts.set("view", viewOf(stage));
  if (layersOn.peek().size > 0) parts.set("layers", [...layersOn.peek()].join(","));
  if (cutFollows.peek()) parts.set("cut", "auto");
  else if (cut.peek() !== null) parts.set("cut", String(cut.peek()));
  if (waypoint.peek() !== null) parts.set("waypoint", String(waypoint.peek()));
  if (target.peek() !== null) parts.set("target", String(target.peek()));
  if (tab.peek() !== "players") parts.set("tab", tab.peek());
  return parts.toString().replaceAll("%2C", ",");
}

function viewOf(of: Stage): string {
  const { camera: lens, controls } = of.cameras;
  return [...lens.position.toArray(), ...controls.target.toArray()].map((each) => Math.round(each)).join(",");
}

function places(text: string | null): [Place, Place] | null {
  const numbers = (text ?? "").split(",").map(Number);
  if (numbers.length !== 6 || numbers.some((each) => !Number.isFinite(each))) return null;
  return [numbers.slice(0, 3) as Place, numbers.slice(3) as Place];
}
