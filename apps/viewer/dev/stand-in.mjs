// A stand-in for the server: the built-in map's geometry and puppets that walk about on it, so that the page can be worked on
// without the command. Nothing it says is true of any bot. `node dev/stand-in.mjs [port]`, then open the printed address.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, dirname } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const port = Number(process.argv[2] ?? 4747);
const TOKEN = "stand-in";
const FRAME_MS = 50;
const BOTS = 16;

// --- the map: planes of each brush clipped into polygons
const brushes = readBrushes(readFileSync(join(here, "../../../maps/compound.map"), "utf8"));
function readBrushes(text) {
  const found = [];
  let planes = null;
  let entity = -1;
  let depth = 0;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed === "{") {
      depth++;
      if (depth === 1) entity++;
      if (depth === 2) planes = [];
    } else if (trimmed === "}") {
      if (depth === 2 && planes.length > 3) found.push({ planes, entity });
      depth--;
    } else if (depth === 2) {
      const numbers = trimmed.match(/^\( (\S+) (\S+) (\S+) \) \( (\S+) (\S+) (\S+) \) \( (\S+) (\S+) (\S+) \) (\S+)/);
      if (numbers) {
        const n = numbers.slice(1, 10).map(Number);
        planes.push(planeOf(n.slice(0, 3), n.slice(3, 6), n.slice(6, 9), numbers[10]));
      }
    }
  }
  return found.filter((brush) => brush.entity === 0);
}
function planeOf(a, b, c, shader) {
  const u = sub(a, b);
  const v = sub(c, b);
  const n = unit([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]);
  return { n, d: dot(n, a), shader };
}
function sub(a, b) { return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]; }
function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
function unit(a) { const l = Math.hypot(...a); return a.map((x) => x / l); }
function polygon(brush, plane) {
  const up = Math.abs(plane.n[2]) > 0.9 ? [1, 0, 0] : [0, 0, 1];
  const s = unit([up[1] * plane.n[2] - up[2] * plane.n[1], up[2] * plane.n[0] - up[0] * plane.n[2], up[0] * plane.n[1] - up[1] * plane.n[0]]);
  const t = [plane.n[1] * s[2] - plane.n[2] * s[1], plane.n[2] * s[0] - plane.n[0] * s[2], plane.n[0] * s[1] - plane.n[1] * s[0]];
  let corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => [0, 1, 2].map((i) => plane.n[i] * plane.d + (s[i] * a + t[i] * b) * 9000));
  for (const other of brush.planes) {
    if (other === plane) continue;
    const kept = [];
    corners.forEach((p, i) => {
      const q = corners[(i + 1) % corners.length];
      const [dp, dq] = [dot(other.n, p) - other.d, dot(other.n, q) - other.d];
      if (dp <= 0.01) kept.push(p);
      if ((dp > 0.01) !== (dq > 0.01)) kept.push(p.map((x, k) => x + (q[k] - x) * (dp / (dp - dq))));
    });
    corners = kept;
    if (corners.length < 3) return null;
  }
  return corners;
}
const sign = brushes.length && dot(brushes[0].planes[0].n, centre(brushes[0])) > brushes[0].planes[0].d ? -1 : 1;
function centre(brush) {
  // The mean of the planes' own points is inside enough to tell which way they face.
  const sum = [0, 0, 0];
  for (const p of brush.planes) for (let i = 0; i < 3; i++) sum[i] += (p.n[i] * p.d) / brush.planes.length;
  return sum;
}
if (sign < 0) for (const brush of brushes) for (const p of brush.planes) { p.n = p.n.map((x) => -x); p.d = -p.d; }
const floorCells = new Map();
function mapBytes() {
  const [positions, normals, classes, indices] = [[], [], [], []];
  for (const brush of brushes) {
    for (const plane of brush.planes) {
      const corners = polygon(brush, plane);
      if (!corners) continue;
      const first = positions.length / 3;
      for (const c of corners) { positions.push(...c); normals.push(...plane.n); }
      const hidden = /sky|clip|trigger|nodraw/.test(plane.shader);
      const kind = hidden ? 5 : /glass/.test(plane.shader) ? 4 : /water|liquid/.test(plane.shader) ? 3 : plane.n[2] > 0.7 ? 1 : plane.n[2] < -0.7 ? 2 : 0;
      if (kind === 1) noteFloor(corners);
      for (let i = 2; i < corners.length; i++) { indices.push(first, first + i - 1, first + i); classes.push(kind); }
    }
  }
  const pad = (4 - (classes.length % 4)) % 4;
  const head = Buffer.alloc(20);
  head.write("FTMAP1\0\0", "latin1");
  head.writeUInt32LE(1, 8);
  head.writeUInt32LE(positions.length / 3, 12);
  head.writeUInt32LE(classes.length, 16);
  return Buffer.concat([head, bytesOf(Float32Array.from(positions)), bytesOf(Float32Array.from(normals)), Buffer.from(classes), Buffer.alloc(pad), bytesOf(Uint32Array.from(indices))]);
}
function bytesOf(array) { return Buffer.from(array.buffer); }
function noteFloor(corners) {
  const [xs, ys] = [corners.map((c) => c[0]), corners.map((c) => c[1])];
  const z = corners[0][2];
  for (let x = Math.ceil(Math.min(...xs) / 24) * 24 + 12; x < Math.max(...xs); x += 24) {
    for (let y = Math.ceil(Math.min(...ys) / 24) * 24 + 12; y < Math.max(...ys); y += 24) {
      if (z > -130 && z < 300) floorCells.set(`${x} ${y} ${z}`, [x, y, z]);
    }
  }
}
const map = mapBytes();

