// The layers: what each shows, its legend, and how it is drawn. A new layer is one more entry in `LAYERS`.
//
// `key` names everything a layer depends on; when it changes, the layer is built anew. Layers in the group "ground" paint the
// same floor, so one takes the other's place.
import { signal } from "@preact/signals";
import { Color, Group, type Object3D } from "three";
import { headFrame } from "../playback.ts";
import { COLOURS, heat, kindColour, presentTeams, teamName } from "../stage/colours.ts";
import { players, selected, show, target, terrain, waypoint } from "../state.ts";
import { get } from "../wire/api.ts";
import type {
  Place,
  Sight,
  Stats,
  TeamKnowledge,
  Terrain,
  ThrowFound,
  ThrowSources,
  ThrowTargets,
  Travel,
} from "../wire/protocol.ts";
import { CELL_CROUCH, CELL_HARM, CELL_LADDER, CELL_LEDGE, CELL_LIQUID, Ground, NO_OWNER } from "./ground.ts";
import { gems, lifted, ribbon, segments, shell, type Segment } from "./marks.ts";

export type LegendRow = { colour: string; text: string; key?: string };
export type Legend = {
  rows?: LegendRow[];
  /** Rows may be switched off by their key. */
  hidden?: { value: ReadonlySet<string> };
  scale?: { low: string; high: string };
  note?: string;
  choice?: { label: string; options: string[]; picked: { value: string } };
};
export type Layer = {
  id: string;
  name: string;
  about: string;
  group: "ground" | "lines" | "marks";
  needs?: "waypoint" | "pair" | "bot";
  key(): string;
  build(): Promise<Object3D | null> | Object3D | null;
  legend(): Legend;
};

/** The ground of the terrain in force, fetched once. */
let ground: { hash: string; cells: Promise<Ground> } | null = null;
/** What a throw from the chosen waypoint to the chosen target does, for the panel. */
export const foundThrow = signal<ThrowFound | null>(null);
export const throwPairs = signal<{ kind: "sources" | "targets"; of: number; count: number } | null>(null);
export const hiddenKinds = signal<ReadonlySet<string>>(new Set());
const chosenValue = signal("");
const chosenHeat = signal("traffic");
const chosenTeam = signal("");
const KNOWLEDGE_EVERY_FRAMES = 20;

export const throwable = signal<number | null>(null);

function cells(): Promise<Ground> {
  const hash = terrain.peek()?.hash ?? "";
  if (ground === null || ground.hash !== hash) ground = { hash, cells: Ground.fetch() };
  return ground.cells;
}

/** Feet of a waypoint: origins are where a player's own origin is. */
function feet(place: Place, above = 2): Place {
  return [place[0], place[1], place[2] - (show.peek()?.bodies.feet ?? 24) + above];
}

function origin(of: Terrain, id: number): Place {
  return of.waypoints.origin[id] ?? [0, 0, 0];
}

const hash = (): string => terrain.value?.hash ?? "";

/** A chosen value of each waypoint as colours of the ground. */
async function paintByOwner(share: (owner: number) => number | null): Promise<Object3D> {
  const all = await cells();
  return all.paint(({ owner }, into) => {
    const value = owner === NO_OWNER ? null : share(owner);
    if (value === null) return false;
    heat(value, into);
    return true;
  });
}

const GRID_ROWS: (LegendRow & { bit: number })[] = [
  { bit: CELL_HARM, colour: "#ff6b6b", text: "hurts" },
  { bit: CELL_LIQUID, colour: "#4aa8ff", text: "liquid" },
  { bit: CELL_LADDER, colour: "#d9b3ff", text: "ladder" },
  { bit: CELL_LEDGE, colour: "#ffc65c", text: "ledge" },
  { bit: CELL_CROUCH, colour: "#66d3cf", text: "crouched only" },
];
const PLAIN_GROUND = "#6f93b5";

