// What the page knows and what the user has chosen: signals, so that panels draw themselves anew when something they read
// has changed. Nothing here talks to the server or to the graphics card.
import { computed, signal } from "@preact/signals";
import type { Line, Mark, Mind, Place, Player, Show, Terrain } from "./wire/protocol.ts";
import { Film } from "./wire/film.ts";

export type Connection = "connecting" | "open" | "lost";
export type CameraMode = "orbit" | "follow" | "first";
export type Notice = { id: number; kind: "good" | "bad" | "plain"; text: string };

export const show = signal<Show | null>(null);
export const connection = signal<Connection>("connecting");
export const terrain = signal<Terrain | null>(null);
export const marks = signal<Mark[]>([]);
/** Sorted by time. */
export const journal = signal<Line[]>([]);
export const mind = signal<Mind | null>(null);
/** Why there is no mind to show, in words. */
export const mindRefusal = signal<string | null>(null);
/** The simulation itself, as the server says. */
export const simulation = signal({ paused: false, speed: 1 });
export const isOver = signal<string | null>(null);

export const selected = signal<number | null>(null);
export const waypoint = signal<number | null>(null);
/** The second waypoint of a pair: a throw's target, a link's end. */
export const target = signal<number | null>(null);
export const hovered = signal<{ place: Place; waypoint: number | null } | null>(null);
export const camera = signal<CameraMode>("orbit");
export const layersOn = signal<ReadonlySet<string>>(new Set());
export const tab = signal<string>("players");
export const notices = signal<Notice[]>([]);
export const isHelpOpen = signal(false);
export const isSheetOpen = signal(true);
/** Height above which the map is cut away, or nothing. */
export const cut = signal<number | null>(null);
export const cutFollows = signal(false);
/** Heights of the floors found in the map, lowest first. */
export const floors = signal<number[]>([]);
export const bounds = signal<{ min: Place; max: Place }>({ min: [-512, -512, 0], max: [512, 512, 256] });

/** What is played: the show's own film, or a fork beside it. */
export const film = { own: new Film() };
export const filmLength = signal(0);
export const filmHeld = signal(0);

export const players = computed<ReadonlyMap<number, Player>>(
  () => new Map((show.value?.players ?? []).map((player) => [player.id, player])),
);

export function nameOf(id: number | null | undefined): string {
  if (id === null || id === undefined) return "nobody";
  return players.peek().get(id)?.name ?? `player ${id}`;
}

/** What a fork left to compare: ids of its two films, drawn side by side. */
export type Comparison = { asWas: Film; changed: Film; from: number; label: string };
export const comparison = signal<Comparison | null>(null);

let nextNotice = 1;

/** A line that goes away by itself. */
export function say(text: string, kind: Notice["kind"] = "plain"): void {
  const notice = { id: nextNotice++, kind, text };
  notices.value = [...notices.value.slice(-3), notice];
  setTimeout(() => dismiss(notice.id), kind === "bad" ? 8000 : 4000);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function toggleLayer(id: string, on?: boolean, instead: readonly string[] = []): void {
  const layers = new Set(layersOn.value);
  const shall = on ?? !layers.has(id);
  if (shall) {
    for (const other of instead) layers.delete(other);
    layers.add(id);
  } else {
    layers.delete(id);
  }
  layersOn.value = layers;
}

/** `why` in words a person can act on. */
export function explain(error: unknown): string {
  if (error instanceof TypeError) return "the server does not answer";
  return error instanceof Error ? error.message : String(error);
}