// --- terrain: a waypoint for every few cells, links between neighbours
const spots = [...floorCells.values()].filter(([x, y]) => Math.round(x / 24) % 4 === 0 && Math.round(y / 24) % 4 === 0);
const origins = spots.map(([x, y, z]) => [x, y, z + 24]);
const links = { from: [], to: [], kind: [], ms: [], trust: [] };
origins.forEach((a, i) => origins.forEach((b, j) => {
  if (i !== j && Math.hypot(a[0] - b[0], a[1] - b[1]) < 140 && Math.abs(a[2] - b[2]) < 40) {
    links.from.push(i); links.to.push(j); links.kind.push((i * 7 + j) % 11 === 0 ? 1 : 0); links.ms.push(500); links.trust.push((i + j) % 17 === 0 ? 0.3 : 1);
  }
}));
const area = origins.map(([x, y]) => (x > 0 ? 1 : 0) + (y > 0 ? 2 : 0));
const ramp = (f) => origins.map((o, i) => Math.max(0, Math.min(1, f(o, i))));
const terrain = {
  hash: "stand-in",
  waypoints: { origin: origins, flags: origins.map((_, i) => (i % 13 === 0 ? 1 : 0)), area, value: ramp((o) => o[0] / 2000 + 0.5), exposure: ramp((o) => o[1] / 2000 + 0.5) },
  flag_names: ["crouch", "no_grenade", "ladder"], links, link_kinds: ["walk", "jump", "fall"],
  areas: [0, 1, 2, 3].map((id) => ({ id, class: ["room", "street", "hall", "roof"][id], waypoints: area.flatMap((a, i) => (a === id ? [i] : [])) })),
  portals: [{ a: 0, b: 1, kind: "door", place: [0, -300, 24] }, { a: 2, b: 3, kind: "door", place: [0, 300, 24] }],
  hiding: origins.flatMap((place, i) => (i % 9 === 0 ? [{ waypoint: i, place, covered: (i * 37) & 255 }] : [])),
  values: { strength: ramp((o) => 0.5 + Math.sin(o[0] / 300) / 2), exposure: ramp((o) => 0.5 + Math.cos(o[1] / 300) / 2) },
};
function gridBytes() {
  const cells = [...floorCells.values()];
  const bytes = Buffer.alloc(16 + cells.length * 16);
  bytes.write("FTGRID1\0", "latin1"); bytes.writeFloatLE(24, 8); bytes.writeUInt32LE(cells.length, 12);
  cells.forEach(([x, y, z], i) => {
    const at = 16 + i * 16;
    let [owner, best] = [0xffff, 200];
    origins.forEach((o, k) => { const d = Math.hypot(o[0] - x, o[1] - y, 2 * (o[2] - 24 - z)); if (d < best) { best = d; owner = k; } });
    bytes.writeFloatLE(x, at); bytes.writeFloatLE(y, at + 4); bytes.writeFloatLE(z, at + 8); bytes.writeUInt16LE(owner, at + 12); bytes.writeUInt8(i % 41 === 0 ? 1 : 0, at + 14);
  });
  return bytes;
}
const grid = gridBytes();

