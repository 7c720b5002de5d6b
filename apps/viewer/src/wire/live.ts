// Staying in touch with the server: the socket, the film's missing pieces, and what happens when the server goes away.
import {
  connection,
  explain,
  film,
  filmHeld,
  filmLength,
  isOver,
  journal,
  marks,
  mind,
  say,
  selected,
  show,
  simulation,
  terrain,
} from "../state.ts";
import { head, isFollowing, rewind } from "../playback.ts";
import { get, getBytes, liveAddress, tryToken } from "./api.ts";
import { Film } from "./film.ts";
import type { Line, Mark, Show, Told } from "./protocol.ts";

/** Frames asked for at once: about half a megabyte. */
const PIECE = 800;
const RETRY_MS_MIN = 300;
const RETRY_MS_MAX = 4000;
const JOURNAL_LINES_MAX = 60_000;

let socket: WebSocket | null = null;
let retryMs = RETRY_MS_MIN;
let isFilling = false;
/** Called when the show is another one: the map, the terrain and the film have to come anew. */
let onShow: (show: Show) => void = () => {};
let onVariables: (changed: Record<string, number>) => void = () => {};
export const traffic = { bytes: 0, since: performance.now() };

export function connect(whenShown: (show: Show) => void, whenTuned: (changed: Record<string, number>) => void): void {
  onShow = whenShown;
  onVariables = whenTuned;
  open();
}

/** Tells the server whose mind we want to be told of. */
export function follow(bot: number | null): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ t: "select", bot }));
}

function open(): void {
  connection.value = connection.peek() === "lost" ? "lost" : "connecting";
  const opened = new WebSocket(liveAddress());
  opened.binaryType = "arraybuffer";
  socket = opened;
  opened.onmessage = (message: MessageEvent<ArrayBuffer | string>) => {
    if (typeof message.data === "string") {
      traffic.bytes += message.data.length;
      hear(JSON.parse(message.data) as Told);
    } else {
      traffic.bytes += message.data.byteLength;
      takeFilm(film.own, message.data);
    }
  };
  opened.onclose = () => {
    if (socket !== opened) return;
    connection.value = "lost";
    setTimeout(open, retryMs);
    retryMs = Math.min(RETRY_MS_MAX, retryMs * 1.6);
  };
}

function hear(told: Told): void {
  switch (told.t) {
    case "hello":
      greet(told.show, told.frames);
      break;
    case "marks":
      addMarks(told.marks);
      break;
    case "journal":
      addLines(told.lines);
      break;
    case "mind":
      if (isFollowing.peek() && told.mind.bot === selected.peek()) mind.value = told.mind;
      break;
    case "control":
      simulation.value = { paused: told.paused, speed: told.speed };
      break;
    case "convars":
      onVariables(told.variables ?? told["variables-changed"] ?? {});
      break;
    case "players":
      if (show.peek() !== null) show.value = { ...show.peek()!, players: told.players };
      break;
    case "over":
      isOver.value = told.reason;
      break;
    case "behind":
      film.own.expect(told.frame);
      void fill();
      break;
    default:
      // A newer server may tell more than we know of.
      break;
  }
}

function greet(shown: Show, frames: number): void {
  const before = show.peek();
  if (connection.peek() === "lost") void tryToken();
  retryMs = RETRY_MS_MIN;
  connection.value = "open";
  follow(selected.peek());
  if (before?.id !== shown.id) {
    begin(shown);
    if (before !== null) say("This is a new match.", "good");
  } else {
    show.value = shown;
    say("Connected again.", "good");
    void fetchPast();
  }
  film.own.expect(frames);
  filmLength.value = film.own.length;
  void fill();
}

/** Everything of an old show is dropped; the new one is asked for. */
function begin(shown: Show): void {
  film.own = new Film();
  filmLength.value = 0;
  filmHeld.value = 0;
  marks.value = [];
  journal.value = [];
  mind.value = null;
  terrain.value = null;
  isOver.value = null;
  show.value = shown;
  rewind();
  void fetchPast();
  onShow(shown);
}

async function fetchPast(): Promise<void> {
  try {
    const [past, said] = await Promise.all([
      get<{ marks: Mark[] }>("marks?from=0"),
      get<{ lines: Line[] }>("journal?from=0&to=2147483647"),
    ]);
    marks.value = past.marks;
    journal.value = said.lines;
  } catch (error) {
    say(`What happened before could not be read: ${explain(error)}`, "bad");
  }
}

function addMarks(more: Mark[]): void {
  const last = marks.peek().at(-1)?.frame ?? -1;
  marks.value = more.every((mark) => mark.frame >= last)
    ? [...marks.peek(), ...more]
    : [...marks.peek(), ...more].sort((a, b) => a.frame - b.frame);
}

function addLines(more: Line[]): void {
  if (more.length === 0) return;
  const kept = journal.peek();
  journal.value = [...(kept.length > JOURNAL_LINES_MAX ? kept.slice(kept.length / 2) : kept), ...more];
}

function takeFilm(into: Film, chunk: ArrayBuffer): void {
  into.take(chunk);
  if (into !== film.own) return;
  filmLength.value = into.length;
  filmHeld.value = into.held;
}

/** Asks for what is missing, nearest to where we look first, one piece at a time. */
export async function fill(): Promise<void> {
  if (isFilling) return;
  isFilling = true;
  const filled = film.own;
  try {
    for (;;) {
      const gap = filled.gap(Math.floor(isFollowing.peek() ? Math.max(0, filled.length - PIECE) : head()), PIECE);
      if (gap === null || filled !== film.own) break;
      const before = filled.held;
      const chunk = await getBytes(`film?from=${gap.first}&count=${gap.count}`);
      if (filled !== film.own) break;
      takeFilm(filled, chunk);
      // The server may hold less than it promised; asking again at once would never end.
      if (filled.held === before) break;
    }
  } catch {
    // The socket notices that the server is gone and comes back here when it answers again.
  } finally {
    isFilling = false;
    if (filled !== film.own) void fill();
  }
}

/** The whole of another film: a fork's. */
export async function fetchFilm(id: number): Promise<Film> {
  const fetched = new Film();
  const { frames } = await get<{ frames: number }>(`film/length?film=${id}`);
  fetched.expect(frames);
  for (let gap = fetched.gap(0, PIECE); gap !== null; gap = fetched.gap(0, PIECE)) {
    const before = fetched.held;
    fetched.take(await getBytes(`film?film=${id}&from=${gap.first}&count=${gap.count}`));
    if (fetched.held === before) break;
  }
  return fetched;
}