const grid: Layer = {
  id: "grid",
  name: "Standability",
  about: "Where a body can stand, crouch, swim or climb.",
  group: "ground",
  key: hash,
  build: async () => {
    const all = await cells();
    return all.paint(({ bits }, into) => {
      into.set(GRID_ROWS.find((row) => (bits & row.bit) !== 0)?.colour ?? PLAIN_GROUND);
      return true;
    }, 0.5);
  },
  legend: () => ({ rows: [{ colour: PLAIN_GROUND, text: "stand" }, ...GRID_ROWS] }),
};

/** By rank among the kinds that this terrain has: there are more kinds than colours one can tell apart. */
function linkColours(of: Terrain): (kind: number) => string {
  const ranks = new Map([...new Set(of.links.kind)].sort((a, b) => a - b).map((kind, rank) => [kind, rank]));
  return (kind) => kindColour(ranks.get(kind) ?? 0);
}

const links: Layer = {
  id: "links",
  name: "Waypoints and links",
  about: "Every spot a bot knows, and every way between them; bright where a link starts, dim where it ends.",
  group: "lines",
  key: () => `${hash()} ${[...hiddenKinds.value].join()}`,
  build: () => {
    const of = terrain.peek();
    if (of === null) return null;
    const drawn: Segment[] = [];
    const colourOf = linkColours(of);
    of.links.from.forEach((from, i) => {
      const kind = of.links.kind[i]!;
      if (hiddenKinds.peek().has(of.link_kinds[kind] ?? String(kind))) return;
      const to = of.links.to[i]!;
      drawn.push({
        from: feet(origin(of, from), 6),
        to: feet(origin(of, to), 6),
        colour: colourOf(kind),
      });
    });
    const spots = of.waypoints.origin.map((place, i) => ({
      place: feet(place, 6),
      colour: (of.waypoints.flags[i] ?? 0) === 0 ? "#cfe3f5" : "#ffe39a",
      size: 4,
    }));
    return new Group().add(segments(drawn, 0.75), gems(spots));
  },
  legend: () => {
    const of = terrain.value;
    if (of === null) return {};
    const colourOf = linkColours(of);
    const counts = new Map<number, number>();
    for (const kind of of.links.kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const rows = [...counts]
      .sort((a, b) => b[1] - a[1])
      .map(([kind, count]) => ({
        colour: colourOf(kind),
        text: `${of.link_kinds[kind] ?? kind} (${count})`,
        key: of.link_kinds[kind] ?? String(kind),
      }));
    return { rows, hidden: hiddenKinds, note: `${of.waypoints.origin.length} waypoints; click a kind to hide it` };
  },
};

function areaClasses(of: Terrain | null): string[] {
  return [...new Set((of?.areas ?? []).map((area) => area.class))].sort();
}

const areas: Layer = {
  id: "areas",
  name: "Areas and portals",
  about: "Rooms, halls, streets and roofs, and the openings between them.",
  group: "ground",
  key: hash,
  build: async () => {
    const of = terrain.peek();
    if (of === null) return null;
    const classes = areaClasses(of);
    const tints = new Map<number, Color>();
    of.areas.forEach((area, i) => {
      // Neighbours of one class differ a little in lightness, or they would run into each other.
      const tint = new Color(kindColour(classes.indexOf(area.class))).offsetHSL(0, 0, ((i % 5) - 2) * 0.05);
      for (const each of area.waypoints) tints.set(each, tint);
    });
    const painted = (await cells()).paint(({ owner }, into) => {
      const tint = tints.get(owner);
      if (tint === undefined) return false;
      into.copy(tint);
      return true;
    }, 0.55);
    const doors = of.portals.map((portal) => ({ place: feet(portal.place, 30), colour: "#ffffff", size: 10 }));
    const posts = of.portals.map((portal) => ({
      from: feet(portal.place),
      to: feet(portal.place, 60),
      colour: "#ffffff",
      fades: false,
    }));
    return new Group().add(painted, gems(doors), segments(posts, 0.6));
  },
  legend: () => ({
    rows: [
      ...areaClasses(terrain.value).map((name, i) => ({ colour: kindColour(i), text: name })),
      { colour: "#ffffff", text: `portal (${terrain.value?.portals.length ?? 0})` },
    ],
    note: `${terrain.value?.areas.length ?? 0} areas`,
  }),
};

const SEEN = { both: "#ffe27a", standing: "#57a5e8" };

const sight: Layer = {
  id: "sight",
  name: "Sight from here",
  about: "What a standing player sees from the chosen waypoint.",
  group: "ground",
  needs: "waypoint",
  key: () => `${hash()} ${waypoint.value}`,
  build: async () => {
    const [of, from] = [terrain.peek(), waypoint.peek()];
    if (of === null || from === null) return null;
    const seen = await get<Sight>(`terrain/sight?from=${from}`);
    const [standing, crouched] = [new Set(seen.standing), new Set(seen.crouched)];
    const painted = (await cells()).paint(({ owner }, into) => {
      if (crouched.has(owner)) into.set(SEEN.both);
      else if (standing.has(owner)) into.set(SEEN.standing);
      else return false;
      return true;
    }, 0.5);
    const eye = show.peek()?.bodies.eye_standing ?? 26;
    const rays = seen.standing.map((to) => ({
      from: lifted(origin(of, from), eye),
      to: lifted(origin(of, to), eye),
      colour: "#ffe9a8",
    }));
    return new Group().add(painted, segments(rays, 0.18));
  },
  legend: () => ({
    rows: [
      { colour: SEEN.both, text: "seen even if crouched" },
      { colour: SEEN.standing, text: "seen only if standing" },
    ],
  }),
};

const values: Layer = {
  id: "values",
  name: "Tactical values",
  about: "How strong, how exposed, how busy a spot is: one value at a time.",
  group: "ground",
  key: () => `${hash()} ${valueName()}`,
  build: () => {
    const row = terrain.peek()?.values[valueName()];
    return row === undefined ? null : paintByOwner((owner) => row[owner] ?? null);
  },
  legend: () => {
    const options = Object.keys(terrain.value?.values ?? {});
    return { scale: { low: "low", high: "high" }, choice: { label: "Value", options, picked: chosenValue } };
  },
};

function valueName(): string {
  const all = Object.keys(terrain.value?.values ?? {});
  return all.includes(chosenValue.value) ? chosenValue.value : (all[0] ?? "");
}

const travel: Layer = {
  id: "travel",
  name: "Travel time from here",
  about: "How long it takes to get everywhere from the chosen waypoint.",
  group: "ground",
  needs: "waypoint",
  key: () => `${hash()} ${waypoint.value}`,
  build: async () => {
    const from = waypoint.peek();
    if (from === null) return null;
    const { ms } = await get<Travel>(`terrain/travel?from=${from}`);
    const far = Math.max(1, ...ms.map((each) => each ?? 0));
    farthest.value = far;
    return paintByOwner((owner) => {
      const time = ms[owner];
      return time === null || time === undefined ? null : 1 - time / far;
    });
  },
  legend: () => ({
    scale: { low: `${(farthest.value / 1000).toFixed(1)} s`, high: "here" },
    note: "unpainted: no way leads there",
  }),
};
const farthest = signal(0);

const hiding: Layer = {
  id: "hiding",
  name: "Hiding spots",
  about: "Spots covered from some sides: a green stroke is a covered side, a red one is open.",
  group: "marks",
  key: hash,
  build: () => {
    const of = terrain.peek();
    if (of === null) return null;
    const spots = of.hiding.map(({ place }) => ({ place: feet(place, 12), colour: "#8fd694", size: 6 }));
    const strokes: Segment[] = [];
    for (const { place, covered } of of.hiding) {
      for (let side = 0; side < 8; side++) {
        const turn = (side * Math.PI) / 4;
        const out = (reach: number): Place => {
          const [x, y, z] = feet(place, 12);
          return [x + Math.cos(turn) * reach, y + Math.sin(turn) * reach, z];
        };
        const isCovered = (covered & (1 << side)) !== 0;
        strokes.push({
          from: out(8),
          to: out(isCovered ? 24 : 16),
          colour: isCovered ? "#8fd694" : "#b9585f",
          fades: false,
        });
      }
    }
    return new Group().add(gems(spots), segments(strokes, 0.9));
  },
  legend: () => ({
    rows: [
      { colour: "#8fd694", text: "covered from this side" },
      { colour: "#b9585f", text: "open to this side" },
    ],
    note: `${terrain.value?.hiding.length ?? 0} spots`,
  }),
};

const throws: Layer = {
  id: "throws",
  name: "Throws",
  about: "Pick a thrower and a target: how the grenade flies, and what an unsteady hand makes of it.",
  group: "marks",
  needs: "pair",
  key: () => `${hash()} ${waypoint.value} ${target.value} ${throwable.value}`,
  build: async () => {
    const [of, from, to] = [terrain.peek(), waypoint.peek(), target.peek()];
    foundThrow.value = null;
    throwPairs.value = null;
    if (of === null) return null;
    const kind = throwable.peek() === null ? "" : `&throwable=${throwable.peek()}`;
    if (from !== null && to !== null) return buildThrow(from, to, kind);
    if (to !== null) {
      const { sources } = await get<ThrowSources>(`terrain/throws?to=${to}${kind}`);
      throwPairs.value = { kind: "sources", of: to, count: sources.length };
      return fanOf(of, to, sources.map((each) => ({ other: each.from, rank: each.rank })), true);
    }
    if (from === null) return null;
    const { targets } = await get<ThrowTargets>(`terrain/throws?from=${from}${kind}`);
    throwPairs.value = { kind: "targets", of: from, count: targets.length };
    return fanOf(of, from, targets.map((each) => ({ other: each.to, rank: each.rank })), false);
  },
  legend: () => ({
    rows: [
      { colour: COLOURS.frag, text: "trajectory and bounces" },
      { colour: "#8fb7d9", text: "with an unsteady hand" },
      { colour: "#ff9a3d", text: "blast" },
    ],
    scale: { low: "weak", high: "strong throw" },
    note: "target only: all its sources; thrower only: all it reaches",
  }),
};

async function buildThrow(from: number, to: number, kind: string): Promise<Object3D | null> {
  const found = await get<ThrowFound>(`terrain/throw?from=${from}&to=${to}${kind}`);
  foundThrow.value = found;
  if (!found.found) return null;
  const group = new Group();
  for (const deviation of found.deviations) {
    if (deviation.path.length > 1) group.add(ribbon(deviation.path, "#8fb7d9", 1, 0.4));
  }
  if (found.path.length > 1) group.add(ribbon(found.path, COLOURS.frag, 3));
  group.add(gems(found.bounces.map(({ place }) => ({ place, colour: "#ffffff", size: 5 })), true));
  group.add(gems(found.deviations.map(({ ends }) => ({ place: ends, colour: "#8fb7d9", size: 4 })), true));
  group.add(shell(found.ends, found.blast_radius, "#ff9a3d", 0.16), shell(found.ends, 6, "#ffe9b0", 0.9));
  return group;
}

function fanOf(of: Terrain, hub: number, spokes: { other: number; rank: number }[], isTarget: boolean): Object3D {
  const best = Math.max(1e-6, ...spokes.map(({ rank }) => rank));
  const tint = new Color();
  const css = (rank: number): string => `#${heat(rank / best, tint).getHexString()}`;
  const middle = feet(origin(of, hub), 20);
  const lines = spokes.map(({ other, rank }) => {
    const far = feet(origin(of, other), 20);
    return { from: isTarget ? far : middle, to: isTarget ? middle : far, colour: css(rank) };
  });
  const spots = spokes.map(({ other, rank }) => ({
    place: feet(origin(of, other), 10),
    colour: css(rank),
    size: 5 + 4 * (rank / best),
  }));
  return new Group().add(segments(lines, 0.35), gems(spots));
}

function knowingTeam(): number | null {
  const all = presentTeams();
  const asked = all.find((team) => teamName(team) === chosenTeam.value);
  if (asked !== undefined) return asked;
  const bot = selected.value === null ? undefined : players.value.get(selected.value);
  return bot?.team ?? all[0] ?? null;
}

function knowledgeKey(): string {
  const at = Math.floor(headFrame.value / KNOWLEDGE_EVERY_FRAMES) * KNOWLEDGE_EVERY_FRAMES;
  return `${hash()} ${knowingTeam()} ${at}`;
}

async function knowledge(): Promise<TeamKnowledge | null> {
  const team = knowingTeam();
  if (team === null) return null;
  const at = Math.floor(headFrame.peek() / KNOWLEDGE_EVERY_FRAMES) * KNOWLEDGE_EVERY_FRAMES;
  return get<TeamKnowledge>(`team?team=${team}&frame=${at}`);
}

const SEEN_FADES_MS = 30_000;

const lastSeen: Layer = {
  id: "last-seen",
  name: "Team's last look",
  about: "How long ago somebody of the team last looked at each spot.",
  group: "ground",
  key: knowledgeKey,
  build: async () => {
    const known = await knowledge();
    if (known === null) return null;
    return paintByOwner((owner) => {
      const ago = known.last_seen_ms[owner];
      return ago === null || ago === undefined || ago > SEEN_FADES_MS ? null : 1 - ago / SEEN_FADES_MS;
    });
  },
  legend: () => ({
    scale: { low: `${SEEN_FADES_MS / 1000} s ago`, high: "now" },
    note: "unpainted: not looked at, or longer ago",
    choice: { label: "Team", options: presentTeams().map(teamName), picked: chosenTeam },
  }),
};

const TRUST_BINS: { below: number; colour: string; text: string }[] = [
  { below: 0.34, colour: "#ff6b6b", text: "hardly trusted" },
  { below: 0.67, colour: "#f5a03c", text: "doubted" },
  { below: 0.97, colour: "#ffe27a", text: "failed at times" },
  { below: Infinity, colour: "#4f7a9c", text: "trusted" },
];

const trust: Layer = {
  id: "trust",
  name: "Link trust",
  about: "Which ways bots rely on, and which failed them, in the bake or in this match.",
  group: "lines",
  key: knowledgeKey,
  build: async () => {
    const of = terrain.peek();
    if (of === null) return null;
    const learnt = (await knowledge())?.trust ?? {};
    const drawn = of.links.from.map((from, i) => {
      const rely = learnt[String(i)] ?? of.links.trust[i] ?? 1;
      return {
        from: feet(origin(of, from), 8),
        to: feet(origin(of, of.links.to[i]!), 8),
        colour: TRUST_BINS.find((bin) => rely < bin.below)!.colour,
      };
    });
    return segments(drawn, 0.85);
  },
  legend: () => ({ rows: TRUST_BINS }),
};

export const stats = signal<Stats | null>(null);

const heatMap: Layer = {
  id: "heat",
  name: "Heat map",
  about: "Where players went, killed and fell in this match.",
  group: "ground",
  key: () => `${hash()} ${chosenHeat.value} ${stats.value === null ? "" : stats.value.players.length} ${statsStamp.value}`,
  build: async () => {
    const known = stats.peek() ?? (await get<Stats>("stats"));
    const map = known.heat;
    const row = chosenHeat.peek() === "kills" ? map.kills : chosenHeat.peek() === "deaths" ? map.deaths : map.traffic;
    const most = Math.max(1, ...row);
    return (await cells()).paint(({ x, y }, into) => {
      const column = Math.floor((x - map.origin[0]) / map.cell);
      const line = Math.floor((y - map.origin[1]) / map.cell);
      if (column < 0 || line < 0 || column >= map.width || line >= map.height) return false;
      const value = row[line * map.width + column] ?? 0;
      if (value === 0) return false;
      heat(Math.sqrt(value / most), into);
      return true;
    }, 0.7, 0);
  },
  legend: () => ({
    scale: { low: "few", high: "many" },
    choice: { label: "Count", options: ["traffic", "kills", "deaths"], picked: chosenHeat },
  }),
};
export const statsStamp = signal(0);

export const LAYERS: readonly Layer[] = [
  grid,
  areas,
  values,
  sight,
  travel,
  lastSeen,
  heatMap,
  links,
  trust,
  hiding,
  throws,
];

export const GROUND_LAYERS = LAYERS.filter((layer) => layer.group === "ground").map((layer) => layer.id);
