// Colours, once: the page's style sheet has the same ones by name. Teams are told apart by shape as well, and red is a
// vermilion that all kinds of colour vision tell from blue; scales go from dark to light for the same reason.
import { Color } from "three";

export type TeamShape = "disc" | "diamond" | "triangle" | "square";
type Livery = { name: string; colour: string; shape: TeamShape };

/** The names that the command prints, by the number of the team. */
const KNOWN = new Map<number, Livery>([
  [1, { name: "Red", colour: "#ff8552", shape: "diamond" }],
  [2, { name: "Blue", colour: "#56b4f0", shape: "disc" }],
]);
/** For further ones, in turn. */
const OTHERS: { colour: string; shape: TeamShape }[] = [
  { colour: "#c9a7f2", shape: "triangle" },
  { colour: "#7fd1a8", shape: "square" },
];
/** Team 255. */
const NOBODY: Livery = { name: "Nobody", colour: "#c3ccd6", shape: "square" };

let present: number[] = [];

export function setTeams(teams: Iterable<number>): void {
  present = [...new Set(teams)].filter((team) => team !== 255).sort((a, b) => a - b);
}

function livery(team: number): Livery {
  if (team === 255) return NOBODY;
  const other = OTHERS[team % OTHERS.length]!;
  return KNOWN.get(team) ?? { name: `Team ${team}`, ...other };
}

/** Its place among those present, or -1. */
export function teamRank(team: number): number {
  return present.indexOf(team);
}

export function teamColour(team: number): string {
  return livery(team).colour;
}

export function teamShape(team: number): TeamShape {
  return livery(team).shape;
}

export function teamName(team: number): string {
  return livery(team).name;
}

export function presentTeams(): number[] {
  return [...present];
}

const parsed = new Map<string, Color>();

/** A colour to read, not to change. */
export function colour(text: string): Color {
  let found = parsed.get(text);
  if (found === undefined) {
    found = new Color(text);
    parsed.set(text, found);
  }
  return found;
}

/** Dark blue over green to light yellow, even in lightness. */
const HEAT = ["#2c2a6b", "#2f5d8f", "#22898a", "#48b36f", "#a9d34b", "#fbe45c"].map((text) => new Color(text));

export function heat(share: number, into: Color): Color {
  const at = Math.max(0, Math.min(0.9999, share)) * (HEAT.length - 1);
  const low = Math.floor(at);
  return into.copy(HEAT[low]!).lerp(HEAT[low + 1]!, at - low);
}

export const HEAT_CSS = "linear-gradient(90deg,#2c2a6b,#2f5d8f,#22898a,#48b36f,#a9d34b,#fbe45c)";

/** For kinds and classes: told apart by lightness too. */
export const KINDS = [
  "#7fb2e5",
  "#f2b84b",
  "#8fd694",
  "#e58fb1",
  "#c4a5f5",
  "#f08a6c",
  "#66d3cf",
  "#d8d06a",
  "#9aa7b5",
  "#b98a5e",
  "#5f8df0",
  "#e2e2e2",
];

export function kindColour(kind: number): string {
  return KINDS[kind % KINDS.length]!;
}

export const COLOURS = {
  route: "#f4f7fa",
  truth: "#8cf0c0",
  belief: "#ff7d9c",
  noise: "#c4a5f5",
  aim: "#ffdf6b",
  select: "#ffffff",
  bad: "#ff6b6b",
  frag: "#ffcf6b",
};
