// A film: everything a spectator sees of a match, frame by frame, as the bytes that came over the wire.
//
// Frames are kept as they arrived and read in place, so that ten minutes of sixteen players are some megabytes and scrubbing
// costs nothing. Whoever draws asks for a `Moment`: two neighbouring frames and how far between them; it holds offsets into
// the bytes, not objects, and is used again for every drawn frame.

const HEADER_BYTES = 16;
const PLAYER_BYTES = 30;
const MISSILE_BYTES = 16;
const CLOUD_BYTES = 20;
const MOVER_BYTES = 28;
const ITEM_BYTES = 16;
const EVENT_BYTES = 28;
/** The whole list of items comes at least every so many frames. */
const ITEMS_EVERY = 40;

export const PLAYER_DEAD = 1;
export const PLAYER_CROUCHED = 2;
export const PLAYER_PRONE = 4;
export const PLAYER_FIRING = 8;
export const PLAYER_BEARER = 16;
export const PLAYER_BLINDED = 32;
export const PLAYER_RELOADING = 64;

export const EVENT_SHOT = 1;
export const EVENT_EXPLOSION = 2;
export const EVENT_HURT = 3;
export const EVENT_DEATH = 4;
export const EVENT_BOUNCE = 5;

/** One frame, read in place. `open` points it at other bytes. */
export class Frame {
  private view: DataView = new DataView(new ArrayBuffer(HEADER_BYTES));
  private start = 0;
  players = 0;
  missiles = 0;
  clouds = 0;
  movers = 0;
  items = 0;
  events = 0;
  private missilesAt = 0;
  private cloudsAt = 0;
  private moversAt = 0;
  private itemsAt = 0;
  private eventsAt = 0;

  open(view: DataView, start: number): void {
    this.view = view;
    this.start = start;
    this.players = view.getUint8(start + 9);
    this.missiles = view.getUint8(start + 10);
    this.clouds = view.getUint8(start + 11);
    this.movers = view.getUint8(start + 12);
    this.items = view.getUint8(start + 13);
    this.events = view.getUint8(start + 14);
    this.missilesAt = start + HEADER_BYTES + this.players * PLAYER_BYTES;
    this.cloudsAt = this.missilesAt + this.missiles * MISSILE_BYTES;
    this.moversAt = this.cloudsAt + this.clouds * CLOUD_BYTES;
    this.itemsAt = this.moversAt + this.movers * MOVER_BYTES;
    this.eventsAt = this.itemsAt + this.items * ITEM_BYTES;
  }

  get number(): number {
    return this.view.getUint32(this.start, true);
  }
  get time(): number {
    return this.view.getInt32(this.start + 4, true);
  }
  get phase(): number {
    return this.view.getUint8(this.start + 8);
  }

  private player(i: number): number {
    return this.start + HEADER_BYTES + i * PLAYER_BYTES;
  }
  playerId(i: number): number {
    return this.view.getUint16(this.player(i), true);
  }
  playerTeam(i: number): number {
    return this.view.getUint8(this.player(i) + 2);
  }
  playerBits(i: number): number {
    return this.view.getUint8(this.player(i) + 3);
  }
  playerAt(i: number, axis: 0 | 1 | 2): number {
    return this.view.getFloat32(this.player(i) + 4 + axis * 4, true);
  }
  /** Degrees, positive downwards. */
  playerPitch(i: number): number {
    return this.view.getInt16(this.player(i) + 16, true) / 100;
  }
  /** Degrees, counter-clockwise from x. */
  playerYaw(i: number): number {
    return this.view.getInt16(this.player(i) + 18, true) / 90;
  }
  playerWeapon(i: number): number {
    return this.view.getUint8(this.player(i) + 20);
  }
  playerHealth(i: number): number {
    return this.view.getUint8(this.player(i) + 21);
  }
  playerArmour(i: number): number {
    return this.view.getUint8(this.player(i) + 22);
  }
  /** Index of whom he shoots at, in this frame; 255 is nobody. */
  playerTarget(i: number): number {
    return this.view.getUint8(this.player(i) + 23);
  }
  playerSpeed(i: number): number {
    const at = this.player(i) + 24;
    return Math.hypot(this.view.getInt16(at, true), this.view.getInt16(at + 2, true));
  }
  indexOf(id: number): number {
    for (let i = 0; i < this.players; i++) if (this.playerId(i) === id) return i;
    return -1;
  }