// --- puppets
const next = origins.map((_, i) => links.to.filter((__, k) => links.from[k] === i));
const puppets = Array.from({ length: BOTS }, (_, i) => ({ id: i + 1, team: i % 2, at: (i * 29) % origins.length, to: 0, share: 0, yaw: 0, health: 100, dead: 0 }));
const frames = []; const marks = []; const lines = [];
const GOALS = ["roam", "hunt", "fetch", "shoot", "retreat"];
let missile = null; let speed = 1; let paused = false; const started = createHash("md5").update(String(Date.now())).digest("hex");
const sockets = new Set();
function makeFrame() {
  const number = frames.length; const time = number * FRAME_MS; const events = [];
  for (const p of puppets) {
    if (p.dead > 0) { if (--p.dead === 0) p.health = 100; continue; }
    p.share += 0.12;
    if (p.share >= 1 || !next[p.at].includes(p.to)) { if (p.share >= 1) p.at = p.to; p.share = 0; p.to = next[p.at][(number * 7 + p.id * 13) % Math.max(1, next[p.at].length)] ?? p.at; }
    const [a, b] = [origins[p.at], origins[p.to]];
    p.place = a.map((x, k) => x + (b[k] - x) * p.share);
    p.yaw = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI;
    if ((number + p.id * 11) % 40 === 0) lines.push({ time, frame: number, bot: p.id, turn: "starts", goal: GOALS[(number + p.id) % 5], reason: `the ${["east", "west", "north", "south"][(number / 40 + p.id | 0) % 4]} is quiet, and somebody has to look` });
    if ((number + p.id * 5) % 12 === 0) {
      const foe = puppets.find((q) => q.team !== p.team && q.dead === 0 && q.place && Math.hypot(q.place[0] - p.place[0], q.place[1] - p.place[1]) < 700);
      if (foe) {
        events.push([1, puppets.indexOf(p), 1, 0, [p.place[0], p.place[1], p.place[2] + 20], foe.place]);
        foe.health -= 17;
        if (foe.health <= 0) { foe.dead = 40; foe.health = 0; events.push([4, puppets.indexOf(foe), 1, 0, foe.place, foe.place]); marks.push({ frame: number, time, kind: "kill", text: `Bot ${p.id} shot Bot ${foe.id}`, who: p.id, whom: foe.id, place: foe.place }); }
      }
    }
  }
  if (number % 90 === 30) { missile = { at: puppets[0].place.slice(), v: [9, 14, 26], left: 45 }; marks.push({ frame: number, time, kind: "throw", text: "Bot 1 threw a frag", who: 1, whom: null, place: missile.at.slice() }); }
  if (missile) { missile.at = missile.at.map((x, k) => x + missile.v[k]); missile.v[2] -= 2; if (missile.at[2] < 6) { missile.at[2] = 6; missile.v = [missile.v[0] * 0.6, missile.v[1] * 0.6, -missile.v[2] * 0.5]; } if (--missile.left === 0) { events.push([2, 0, 0, 0, missile.at, missile.at]); missile = null; } }
  if (number % 600 === 599) marks.push({ frame: number, time, kind: "round", text: "Round over", who: null, whom: null, place: null });
  frames.push(encode(number, time, events));
}
function encode(number, time, events) {
  const clouds = number % 200 > 80 ? [[200, -200, 40, 130, 1]] : [];
  const items = number % 20 === 0 ? [[1, 0, 1, [100, 100, 20]], [2, 1, 1, [-200, 100, 20]], [3, 2, 1, [0, -260, 20]]] : [];
  const b = Buffer.alloc(16 + puppets.length * 30 + (missile ? 16 : 0) + clouds.length * 20 + items.length * 16 + events.length * 28);
  b.writeUInt32LE(number, 0); b.writeInt32LE(time, 4); b[9] = puppets.length; b[10] = missile ? 1 : 0; b[11] = clouds.length; b[13] = items.length; b[14] = events.length;
  let at = 16;
  const place = (p, o) => p.forEach((x, k) => b.writeFloatLE(x, o + k * 4));
  for (const p of puppets) { b.writeUInt16LE(p.id, at); b[at + 2] = p.team; b[at + 3] = p.dead > 0 ? 1 : 0; place(p.place ?? origins[p.at], at + 4); b.writeInt16LE(Math.round(p.yaw * 90), at + 18); b[at + 20] = 1; b[at + 21] = Math.max(0, p.health); b[at + 23] = 255; at += 30; }
  if (missile) { b.writeUInt16LE(number - (45 - missile.left), at); b[at + 3] = 0; b.writeUInt16LE(7, at); place(missile.at, at + 4); at += 16; }
  for (const [x, y, z, r, bits] of clouds) { place([x, y, z], at); b.writeFloatLE(r, at + 12); b[at + 16] = bits; at += 20; }
  for (const [id, kind, there, p] of items) { b.writeUInt16LE(id, at); b[at + 2] = kind; b[at + 3] = there; place(p, at + 4); at += 16; }
  for (const [kind, who, what, points, p, q] of events) { b[at] = kind; b[at + 1] = who; b[at + 2] = what; b[at + 3] = points; place(p, at + 4); place(q, at + 16); at += 28; }
  return b;
}
function chunk(from, count) {
  const some = frames.slice(from, from + count);
  const head = Buffer.alloc(8); head.writeUInt32LE(from, 0); head.writeUInt32LE(some.length, 4);
  return Buffer.concat([head, ...some.flatMap((f) => { const n = Buffer.alloc(4); n.writeUInt32LE(f.length); return [n, f]; })]);
}
function mindOf(bot, frame) {
  const p = puppets.find((q) => q.id === bot) ?? puppets[0]; const time = frame * FRAME_MS;
  const foes = puppets.filter((q) => q.team !== p.team).slice(0, 4);
  return {
    bot, frame, time, health: p.health, armour: 25, weapon: "rifle",
    goals: [{ name: GOALS[Math.floor(frame / 40 + bot) % 5], band: "fight", score: 0.73, channels: ["legs", "eyes", "hands"], reason: `enemy near waypoint ${(frame / 40) | 0}, two mates with me`, since: time - 900, is_waiting: false, lease_until: time + 400, serves: null }, { name: "roam", band: "roam", score: 0.3, channels: ["legs"], reason: "nothing better to do", since: time - 9000, is_waiting: true, lease_until: null, serves: null }],
    lost: [{ name: "retreat", band: "survive", score: 0.21, channels: ["legs"], reason: "health 60", why: "legs went to shoot" }],
    percepts: [{ what: "enemy Bot 2", sense: "sight", place: p.place, age_ms: 40, matures_in_ms: 160 }, { what: "footsteps", sense: "hearing", place: p.place, age_ms: 300, matures_in_ms: 0 }],
    threats: foes.map((f, i) => ({ id: f.id, place: (f.place ?? origins[0]).map((x, k) => x + (k < 2 ? 90 * Math.sin(i * 3 + frame / 60) : 0)), truth: f.place ?? null, age_ms: 400 + i * 2100, in_sight: i === 0, is_dead: false, spread: i * 60 })),
    missiles: [], noises: [{ kind: "shot", place: [120, 60, 24], spread: 80, age_ms: 900, is_explained: false }], items: [{ id: 1, kind: "health", place: [100, 100, 20], is_there: true, truth: false, seen_ms_ago: 4000, back_in_ms: null }], movers: [], clouds: [], objectives: [],
    route: { waypoints: [p.at, p.to], at: 0, points: [p.at, p.to, next[p.to][0] ?? p.to].map((w) => origins[w]), holding: null },
    aim: { at: foes[0].place ?? null, care: "fight", view: [2, p.yaw], wanted: [0, p.yaw + 9] }, mood: { anger: 0.4, fear: 0.2 }, traits: { aggression: 60, caution: 30 }, here: p.at, role: null, target: foes[0].id,
  };
}
const show = {
  id: started, kind: "live", title: "a stand-in", map: "compound", game: "skirmish", gametype: "team", seed: 1, frame_ms: FRAME_MS,
  bodies: { standing: { mins: [-15, -15, -24], maxs: [15, 15, 32] }, crouched: { mins: [-15, -15, -24], maxs: [15, 15, 16] }, prone: null, eye_standing: 26, feet: 24 },
  players: puppets.map((p) => ({ id: p.id, name: `Bot ${p.id}`, team: p.team, is_bot: true, skill: "veteran", traits: null })),
  weapons: [{ id: 1, name: "rifle", is_throwable: false }], throwables: [{ id: 0, name: "frag", radius: 180 }],
  items: [{ id: 0, name: "medkit", class: "health" }, { id: 1, name: "vest", class: "armour" }, { id: 2, name: "rifle", class: "weapon" }],
  can: { control: true, tune: true, edit: true, fork: true, verify: true }, url_base: "/",
};
const variables = ["think_ms", "leaps", "camp_ms", "aim_error_elite"].map((name, i) => ({ name, help: "What a puppet would care about.", default: [100, 1, 4000, 0.6][i], min: [20, 0, 0, 0][i], max: [1000, 1, 120000, 20][i], is_whole: i < 3, value: [100, 1, 4000, 0.6][i], group: i === 3 ? "aim" : "thinking" }));
const history = [];
let kept = [];
function answer(path, q, method, body) {
  switch (`${method} ${path}`) {
    case "GET show": return show;
    case "GET map": return map;
    case "GET terrain": return terrain;
    case "GET terrain/grid": return grid;
    case "GET terrain/sight": { const o = origins[+q.get("from")]; const seen = origins.flatMap((p, i) => (Math.hypot(p[0] - o[0], p[1] - o[1]) < 500 ? [i] : [])); return { standing: seen, crouched: seen.filter((i) => i % 2 === 0) }; }
    case "GET terrain/travel": { const o = origins[+q.get("from")]; return { ms: origins.map((p) => Math.hypot(p[0] - o[0], p[1] - o[1]) * 4) }; }
    case "GET terrain/throws": return q.has("to") ? { sources: origins.flatMap((_, i) => (i % 7 === 0 ? [{ from: i, rank: (i % 10) / 10, flags: [] }] : [])) } : { targets: origins.flatMap((_, i) => (i % 5 === 0 ? [{ to: i, rank: (i % 10) / 10, flags: [] }] : [])) };
    case "GET terrain/throw": { const [a, b] = [origins[+q.get("from")], origins[+q.get("to")]]; const arc = (dx) => Array.from({ length: 20 }, (_, i) => { const t = i / 19; return [a[0] + (b[0] + dx - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t + 300 * t * (1 - t)]; }); return { found: true, yaw: 31, pitch: -20, speed: 700, fuse_ms: 2500, path: arc(0), bounces: [{ place: arc(0)[14], time: 0.9 }], ends: b, blast_radius: 180, score: [{ name: "damage", value: 0.8, weight: 2 }, { name: "safety", value: 0.6, weight: 1 }], deviations: [-60, -30, 30, 60].map((d) => ({ path: arc(d), ends: arc(d)[19], damage: 60, own: 0 })), damage: 82, own_damage: 0, flags: ["bounced"] }; }
    case "GET film": return chunk(+q.get("from"), +q.get("count"));
    case "GET film/length": return { frames: frames.length, first_time: 0, is_growing: true };
    case "GET marks": return { marks };
    case "GET journal": return { lines };
    case "GET mind": return mindOf(+q.get("bot"), +q.get("frame"));
    case "GET team": return { last_seen_ms: origins.map((_, i) => (i * 977) % 40000), trust: { 3: 0.2 } };
    case "GET convars": return { variables, history };
    case "POST convars": if (body.set) for (const [n, v] of Object.entries(body.set)) { const x = variables.find((y) => y.name === n); x.value = v; history.push({ frame: frames.length, time: frames.length * FRAME_MS, name: n, value: v }); } else for (const x of variables) if (body.reset === "all" || body.reset.includes(x.name)) x.value = x.default; return { variables, history };
    case "POST convars/save": return { path: body.name };
    case "POST control": if (body.pause !== undefined) paused = body.pause; if (body.speed) speed = body.speed; for (let i = 0; i < (body.step ?? 0); i++) makeFrame(); return { paused, speed };
    case "GET profile": return { scopes: [["frame", 0, 1], ["perceive", 1, 0.6], ["sight", 2, 0.4], ["decide", 1, 0.3]].map(([name, depth, share]) => ({ name, depth, calls: 100, mean_us: 500 * share, max_us: 900 * share, share })), frames: { ms: Array.from({ length: 300 }, (_, i) => 0.5 + Math.sin(i / 20) * 0.2 + (i % 37 === 0 ? 0.6 : 0)) } };
    case "POST profile": return {};
    case "GET stats": return { teams: [{ team: 0, name: "Blue", score: 3, kills: 12, deaths: 9 }, { team: 1, name: "Orange", score: 2, kills: 9, deaths: 12 }], players: puppets.map((p) => ({ id: p.id, name: `Bot ${p.id}`, team: p.team, kills: p.id % 5, deaths: p.id % 4, suicides: 0, damage_dealt: p.id * 40, damage_taken: 80, shots: 100, hits: 30, accuracy: 0.3, distance: 12000, throws: p.id % 3 })), weapons: [{ weapon: "rifle", kills: 14, shots: 900, hits: 300 }, { weapon: "frag", kills: 4, shots: 20, hits: 6 }], grenades: [{ kind: "frag", thrown: 20, hurt: 6, killed: 4, own: 1, friends: 1, nothing: 8 }], heat: { cell: 64, origin: [-1100, -1000], width: 40, height: 40, traffic: Array.from({ length: 1600 }, (_, i) => (i * 31) % 17), kills: Array.from({ length: 1600 }, (_, i) => (i % 90 === 0 ? 3 : 0)), deaths: Array.from({ length: 1600 }, () => 0) } };
    case "GET edit": return { edits: kept, faults: [], path: "compound.overlay" };
    case "POST edit": return { overlay: JSON.stringify(body.edits), terrain: { ...terrain, waypoints: { ...terrain.waypoints, origin: origins.map((o, i) => body.edits.findLast((e) => e.do === "move" && e.waypoint === i)?.place ?? o) } }, faults: [{ severity: "warning", text: "waypoint 3 has no way back", waypoint: 3, place: origins[3] }] };
    case "POST edit/save": kept = body.edits; return { path: "compound.overlay" };
    case "POST fork": case "POST verify": return { id: 1 };
    case "GET fork": return { state: "done", done: 1, of: 1, films: { as_was: 1, changed: 2 }, outcomes: [{ name: "kills", as_was: { mean: 3.1, low: 2.8, high: 3.4 }, changed: { mean: 4.2, low: 3.9, high: 4.5 }, difference: { mean: 1.1, low: 0.7, high: 1.5 } }] };
    case "GET verify": return { state: "done", done: 1, of: 1, certificate: { frames: 900, commands: 14400, differing: 0, blindfold: { commands: 14400, caught: 0, changed: { "players unseen": 31000 } }, fastest_reaction_ms: 150, reaction_bound_ms: 150, encounters: 41, greatest_turn_rate: 702, turn_bound: 720, perceived_share: 0.21, is_honest: true, text: "honest" } };
    default: return null;
  }
}
const KINDS = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://x");
  if (!url.pathname.startsWith("/api/")) {
    try {
      const file = url.pathname === "/" ? "index.html" : url.pathname.slice(1);
      const text = readFileSync(join(here, "../dist", file));
      response.setHeader("content-type", KINDS[file.split(".").pop()] ?? "application/octet-stream");
      response.setHeader("content-security-policy", "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self'");
      response.end(text);
    } catch { response.statusCode = 404; response.end(); }
    return;
  }
  let text = "";
  for await (const part of request) text += part;
  const said = answer(url.pathname.slice(5), url.searchParams, request.method, text ? JSON.parse(text) : null);
  if (said === null) { response.statusCode = 404; response.end(JSON.stringify({ error: "the stand-in does not know that" })); }
  else if (Buffer.isBuffer(said)) response.end(said);
  else response.end(JSON.stringify(said));
});
server.on("upgrade", (request, socket) => {
  const key = createHash("sha1").update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`);
  const client = { socket, at: frames.length, bot: null, marks: marks.length, lines: lines.length };
  sockets.add(client);
  send(client, { t: "hello", show, frames: frames.length });
  socket.on("data", (bytes) => {
    const length = bytes[1] & 127; const mask = bytes.subarray(2, 6); const text = Buffer.from(bytes.subarray(6, 6 + length).map((x, i) => x ^ mask[i % 4])).toString();
    try { const told = JSON.parse(text); if (told.t === "select") client.bot = told.bot; } catch { /* a close frame */ }
  });
  socket.on("close", () => sockets.delete(client));
  socket.on("error", () => sockets.delete(client));
});
function send(client, what) {
  const body = Buffer.isBuffer(what) ? what : Buffer.from(JSON.stringify(what));
  const head = body.length < 126 ? Buffer.from([0, body.length]) : Buffer.from([0, 126, body.length >> 8, body.length & 255]);
  head[0] = Buffer.isBuffer(what) ? 0x82 : 0x81;
  if (body.length < 65536) client.socket.write(Buffer.concat([head, body]));
}
for (let i = 0; i < 400; i++) makeFrame();
setInterval(() => {
  if (!paused) makeFrame();
  for (const client of sockets) {
    if (frames.length > client.at) { send(client, chunk(client.at, frames.length - client.at)); client.at = frames.length; }
    if (marks.length > client.marks) { send(client, { t: "marks", marks: marks.slice(client.marks) }); client.marks = marks.length; }
    if (lines.length > client.lines) { send(client, { t: "journal", lines: lines.slice(client.lines) }); client.lines = lines.length; }
    if (client.bot !== null && frames.length % 3 === 0 && !paused) send(client, { t: "mind", mind: mindOf(client.bot, frames.length - 1) });
  }
}, FRAME_MS);
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/?token=${TOKEN}  (${origins.length} waypoints)`));
