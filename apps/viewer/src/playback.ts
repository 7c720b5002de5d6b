// Where in the film we are, and how it moves on.
//
// Two clocks meet here. The film is played by the page: pause, step, speed and scrubbing cost the server nothing. While the
// newest frame is followed, the same buttons steer the match itself, if we may: what one watches then stands still for all.
import { signal } from "@preact/signals";
import { connection, explain, film, filmLength, say, show, simulation } from "./state.ts";
import { hasToken, post } from "./wire/api.ts";

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32] as const;
/** Frames we stay behind the newest, so that there is always one to move towards. */
const BEHIND = 2;
/** Farther off than this the head jumps instead of catching up. */
const JUMP = 40;
const CATCH_UP_PER_SECOND = 3;

export const isPlaying = signal(true);
export const isFollowing = signal(true);
export const speed = signal(1);
/** The head in whole frames, for panels; the stage reads `head()`. */
export const headFrame = signal(0);

let position = 0;

/** Frames since the beginning of the film, between two of them as well. */
export function head(): number {
  return position;
}

export function mayControl(): boolean {
  return show.peek()?.can.control === true && hasToken() && show.peek()?.kind !== "recording";
}

/** Moves on by `seconds` of the user's time. */
export function advance(seconds: number): void {
  const last = Math.max(0, film.own.length - 1);
  const frames = (seconds * 1000) / (show.peek()?.frame_ms ?? 50);
  if (isFollowing.peek()) {
    follow(seconds, frames, last);
  } else if (isPlaying.peek()) {
    position += frames * speed.peek();
    if (position >= last) reachEnd(last);
  }
  position = Math.max(0, Math.min(position, last));
  const whole = Math.floor(position + 1e-6);
  if (headFrame.peek() !== whole) headFrame.value = whole;
}

function follow(seconds: number, frames: number, last: number): void {
  const { paused, speed: rate } = simulation.peek();
  if (paused || connection.peek() !== "open") {
    position += (last - position) * Math.min(1, seconds * 12);
    if (last - position < 0.01) position = last;
    return;
  }
  const aim = Math.max(0, last - BEHIND * Math.max(1, rate));
  if (Math.abs(aim - position) > JUMP * Math.max(1, rate)) position = aim;
  else position += frames * rate + (aim - position) * Math.min(1, seconds * CATCH_UP_PER_SECOND);
}

function reachEnd(last: number): void {
  position = last;
  if (isGrowing()) isFollowing.value = true;
  else isPlaying.value = false;
}

export function isGrowing(): boolean {
  return show.peek()?.kind !== "recording";
}

export function seek(frame: number): void {
  isFollowing.value = false;
  position = Math.max(0, Math.min(frame, filmLength.peek() - 1));
  headFrame.value = Math.floor(position);
}

export function goLive(): void {
  if (!isGrowing()) return;
  isFollowing.value = true;
  isPlaying.value = true;
}

/** Looks at one moment and holds still there. */
export function visit(frame: number): void {
  seek(frame);
  isPlaying.value = false;
}

export function togglePlay(): void {
  if (isFollowing.peek() && mayControl()) {
    void control({ pause: !simulation.peek().paused });
    return;
  }
  if (isFollowing.peek()) {
    seek(position);
    isPlaying.value = false;
    return;
  }
  if (!isPlaying.peek() && position >= film.own.length - 1) position = 0;
  isPlaying.value = !isPlaying.peek();
}

export function step(frames: number): void {
  if (isFollowing.peek() && mayControl() && frames > 0) {
    if (!simulation.peek().paused) void control({ pause: true });
    else void control({ step: frames });
    return;
  }
  visit(Math.round(position) + frames);
}

export function setSpeed(wanted: number): void {
  if (isFollowing.peek() && mayControl()) void control({ speed: wanted });
  else speed.value = wanted;
}

export function nudgeSpeed(by: 1 | -1): void {
  const now = isFollowing.peek() && mayControl() ? simulation.peek().speed : speed.peek();
  const at = SPEEDS.findIndex((candidate) => candidate >= now - 1e-6);
  setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, (at < 0 ? SPEEDS.length - 1 : at) + by))]!);
}

export function shownSpeed(): number {
  return isFollowing.value && mayControl() ? simulation.value.speed : speed.value;
}

export function isMoving(): boolean {
  return isFollowing.value ? !simulation.value.paused : isPlaying.value;
}

async function control(wanted: { pause?: boolean; speed?: number; step?: number }): Promise<void> {
  try {
    simulation.value = await post("control", wanted);
  } catch (error) {
    say(`The match could not be steered: ${explain(error)}`, "bad");
  }
}

/** As at the beginning: for a show that took the place of another. */
export function rewind(): void {
  position = 0;
  headFrame.value = 0;
  isFollowing.value = isGrowing();
  isPlaying.value = true;
}
