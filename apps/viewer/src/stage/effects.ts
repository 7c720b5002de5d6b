// What flies, bursts, burns and lies about: tracers, missiles with their trails, explosions, clouds, items.
//
// Everything is drawn from the film alone, looking back a few frames: no effect is started, so none is lost or doubled by
// scrubbing. Buffers are made once and filled anew for each drawn frame.
import {
  AdditiveBlending,
  BoxGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  IcosahedronGeometry,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  OctahedronGeometry,
  TetrahedronGeometry,
  type BufferGeometry,
  type Material,
} from "three";
import { EVENT_DEATH, EVENT_EXPLOSION, EVENT_HURT, EVENT_SHOT, type Frame, type Moment } from "../wire/film.ts";
import type { Show } from "../wire/protocol.ts";
import { COLOURS, colour, teamColour } from "./colours.ts";
import { Segments } from "./segments.ts";

const SEGMENTS_MAX = 4096;
const BALLS_MAX = 256;
const TRACER_SECONDS = 0.14;
const BLAST_SECONDS = 0.55;
const HURT_SECONDS = 0.25;
const FALL_SECONDS = 1.2;
const TRAIL_SECONDS = 1.6;
const CLOUD_SMOKE = 1;
const CLOUD_HARM = 2;

export class Effects {
  readonly group = new Group();
  private readonly lines = new Segments(SEGMENTS_MAX);
  private readonly missiles = balls(new IcosahedronGeometry(1, 1), new MeshLambertMaterial());
  private readonly blasts = balls(
    new IcosahedronGeometry(1, 2),
    new MeshBasicMaterial({ transparent: true, opacity: 0.38, depthWrite: false, blending: AdditiveBlending }),
  );
  private readonly smoke = balls(
    new IcosahedronGeometry(1, 2),
    new MeshLambertMaterial({ transparent: true, opacity: 0.5, depthWrite: false }),
  );
  private readonly fire = balls(
    new IcosahedronGeometry(1, 1),
    new MeshBasicMaterial({ transparent: true, opacity: 0.32, depthWrite: false, blending: AdditiveBlending }),
  );
  private readonly health = balls(new BoxGeometry(1.4, 1.4, 1.4), new MeshLambertMaterial({ flatShading: true }));
  private readonly other = balls(new OctahedronGeometry(1), new MeshLambertMaterial({ flatShading: true }));
  private readonly arms = balls(new TetrahedronGeometry(1.2), new MeshLambertMaterial({ flatShading: true }));
  private readonly matrix = new Matrix4();
  private readonly tint = new Color();

  constructor() {
    this.group.add(this.lines.object, this.missiles, this.blasts, this.smoke, this.fire);
    this.group.add(this.health, this.other, this.arms);
  }

  place(moment: Moment, show: Show): void {
    this.lines.begin();
    for (const mesh of [this.missiles, this.blasts, this.smoke, this.fire, this.health, this.other, this.arms]) {
      mesh.count = 0;
    }
    const perSecond = 1000 / show.frame_ms;
    this.placeEvents(moment, show, perSecond);
    this.placeMissiles(moment, perSecond);
    this.placeClouds(moment);
    this.placeItems(moment, show);
    this.lines.end();
    for (const mesh of [this.missiles, this.blasts, this.smoke, this.fire, this.health, this.other, this.arms]) {
      commit(mesh);
    }
  }

  private placeEvents(moment: Moment, show: Show, perSecond: number): void {
    const back = Math.ceil(FALL_SECONDS * perSecond);
    for (let ago = 0; ago <= back; ago++) {
      const frame = moment.before(ago);
      if (frame === null) return;
      const age = (ago + moment.share) / perSecond;
      for (let i = 0; i < frame.events; i++) this.placeEvent(frame, i, age, show);
    }
  }

  private placeEvent(frame: Frame, i: number, age: number, show: Show): void {
    const x = frame.eventAt(i, 0);
    const y = frame.eventAt(i, 1);
    const z = frame.eventAt(i, 2);
    switch (frame.eventKind(i)) {
      case EVENT_SHOT:
        if (age < TRACER_SECONDS) this.placeTracer(frame, i, 1 - age / TRACER_SECONDS);
        break;
      case EVENT_EXPLOSION:
        if (age < BLAST_SECONDS) this.placeBlast(x, y, z, age / BLAST_SECONDS, blastRadius(show, frame.eventWhat(i)));
        break;
      case EVENT_HURT:
        if (age < HURT_SECONDS) {
          this.ball(this.blasts, x, y, z, 5 + 8 * (age / HURT_SECONDS), this.tint.set(COLOURS.bad));
        }
        break;
      case EVENT_DEATH:
        if (age < FALL_SECONDS) this.placeFall(frame, i, x, y, z, age / FALL_SECONDS);
        break;
      default:
        break;
    }
  }

