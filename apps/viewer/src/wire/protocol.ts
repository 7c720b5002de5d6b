// What the server says, as types: the other half of the contract stands in the command's `view` room. Nothing here runs.

export type Place = [number, number, number];
export type Hull = { mins: Place; maxs: Place };

export type Player = {
  id: number;
  name: string;
  /** 255 is nobody's. */
  team: number;
  is_bot: boolean;
  skill: string | null;
  traits: Record<string, number> | null;
};

export type Show = {
  /** Changes when the server restarts or the match is replaced. */
  id: string;
  kind: "live" | "recording" | "server";
  title: string;
  map: string;
  game: string;
  gametype: string;
  seed: number;
  frame_ms: number;
  bodies: { standing: Hull; crouched: Hull; prone: Hull | null; eye_standing: number; feet: number };
  players: Player[];
  weapons: { id: number; name: string; is_throwable: boolean }[];
  throwables: { id: number; name: string; radius: number }[];
  items: { id: number; name: string; class: string }[];
  can: { control: boolean; tune: boolean; edit: boolean; fork: boolean; verify: boolean };
  url_base: string;
};

export type Terrain = {
  hash: string;
  waypoints: { origin: Place[]; flags: number[]; area: number[]; value: number[]; exposure: number[] };
  flag_names: string[];
  links: { from: number[]; to: number[]; kind: number[]; ms: number[]; trust: number[] };
  link_kinds: string[];
  areas: { id: number; class: string; waypoints: number[] }[];
  portals: { a: number; b: number; kind: string; place: Place }[];
  hiding: { waypoint: number; place: Place; covered: number }[];
  /** Every tactical value by name, 0 to 1 for each waypoint. */
  values: Record<string, number[]>;
};

export type Sight = { standing: number[]; crouched: number[] };
export type Travel = { ms: (number | null)[] };
export type ThrowSources = { sources: { from: number; rank: number; flags: string[] }[] };
export type ThrowTargets = { targets: { to: number; rank: number; flags: string[] }[] };
export type ThrowFound = {
  found: boolean;
  reason?: string;
  yaw: number;
  pitch: number;
  speed: number;
  fuse_ms: number;
  path: Place[];
  bounces: { place: Place; time: number }[];
  ends: Place;
  blast_radius: number;
  score: { name: string; value: number; weight: number | null }[];
  deviations: { path: Place[]; ends: Place; damage: number; own: number }[];
  damage: number;
  own_damage: number;
  flags: string[];
};

export type MarkKind = "kill" | "throw" | "explosion" | "round" | "objective" | "changed" | "stuck";
export type Mark = {
  frame: number;
  time: number;
  kind: MarkKind;
  text: string;
  who: number | null;
  whom: number | null;
  place: Place | null;
};

export type Turn = "starts" | "waits" | "resumes" | "ends" | "notes";
export type Line = { time: number; frame: number; bot: number; turn: Turn; goal: string; reason: string };

export type Goal = {
  name: string;
  band: string;
  score: number;
  channels: string[];
  reason: string;
  since: number;
  is_waiting: boolean;
  lease_until: number | null;
  serves: string | null;
};
export type Lost = { name: string; band: string; score: number; channels: string[]; reason: string; why: string };
export type Percept = { what: string; sense: string; place: Place | null; age_ms: number; matures_in_ms: number };
export type Threat = {
  id: number;
  place: Place;
  truth: Place | null;
  age_ms: number;
  in_sight: boolean;
  is_dead: boolean;
  spread: number | null;
};
export type Mind = {
  bot: number;
  frame: number;
  time: number;
  health: number;
  armour: number;
  weapon: string;
  goals: Goal[];
  lost: Lost[];
  percepts: Percept[];
  threats: Threat[];
  missiles: { place: Place; age_ms: number; kind: string }[];
  noises: { kind: string; place: Place; spread: number; age_ms: number; is_explained: boolean }[];
  items: {
    id: number;
    kind: string;
    place: Place;
    is_there: boolean;
    truth: boolean | null;
    seen_ms_ago: number | null;
    back_in_ms: number | null;
  }[];
  movers: { id: number; state: string }[];
  clouds: { place: Place; radius: number }[];
  objectives: unknown[];
  route: { waypoints: number[]; at: number; points: Place[]; holding: string | null } | null;
  aim: { at: Place | null; care: string; view: [number, number]; wanted: [number, number] | null };
  mood: Record<string, number>;
  traits: Record<string, number>;
  here: number;
  role: string | null;
  target: number | null;
};

