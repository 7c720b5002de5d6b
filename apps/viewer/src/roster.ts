// The table of players at the moment shown: read off the film, the marks and the journal a few times a second.
import { signal } from "@preact/signals";
import { head } from "./playback.ts";
import { film, journal, marks, players } from "./state.ts";
import { teamRank } from "./stage/colours.ts";
import { Frame, PLAYER_DEAD } from "./wire/film.ts";

export type RosterRow = {
  id: number;
  name: string;
  health: number;
  isDead: boolean;
  kills: number;
  deaths: number;
  goal: string;
};
export type Roster = { team: number; kills: number; rows: RosterRow[] };

export const rosters = signal<Roster[]>([]);
/** Milliseconds of match time at the head. */
export const headTime = signal(0);

const GOAL_LINES_BACK = 600;
const frame = new Frame();
let lastStamp = "";

export function refreshRoster(): void {
  const at = Math.floor(head() + 1e-6);
  if (!film.own.read(at, frame)) {
    if (film.own.length === 0) rosters.value = [];
    return;
  }
  headTime.value = frame.time;
  const stamp = `${at} ${marks.peek().length} ${journal.peek().length} ${players.peek().size}`;
  if (stamp === lastStamp) return;
  lastStamp = stamp;
  const counts = countKills(at);
  const goals = goalsAt(frame.time);
  const teams = new Map<number, Roster>();
  for (let i = 0; i < frame.players; i++) {
    const id = frame.playerId(i);
    const team = frame.playerTeam(i);
    const roster = teams.get(team) ?? { team, kills: 0, rows: [] };
    teams.set(team, roster);
    const kills = counts.kills.get(id) ?? 0;
    roster.kills += kills;
    roster.rows.push({
      id,
      name: players.peek().get(id)?.name ?? `player ${id}`,
      health: frame.playerHealth(i),
      isDead: (frame.playerBits(i) & PLAYER_DEAD) !== 0,
      kills,
      deaths: counts.deaths.get(id) ?? 0,
      goal: goals.get(id) ?? "",
    });
  }
  rosters.value = [...teams.values()].sort((a, b) => order(a.team) - order(b.team));
}

function order(team: number): number {
  const rank = teamRank(team);
  return rank < 0 ? 99 : rank;
}

function countKills(upTo: number): { kills: Map<number, number>; deaths: Map<number, number> } {
  const kills = new Map<number, number>();
  const deaths = new Map<number, number>();
  for (const mark of marks.peek()) {
    if (mark.frame > upTo) break;
    if (mark.kind !== "kill") continue;
    if (mark.whom !== null) deaths.set(mark.whom, (deaths.get(mark.whom) ?? 0) + 1);
    if (mark.who !== null && mark.who !== mark.whom) kills.set(mark.who, (kills.get(mark.who) ?? 0) + 1);
  }
  return { kills, deaths };
}

/** What each bot last set out to do, by the journal. */
function goalsAt(time: number): Map<number, string> {
  const goals = new Map<number, string>();
  const lines = journal.peek();
  const end = firstAfter(time);
  for (let i = end - 1; i >= 0 && i >= end - GOAL_LINES_BACK; i--) {
    const line = lines[i]!;
    if (goals.has(line.bot) || line.turn === "ends" || line.turn === "waits" || line.turn === "notes") continue;
    goals.set(line.bot, `${line.goal}: ${line.reason}`);
  }
  return goals;
}

/** Index of the first line of the journal after a time. */
export function firstAfter(time: number): number {
  const lines = journal.peek();
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