  missileId(i: number): number {
    return this.view.getUint16(this.missilesAt + i * MISSILE_BYTES, true);
  }
  missileKind(i: number): number {
    return this.view.getUint8(this.missilesAt + i * MISSILE_BYTES + 2);
  }
  missileOwner(i: number): number {
    return this.view.getUint8(this.missilesAt + i * MISSILE_BYTES + 3);
  }
  missileAt(i: number, axis: 0 | 1 | 2): number {
    return this.view.getFloat32(this.missilesAt + i * MISSILE_BYTES + 4 + axis * 4, true);
  }
  missileIndexOf(id: number): number {
    for (let i = 0; i < this.missiles; i++) if (this.missileId(i) === id) return i;
    return -1;
  }

  cloudAt(i: number, axis: 0 | 1 | 2): number {
    return this.view.getFloat32(this.cloudsAt + i * CLOUD_BYTES + axis * 4, true);
  }
  cloudRadius(i: number): number {
    return this.view.getFloat32(this.cloudsAt + i * CLOUD_BYTES + 12, true);
  }
  cloudBits(i: number): number {
    return this.view.getUint8(this.cloudsAt + i * CLOUD_BYTES + 16);
  }

  moverModel(i: number): number {
    return this.view.getUint16(this.moversAt + i * MOVER_BYTES, true);
  }
  moverIsGone(i: number): boolean {
    return (this.view.getUint8(this.moversAt + i * MOVER_BYTES + 2) & 1) !== 0;
  }
  moverAt(i: number, axis: 0 | 1 | 2): number {
    return this.view.getFloat32(this.moversAt + i * MOVER_BYTES + 4 + axis * 4, true);
  }
  moverAngle(i: number, axis: 0 | 1 | 2): number {
    return this.view.getFloat32(this.moversAt + i * MOVER_BYTES + 16 + axis * 4, true);
  }
  moverIndexOf(model: number): number {
    for (let i = 0; i < this.movers; i++) if (this.moverModel(i) === model) return i;
    return -1;
  }

  itemId(i: number): number {
    return this.view.getUint16(this.itemsAt + i * ITEM_BYTES, true);
  }
  itemKind(i: number): number {
    return this.view.getUint8(this.itemsAt + i * ITEM_BYTES + 2);
  }
  itemIsThere(i: number): boolean {
    return this.view.getUint8(this.itemsAt + i * ITEM_BYTES + 3) !== 0;
  }
  itemAt(i: number, axis: 0 | 1 | 2): number {
    return this.view.getFloat32(this.itemsAt + i * ITEM_BYTES + 4 + axis * 4, true);
  }

  eventKind(i: number): number {
    return this.view.getUint8(this.eventsAt + i * EVENT_BYTES);
  }
  eventWho(i: number): number {
    return this.view.getUint8(this.eventsAt + i * EVENT_BYTES + 1);
  }
  eventWhat(i: number): number {
    return this.view.getUint8(this.eventsAt + i * EVENT_BYTES + 2);
  }
  eventPoints(i: number): number {
    return this.view.getUint8(this.eventsAt + i * EVENT_BYTES + 3);
  }
  eventAt(i: number, axis: 0 | 1 | 2): number {
    return this.view.getFloat32(this.eventsAt + i * EVENT_BYTES + 4 + axis * 4, true);
  }
  eventEnd(i: number, axis: 0 | 1 | 2): number {
    return this.view.getFloat32(this.eventsAt + i * EVENT_BYTES + 16 + axis * 4, true);
  }
}

export class Film {
  private views: DataView[] = [];
  /** Per frame: which view, and where in it; -1 for frames that have not come yet. */
  private viewOf: Int32Array = new Int32Array(1024).fill(-1);
  private startOf: Uint32Array = new Uint32Array(1024);
  /** Frames known to exist, from 0. */
  length = 0;
  /** How many of them are here. */
  held = 0;
  bytes = 0;

