// The timeline: transport buttons, and the whole match as a strip with its kills, throws, rounds and changes.
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import {
  goLive,
  headFrame,
  isFollowing,
  isGrowing,
  isMoving,
  mayControl,
  nudgeSpeed,
  seek,
  setSpeed,
  shownSpeed,
  SPEEDS,
  step,
  togglePlay,
} from "../playback.ts";
import { headTime } from "../roster.ts";
import { filmHeld, filmLength, isOver, marks, players, show } from "../state.ts";
import { teamColour } from "../stage/colours.ts";
import type { Mark } from "../wire/protocol.ts";
import { clock } from "./parts.tsx";

const MARK_COLOURS: Record<Mark["kind"], string> = {
  kill: "#e6edf3",
  throw: "#ffcf6b",
  explosion: "#ff9a3d",
  round: "#e6edf3",
  objective: "#8fd694",
  changed: "#c4a5f5",
  stuck: "#ff6b6b",
};

export function Timeline(): JSX.Element {
  return (
    <footer class="timeline" aria-label="Timeline">
      <Transport />
      <Strip />
    </footer>
  );
}

function Transport(): JSX.Element {
  const isLive = isFollowing.value;
  const moves = isMoving();
  const steers = isLive && mayControl();
  return (
    <div class="transport">
      <button type="button" class="icon" onClick={() => step(-1)} title="One frame back (,)" aria-label="One frame back">
        <Glyph path="M15 5l-8 7 8 7zM5 5h2v14H5z" />
      </button>
      <button
        type="button"
        class="icon main"
        onClick={togglePlay}
        title={`${moves ? "Pause" : "Play"} ${steers ? "the match" : "the film"} (space)`}
        aria-label={moves ? "Pause" : "Play"}
      >
        <Glyph path={moves ? "M7 5h4v14H7zM13 5h4v14h-4z" : "M8 5l11 7-11 7z"} />
      </button>
      <button type="button" class="icon" onClick={() => step(1)} title="One frame on (.)" aria-label="One frame on">
        <Glyph path="M9 5l8 7-8 7zM17 5h2v14h-2z" />
      </button>
      <label class="speed" title="Speed (- and +)">
        <span class="visually-hidden">Speed</span>
        <select value={String(nearestSpeed(shownSpeed()))} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
          {SPEEDS.map((each) => (
            <option key={each} value={String(each)}>
              {each}×
            </option>
          ))}
        </select>
      </label>
      <output class="clock" aria-label="Match time">
        {clock(headTime.value)}
      </output>
      {isGrowing() && (
        <button
          type="button"
          class={`live${isLive ? " is-on" : ""}`}
          onClick={goLive}
          aria-pressed={isLive}
          title={isLive ? "You see the newest frame" : "Go to the newest frame (L)"}
        >
          {isOver.value === null ? "Live" : "End"}
        </button>
      )}
    </div>
  );
}

function nearestSpeed(value: number): number {
  return SPEEDS.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best));
}

function Glyph(props: { path: string }): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={props.path} fill="currentColor" />
    </svg>
  );
}

function Strip(): JSX.Element {
  const strip = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const hint = useRef<HTMLDivElement>(null);
  useEffect(() => paintWhenChanged(strip.current!, canvas.current!), []);
  const frameAt = (event: PointerEvent): number => {
    const box = strip.current!.getBoundingClientRect();
    return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * (filmLength.value - 1);
  };
  const onMove = (event: PointerEvent): void => {
    if (event.buttons === 1 && strip.current!.hasPointerCapture(event.pointerId)) seek(frameAt(event));
    showHint(hint.current!, strip.current!, event, frameAt(event));
  };
  return (
    <div
      class="strip"
      ref={strip}
      role="slider"
      tabIndex={0}
      aria-label="Moment of the match"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, filmLength.value - 1)}
      aria-valuenow={headFrame.value}
      aria-valuetext={clock(headTime.value)}
      onPointerDown={(event) => {
        strip.current!.setPointerCapture(event.pointerId);
        seek(frameAt(event));
      }}
      onPointerMove={onMove}
      onPointerLeave={() => (hint.current!.hidden = true)}
      onKeyDown={onKey}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <div class="strip-hint" ref={hint} hidden />
    </div>
  );
}