export type TeamKnowledge = { last_seen_ms: (number | null)[]; trust: Record<string, number> };

export type Variable = {
  name: string;
  help: string;
  default: number;
  min: number;
  max: number;
  is_whole: boolean;
  value: number;
  group: string;
};
export type ConVars = { variables: Variable[]; history: { frame: number; time: number; name: string; value: number }[] };

export type Scope = { name: string; depth: number; calls: number; mean_us: number; max_us: number; share: number };
export type Profile = { scopes: Scope[]; frames: { ms: number[] } };

export type Stats = {
  teams: { team: number; name: string; score: number; kills: number; deaths: number }[];
  players: {
    id: number;
    name: string;
    team: number;
    kills: number;
    deaths: number;
    suicides: number;
    damage_dealt: number;
    damage_taken: number;
    shots: number;
    hits: number;
    accuracy: number;
    distance: number;
    throws: number;
  }[];
  weapons: { weapon: string; kills: number; shots: number; hits: number }[];
  grenades: {
    kind: string;
    thrown: number;
    hurt: number;
    killed: number;
    own: number;
    friends: number;
    nothing: number;
  }[];
  heat: {
    cell: number;
    origin: [number, number];
    width: number;
    height: number;
    traffic: number[];
    kills: number[];
    deaths: number[];
  };
};

export type WaypointName = number | string;
export type Edit =
  | { do: "add"; place: Place }
  | { do: "move"; waypoint: WaypointName; place: Place }
  | { do: "remove"; waypoint: WaypointName }
  | { do: "link"; from: WaypointName; to: WaypointName; kind: string }
  | { do: "unlink"; from: WaypointName; to: WaypointName }
  | { do: "flag" | "unflag"; waypoint: WaypointName; flag: string };
export type Fault = { severity: "error" | "warning"; text: string; waypoint: number | null; place: Place | null };
export type EditTried = { overlay: string; terrain: Terrain; faults: Fault[] };
export type EditKept = { edits: Edit[]; faults: Fault[]; path: string };

export type Estimate = { mean: number; low: number; high: number };
export type ForkAsked = {
  frame: number;
  seconds: number;
  set: Record<string, number>;
  forbid: { bot: number | null; behaviour: string }[];
  seeds: number;
};
export type ForkState = {
  state: "running" | "done" | "failed";
  done: number;
  of: number;
  error?: string;
  films?: { as_was: number; changed: number };
  outcomes?: { name: string; as_was: Estimate; changed: Estimate; difference: Estimate }[];
};

export type Certificate = {
  frames: number;
  commands: number;
  differing: number;
  blindfold: { commands: number; caught: number; changed: Record<string, number> };
  fastest_reaction_ms: number | null;
  reaction_bound_ms: number | null;
  encounters: number;
  greatest_turn_rate: number;
  turn_bound: number;
  perceived_share: number;
  is_honest: boolean;
  /** Why not, each in words. */
  doubts: string[];
  text: string;
};
export type VerifyState = {
  state: "running" | "done" | "failed";
  done: number;
  of: number;
  error?: string;
  certificate?: Certificate;
};

export type Told =
  | { t: "hello"; show: Show; frames: number }
  | { t: "marks"; marks: Mark[] }
  | { t: "journal"; lines: Line[] }
  | { t: "mind"; mind: Mind }
  | { t: "control"; paused: boolean; speed: number }
  | { t: "convars"; variables?: Record<string, number>; "variables-changed"?: Record<string, number> }
  | { t: "players"; players: Player[] }
  | { t: "over"; reason: string }
  | { t: "behind"; frame: number };