  /** `u32 first, u32 count`, then each frame behind its length. */
  take(chunk: ArrayBuffer): { first: number; count: number } {
    const view = new DataView(chunk);
    const first = view.getUint32(0, true);
    const count = view.getUint32(4, true);
    const index = this.views.push(view) - 1;
    let at = 8;
    let taken = 0;
    while (taken < count && at + 4 <= chunk.byteLength) {
      const bytes = view.getUint32(at, true);
      if (at + 4 + bytes > chunk.byteLength || bytes < HEADER_BYTES) break;
      this.keep(first + taken, index, at + 4);
      at += 4 + bytes;
      taken++;
    }
    this.bytes += chunk.byteLength;
    return { first, count: taken };
  }

  has(frame: number): boolean {
    return frame >= 0 && frame < this.length && this.viewOf[frame]! >= 0;
  }

  /** Points `into` at a frame; `false` if it is not here. */
  read(frame: number, into: Frame): boolean {
    if (!this.has(frame)) return false;
    into.open(this.views[this.viewOf[frame]!]!, this.startOf[frame]!);
    return true;
  }

  expect(length: number): void {
    this.reserve(length);
    this.length = Math.max(this.length, length);
  }

  /** The first run of missing frames at or after `from`, else before it. */
  gap(from: number, most: number): { first: number; count: number } | null {
    const found = this.gapIn(from, this.length, most);
    if (found !== null) return found;
    // Backwards: the nearest missing frame, and those before it.
    let last = Math.min(from, this.length) - 1;
    while (last >= 0 && this.viewOf[last]! >= 0) last--;
    if (last < 0) return null;
    let first = last;
    while (first > 0 && last - first + 1 < most && this.viewOf[first - 1]! < 0) first--;
    return { first, count: last - first + 1 };
  }

  private gapIn(from: number, to: number, most: number): { first: number; count: number } | null {
    let first = Math.max(0, from);
    while (first < to && this.viewOf[first]! >= 0) first++;
    if (first >= to) return null;
    let end = first;
    while (end < to && end - first < most && this.viewOf[end]! < 0) end++;
    return { first, count: end - first };
  }

  private keep(frame: number, view: number, start: number): void {
    this.reserve(frame + 1);
    if (this.viewOf[frame]! < 0) this.held++;
    this.viewOf[frame] = view;
    this.startOf[frame] = start;
    if (frame >= this.length) this.length = frame + 1;
  }

  private reserve(length: number): void {
    if (length <= this.viewOf.length) return;
    const size = Math.max(length, this.viewOf.length * 2);
    const views = new Int32Array(size).fill(-1);
    views.set(this.viewOf);
    const starts = new Uint32Array(size);
    starts.set(this.startOf);
    this.viewOf = views;
    this.startOf = starts;
  }
}

/** A point in a film's time: the frame before it, the frame after it, and the share of the way between them. */
export class Moment {
  readonly now = new Frame();
  readonly next = new Frame();
  readonly itemsFrame = new Frame();
  readonly past = new Frame();
  film: Film | null = null;
  frame = 0;
  share = 0;
  isThere = false;
  hasItems = false;

  /** `at` counts frames and may lie between two. */
  seek(film: Film, at: number): boolean {
    this.film = film;
    this.frame = Math.max(0, Math.min(Math.floor(at), film.length - 1));
    this.share = Math.min(1, Math.max(0, at - this.frame));
    this.isThere = film.read(this.frame, this.now);
    if (!this.isThere) return false;
    if (!film.read(this.frame + 1, this.next)) {
      film.read(this.frame, this.next);
      this.share = 0;
    }
    this.hasItems = false;
    for (let back = 0; back < ITEMS_EVERY && !this.hasItems; back++) {
      this.hasItems = film.read(this.frame - back, this.itemsFrame) && this.itemsFrame.items > 0;
    }
    return true;
  }

  /** The frame so many before this one, or nothing. */
  before(frames: number): Frame | null {
    return this.film !== null && this.film.read(this.frame - frames, this.past) ? this.past : null;
  }
}