function onKey(event: KeyboardEvent): void {
  const second = Math.round(1000 / (show.value?.frame_ms ?? 50));
  const jump = { ArrowLeft: -second, ArrowRight: second, PageUp: -second * 10, PageDown: second * 10 }[event.key];
  if (jump !== undefined) seek(headFrame.value + jump);
  else if (event.key === "Home") seek(0);
  else if (event.key === "End") (isGrowing() ? goLive : () => seek(filmLength.value - 1))();
  else if (event.key === "-") nudgeSpeed(-1);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function showHint(hint: HTMLElement, strip: HTMLElement, event: PointerEvent, frame: number): void {
  const box = strip.getBoundingClientRect();
  const reach = (filmLength.value / box.width) * 5;
  const near = marks.value.filter((mark) => Math.abs(mark.frame - frame) <= reach && mark.kind !== "explosion");
  const time = (frame * (show.value?.frame_ms ?? 50)) | 0;
  hint.hidden = false;
  const texts = near.slice(0, 4).map((mark) => mark.text);
  hint.textContent = [clock(near[0]?.time ?? time), ...texts, near.length > 4 ? `and ${near.length - 4} more` : ""]
    .filter((text) => text !== "")
    .join("  ·  ");
  const x = event.clientX - box.left;
  hint.style.left = `${Math.max(4, Math.min(box.width - hint.offsetWidth - 4, x - hint.offsetWidth / 2))}px`;
}

/** The strip is a picture: a few hundred marks as elements would cost more than all else on the page. */
function paintWhenChanged(strip: HTMLElement, canvas: HTMLCanvasElement): () => void {
  let isAsked = false;
  const ask = (): void => {
    if (isAsked) return;
    isAsked = true;
    // A few times a second is enough for a strip that grows by a pixel a second.
    setTimeout(() => {
      isAsked = false;
      paint(strip, canvas);
    }, 60);
  };
  const observer = new ResizeObserver(ask);
  observer.observe(strip);
  const stop = effect(() => {
    void [headFrame.value, filmLength.value, filmHeld.value, marks.value, players.value];
    ask();
  });
  return () => {
    stop();
    observer.disconnect();
  };
}

function paint(strip: HTMLElement, canvas: HTMLCanvasElement): void {
  const [width, height, ratio] = [strip.clientWidth, strip.clientHeight, Math.min(2, devicePixelRatio)];
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d")!;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const length = Math.max(1, filmLength.value - 1);
  const x = (frame: number): number => (frame / length) * width;
  pen.fillStyle = "#1a212b";
  pen.fillRect(0, height / 2 - 3, width, 6);
  pen.fillStyle = "#3b4a5e";
  pen.fillRect(0, height / 2 - 3, x(headFrame.value), 6);
  paintSeconds(pen, width, height, length);
  for (const mark of marks.value) paintMark(pen, mark, x(mark.frame), height);
  pen.fillStyle = "#ffffff";
  pen.beginPath();
  pen.roundRect(x(headFrame.value) - 2, 3, 4, height - 6, 2);
  pen.fill();
}

function paintSeconds(pen: CanvasRenderingContext2D, width: number, height: number, length: number): void {
  const seconds = (length * (show.value?.frame_ms ?? 50)) / 1000;
  const every = [5, 10, 30, 60, 120, 300, 600, 1800].find((each) => (each / seconds) * width > 70) ?? 3600;
  pen.font = "10px system-ui, sans-serif";
  for (let at = every; at < seconds; at += every) {
    const x = (at / seconds) * width;
    pen.fillStyle = "#2d3846";
    pen.fillRect(x, height / 2 - 3, 1, 6);
    pen.fillStyle = "#77859a";
    pen.fillText(clock(at * 1000).replace(/\.\d$/, ""), x + 3, height - 3);
  }
}

function paintMark(pen: CanvasRenderingContext2D, mark: Mark, x: number, height: number): void {
  const team = mark.who === null ? undefined : players.value.get(mark.who)?.team;
  pen.fillStyle = mark.kind === "kill" && team !== undefined ? teamColour(team) : MARK_COLOURS[mark.kind];
  const middle = height / 2;
  switch (mark.kind) {
    case "kill":
      pen.fillRect(x - 1, middle - 11, 2, 9);
      break;
    case "round":
      pen.fillRect(x, 2, 1, height - 4);
      pen.fillRect(x, 2, 6, 4);
      break;
    case "throw":
      pen.beginPath();
      pen.arc(x, middle + 7, 2, 0, 7);
      pen.fill();
      break;
    case "explosion":
      break;
    case "objective":
    case "changed":
    case "stuck":
      pen.save();
      pen.translate(x, middle);
      pen.rotate(Math.PI / 4);
      pen.fillRect(-3, -3, 6, 6);
      pen.restore();
      break;
  }
}