  private placeTracer(frame: Frame, i: number, strength: number): void {
    const who = frame.eventWho(i);
    const team = who < frame.players ? frame.playerTeam(who) : 255;
    this.tint.copy(colour(teamColour(team))).lerp(colour("#fff3c4"), 0.55).multiplyScalar(strength);
    this.lines.add(
      frame.eventAt(i, 0),
      frame.eventAt(i, 1),
      frame.eventAt(i, 2),
      frame.eventEnd(i, 0),
      frame.eventEnd(i, 1),
      frame.eventEnd(i, 2),
      this.tint,
      0.15,
    );
    if (strength > 0.6) {
      this.ball(this.blasts, frame.eventAt(i, 0), frame.eventAt(i, 1), frame.eventAt(i, 2), 6, this.tint);
    }
  }

  /** A flash that grows quickly and fades, and a shell that shows how far it reaches. */
  private placeBlast(x: number, y: number, z: number, share: number, radius: number): void {
    const fade = 1 - share;
    const grown = 1 - fade * fade * fade;
    this.ball(this.blasts, x, y, z, radius * grown, this.tint.set("#ff9a3d").multiplyScalar(fade * 0.5));
    this.ball(this.blasts, x, y, z, radius * 0.45 * grown, this.tint.set("#ffe9b0").multiplyScalar(fade));
  }

  private placeFall(frame: Frame, i: number, x: number, y: number, z: number, share: number): void {
    const who = frame.eventWho(i);
    const team = who < frame.players ? frame.playerTeam(who) : 255;
    this.tint.copy(colour(teamColour(team))).multiplyScalar(1 - share);
    const size = 14 + 26 * share;
    this.lines.add(x - size, y - size, z, x + size, y + size, z, this.tint, 1);
    this.lines.add(x - size, y + size, z, x + size, y - size, z, this.tint, 1);
    this.lines.add(x, y, z, x, y, z + 60 + 90 * share, this.tint, 0.1);
  }

  private placeMissiles(moment: Moment, perSecond: number): void {
    const { now, next, share } = moment;
    for (let i = 0; i < now.missiles; i++) {
      const then = next.missileIndexOf(now.missileId(i));
      const x = between(now.missileAt(i, 0), then < 0 ? null : next.missileAt(then, 0), share);
      const y = between(now.missileAt(i, 1), then < 0 ? null : next.missileAt(then, 1), share);
      const z = between(now.missileAt(i, 2), then < 0 ? null : next.missileAt(then, 2), share);
      const owner = now.missileOwner(i);
      const team = owner < now.players ? now.playerTeam(owner) : 255;
      this.tint.copy(colour(teamColour(team)));
      this.ball(this.missiles, x, y, z, 5.5, this.tint);
      this.ball(this.blasts, x, y, z, 11, this.tint.lerp(colour(COLOURS.frag), 0.6));
      this.placeTrail(moment, now.missileId(i), x, y, z, team, perSecond);
    }
  }

  private placeTrail(
    moment: Moment,
    id: number,
    fromX: number,
    fromY: number,
    fromZ: number,
    team: number,
    perSecond: number,
  ): void {
    const back = Math.ceil(TRAIL_SECONDS * perSecond);
    let [x, y, z] = [fromX, fromY, fromZ];
    for (let ago = 1; ago <= back; ago++) {
      const frame = moment.before(ago);
      const at = frame === null ? -1 : frame.missileIndexOf(id);
      if (frame === null || at < 0) return;
      const [px, py, pz] = [frame.missileAt(at, 0), frame.missileAt(at, 1), frame.missileAt(at, 2)];
      this.tint.copy(colour(teamColour(team))).lerp(colour(COLOURS.frag), 0.4).multiplyScalar(1 - ago / (back + 1));
      this.lines.add(x, y, z, px, py, pz, this.tint, 1);
      [x, y, z] = [px, py, pz];
    }
  }

