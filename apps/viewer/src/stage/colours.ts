// Colours, once: the page's style sheet has the same ones by name. Teams are told apart by shape as well, and the two first
// are blue and orange, which all kinds of colour vision tell apart; scales go from dark to light for the same reason.
import { Color } from "three";

/** Team 255 is nobody's and comes last. */
const TEAMS = ["#56b4f0", "#f5a03c", "#c9a7f2", "#7fd1a8"];
const NOBODY = "#c3ccd6";
export const TEAM_NAMES = ["Blue", "Orange", "Violet", "Green"];
export type TeamShape = "disc" | "diamond" | "triangle" | "square";
const SHAPES: TeamShape[] = ["disc", "diamond", "triangle", "square"];

/** Games count their teams from 0 or, with 0 for nobody, from 1: whoever draws asks by rank among those present. */
let ranks = new Map<number, number>();

export function setTeams(teams: Iterable<number>): void {
  const present = [...new Set(teams)].filter((team) => team !== 255).sort((a, b) => a - b);
  ranks = new Map(present.map((team, rank) => [team, rank]));
}

export function teamRank(team: number): number {
  return ranks.get(team) ?? -1;
}

export function teamColour(team: number): string {
  return TEAMS[teamRank(team)] ?? NOBODY;
}

export function teamShape(team: number): TeamShape {
  return SHAPES[teamRank(team)] ?? "square";
}

export function teamName(team: number): string {
  return TEAM_NAMES[teamRank(team)] ?? "Nobody";
}

export function presentTeams(): number[] {
  return [...ranks.keys()];
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
