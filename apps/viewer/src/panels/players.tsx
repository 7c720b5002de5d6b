// Who is playing: teams with their players, how they are, and what each is after right now.
import type { JSX } from "preact";
import { camera, selected } from "../state.ts";
import { rosters, type RosterRow } from "../roster.ts";
import { teamName } from "../stage/colours.ts";
import { Empty, TeamMark } from "./parts.tsx";

export function PlayersPanel(): JSX.Element {
  const teams = rosters.value;
  if (teams.length === 0) return <Empty>Nobody is on the field yet.</Empty>;
  return (
    <div class="players">
      {teams.map(({ team, rows, kills }) => (
        <section key={team} aria-label={`Team ${teamName(team)}`}>
          <h3 class="team-head">
            <TeamMark team={team} />
            <span>{teamName(team)}</span>
            <span class="note">
              {rows.filter((row) => !row.isDead).length} of {rows.length} up
            </span>
            <strong>{kills}</strong>
          </h3>
          <ul class="roster">
            {rows.map((row) => (
              <PlayerRow key={row.id} row={row} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function PlayerRow({ row }: { row: RosterRow }): JSX.Element {
  const isSelected = selected.value === row.id;
  const choose = (): void => {
    selected.value = isSelected ? null : row.id;
  };
  const follow = (): void => {
    selected.value = row.id;
    camera.value = "follow";
  };
  return (
    <li>
      <button
        type="button"
        class={`roster-row${row.isDead ? " is-dead" : ""}${isSelected ? " is-selected" : ""}`}
        aria-pressed={isSelected}
        onClick={choose}
        onDblClick={follow}
        title={`${row.name}: select; double-click to follow`}
        data-bot={row.id}
      >
        <span class="roster-name">{row.name}</span>
        <span class="roster-health" aria-label={row.isDead ? "dead" : `health ${row.health}`}>
          <i
            class={row.health < 35 ? "is-low" : ""}
            style={{ transform: `scaleX(${row.isDead ? 0 : Math.min(1, row.health / 100)})` }}
          />
        </span>
        <span class="roster-count" title="kills and deaths">
          {row.kills}
          <span class="note">/{row.deaths}</span>
        </span>
        <span class="roster-goal">{row.isDead ? "dead" : row.goal}</span>
      </button>
    </li>
  );
}