  private placeClouds(moment: Moment): void {
    const { now } = moment;
    for (let i = 0; i < now.clouds; i++) {
      const radius = now.cloudRadius(i);
      const [x, y, z] = [now.cloudAt(i, 0), now.cloudAt(i, 1), now.cloudAt(i, 2)];
      if ((now.cloudBits(i) & CLOUD_HARM) !== 0) this.placeFlames(x, y, z, radius, moment.frame + moment.share);
      if ((now.cloudBits(i) & CLOUD_SMOKE) !== 0) this.placePuffs(x, y, z, radius);
    }
  }

  /** A cloud is several puffs at fixed places about its middle: the same ones at the same moment, however one got there. */
  private placePuffs(x: number, y: number, z: number, radius: number): void {
    this.ball(this.smoke, x, y, z + radius * 0.15, radius * 0.8, this.tint.set("#aab4bf"));
    for (let i = 0; i < 6; i++) {
      const turn = i * 2.399963;
      const off = radius * 0.5;
      const lift = radius * 0.3 * Math.sin(i * 1.7);
      this.tint.set(i % 2 === 0 ? "#98a3af" : "#bcc5ce");
      const [px, py] = [x + Math.cos(turn) * off, y + Math.sin(turn) * off];
      this.ball(this.smoke, px, py, z + lift, radius * 0.55, this.tint);
    }
  }

  private placeFlames(x: number, y: number, z: number, radius: number, at: number): void {
    for (let i = 0; i < 8; i++) {
      const turn = i * 2.399963;
      const off = radius * 0.7 * Math.sqrt((i + 0.5) / 8);
      const flicker = 0.75 + 0.25 * Math.sin(at * 0.9 + i * 2.1);
      this.tint.set(i % 2 === 0 ? "#ff6a2b" : "#ffb347");
      const [px, py] = [x + Math.cos(turn) * off, y + Math.sin(turn) * off];
      this.ball(this.fire, px, py, z + 10 * flicker, radius * 0.34 * flicker, this.tint);
    }
  }

  private placeItems(moment: Moment, show: Show): void {
    if (!moment.hasItems) return;
    const frame = moment.itemsFrame;
    for (let i = 0; i < frame.items; i++) {
      if (!frame.itemIsThere(i)) continue;
      const kind = frame.itemKind(i);
      const name = show.items[kind]?.class ?? show.items.find((item) => item.id === kind)?.class ?? "";
      const [x, y, z] = [frame.itemAt(i, 0), frame.itemAt(i, 1), frame.itemAt(i, 2)];
      this.ball(this.meshFor(name), x, y, z, 8, this.tint.set(itemColour(name)));
    }
  }

  private meshFor(name: string): InstancedMesh {
    if (/health/i.test(name)) return this.health;
    return /weapon|ammo|arms/i.test(name) ? this.arms : this.other;
  }

  private ball(mesh: InstancedMesh, x: number, y: number, z: number, radius: number, tint: Color): void {
    if (mesh.count >= BALLS_MAX) return;
    const index = mesh.count++;
    this.matrix.makeScale(radius, radius, radius).setPosition(x, y, z);
    mesh.setMatrixAt(index, this.matrix);
    mesh.setColorAt(index, tint);
  }
}

export function itemColour(name: string): string {
  if (/health/i.test(name)) return "#7fe0a0";
  if (/armou?r/i.test(name)) return "#ffd45e";
  if (/ammo/i.test(name)) return "#b8a27a";
  if (/weapon|arms/i.test(name)) return "#d9dee5";
  return "#c4a5f5";
}

function blastRadius(show: Show, what: number): number {
  const throwable = show.throwables.find((each) => each.id === what);
  return throwable !== undefined && throwable.radius > 0 ? throwable.radius : 150;
}

function between(from: number, to: number | null, share: number): number {
  return to === null ? from : from + (to - from) * share;
}

function balls(geometry: BufferGeometry, material: Material): InstancedMesh {
  const mesh = new InstancedMesh(geometry, material, BALLS_MAX);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  mesh.setColorAt(0, colour("#ffffff"));
  mesh.frustumCulled = false;
  mesh.renderOrder = material.transparent ? 5 : 1;
  mesh.count = 0;
  return mesh;
}

function commit(mesh: InstancedMesh): void {
  mesh.visible = mesh.count > 0;
  if (mesh.count === 0) return;
  mesh.instanceMatrix.clearUpdateRanges();
  mesh.instanceMatrix.addUpdateRange(0, mesh.count * 16);
  mesh.instanceMatrix.needsUpdate = true;
  mesh.instanceColor!.clearUpdateRanges();
  mesh.instanceColor!.addUpdateRange(0, mesh.count * 3);
  mesh.instanceColor!.needsUpdate = true;
}
