// The match in numbers: score, accuracy, weapons, grenades by kind and outcome, heat maps on the map, and all of it as files.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { GROUND_LAYERS, stats, statsStamp } from "../layers/catalogue.ts";
import { teamColour } from "../stage/colours.ts";
import { explain, layersOn, say, show, toggleLayer } from "../state.ts";
import { get, getText } from "../wire/api.ts";
import type { Stats } from "../wire/protocol.ts";
import { Button, download, Empty, figure, Refusal, Section, TeamMark, words } from "./parts.tsx";

const EVERY_MS = 3000;
const refusal = signal<string | null>(null);
const sortBy = signal<keyof Stats["players"][number]>("kills");

export function StatsPanel(): JSX.Element {
  useEffect(() => {
    void fetchStats();
    const timer = setInterval(() => void fetchStats(), EVERY_MS);
    return () => clearInterval(timer);
  }, [show.value?.id]);
  const known = stats.value;
  if (known === null) return refusal.value === null ? <Empty>Counting …</Empty> : <Refusal>{refusal.value}</Refusal>;
  return (
    <div class="stats">
      <TeamScores known={known} />
      <div class="toolbar">
        <Button
          onClick={() => toggleLayer("heat", undefined, GROUND_LAYERS)}
          isPressed={layersOn.value.has("heat")}
          title="Where players went, killed and fell, on the map"
        >
          Heat map
        </Button>
        <span class="spacer" />
        <Button onClick={() => download(`${name()}.json`, "application/json", JSON.stringify(known, null, 1))}>JSON</Button>
        <Button onClick={() => void downloadCsv()}>CSV</Button>
      </div>
      <Section title="Players" note="click a heading to sort">
        <PlayerTable known={known} />
      </Section>
      {known.weapons.length > 0 && (
        <Section title="Weapons">
          <Bars rows={known.weapons.map((each) => ({ name: each.weapon, value: each.kills, note: share(each.hits, each.shots) }))} unit="kills" />
        </Section>
      )}
      {known.grenades.length > 0 && (
        <Section title="Grenades" note="what came of each">
          <Grenades known={known} />
        </Section>
      )}
    </div>
  );
}

function TeamScores({ known }: { known: Stats }): JSX.Element {
  const most = Math.max(1, ...known.teams.map((team) => team.kills));
  return (
    <div class="team-scores">
      {known.teams.map((team) => (
        <div key={team.team} class="team-score">
          <TeamMark team={team.team} />
          <span>{team.name}</span>
          <strong>{team.score}</strong>
          <span class="meter-bar" aria-hidden="true">
            <i style={{ width: `${(team.kills / most) * 100}%`, background: teamColour(team.team) }} />
          </span>
          <span class="note">
            {team.kills} kills, {team.deaths} deaths
          </span>
        </div>
      ))}
    </div>
  );
}

const COLUMNS: { key: keyof Stats["players"][number]; name: string; about: string }[] = [
  { key: "kills", name: "K", about: "kills" },
  { key: "deaths", name: "D", about: "deaths" },
  { key: "accuracy", name: "acc", about: "share of shots that hit" },
  { key: "damage_dealt", name: "dmg", about: "damage dealt" },
  { key: "throws", name: "thr", about: "grenades thrown" },
  { key: "distance", name: "dist", about: "distance covered" },
];

function PlayerTable({ known }: { known: Stats }): JSX.Element {
  const rows = [...known.players].sort((a, b) => Number(b[sortBy.value]) - Number(a[sortBy.value]));
  return (
    <table class="scores">
      <thead>
        <tr>
          <th>player</th>
          {COLUMNS.map((column) => (
            <th key={column.key} class="number" aria-sort={sortBy.value === column.key ? "descending" : "none"}>
              <button type="button" title={column.about} onClick={() => (sortBy.value = column.key)}>
                {column.name}
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <td>
              <span class="who">
                <TeamMark team={row.team} />
                {row.name}
              </span>
            </td>
            <td class="number">{row.kills}</td>
            <td class="number">{row.deaths}</td>
            <td class="number">{(row.accuracy * 100).toFixed(0)} %</td>
            <td class="number">{Math.round(row.damage_dealt)}</td>
            <td class="number">{row.throws}</td>
            <td class="number">{figure(Math.round(row.distance / 100) / 10)}k</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bars(props: { rows: { name: string; value: number; note: string }[]; unit: string }): JSX.Element {
  const most = Math.max(1, ...props.rows.map((row) => row.value));
  return (
    <>
      {[...props.rows]
        .sort((a, b) => b.value - a.value)
        .map((row) => (
          <div class="meter" key={row.name}>
            <span class="meter-name">{words(row.name)}</span>
            <span class="meter-bar" aria-hidden="true">
              <i style={{ width: `${(row.value / most) * 100}%` }} />
            </span>
            <span class="meter-value" title={row.note}>
              {row.value} {props.unit}
            </span>
          </div>
        ))}
    </>
  );
}

const OUTCOMES: { key: "killed" | "hurt" | "nothing" | "own" | "friends"; colour: string; name: string }[] = [
  { key: "killed", colour: "#f5a03c", name: "killed" },
  { key: "hurt", colour: "#ffe27a", name: "hurt" },
  { key: "nothing", colour: "#445163", name: "nothing" },
  { key: "own", colour: "#ff6b6b", name: "himself" },
  { key: "friends", colour: "#c4a5f5", name: "friends" },
];

function Grenades({ known }: { known: Stats }): JSX.Element {
  return (
    <>
      {known.grenades.map((kind) => {
        const all = Math.max(1, OUTCOMES.reduce((sum, each) => sum + kind[each.key], 0));
        return (
          <div class="grenade" key={kind.kind}>
            <span>{words(kind.kind)}</span>
            <span class="note">{kind.thrown} thrown</span>
            <span class="stack" role="img" aria-label={OUTCOMES.map((each) => `${each.name} ${kind[each.key]}`).join(", ")}>
              {OUTCOMES.map((each) => (
                <i
                  key={each.key}
                  style={{ width: `${(kind[each.key] / all) * 100}%`, background: each.colour }}
                  title={`${each.name}: ${kind[each.key]}`}
                />
              ))}
            </span>
          </div>
        );
      })}
      <p class="key">
        {OUTCOMES.map((each) => (
          <span key={each.key}>
            <i style={{ background: each.colour }} /> {each.name}{" "}
          </span>
        ))}
      </p>
    </>
  );
}

function share(hits: number, shots: number): string {
  return shots === 0 ? "no shots" : `${hits} of ${shots} shots hit`;
}

function name(): string {
  const shown = show.value;
  return `fireteam-${shown?.map ?? "match"}-${shown?.seed ?? 0}`;
}

async function fetchStats(): Promise<void> {
  try {
    stats.value = await get<Stats>("stats");
    statsStamp.value++;
    refusal.value = null;
  } catch (error) {
    refusal.value = explain(error);
  }
}

async function downloadCsv(): Promise<void> {
  try {
    download(`${name()}.csv`, "text/csv", await getText("stats.csv"));
  } catch (error) {
    say(`No table: ${explain(error)}`, "bad");
  }
}
