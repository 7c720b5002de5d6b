// A bot's mind at the moment shown: what it senses, believes beside what is true, wants and why, and what it will not do.
import type { JSX } from "preact";
import { camera, mind, mindRefusal, nameOf, players, selected, show } from "../state.ts";
import { COLOURS } from "../stage/colours.ts";
import type { Goal, Lost, Mind, Place, Threat } from "../wire/protocol.ts";
import { ago, Button, Empty, figure, Meter, Section, TeamMark, Who, words } from "./parts.tsx";

const CHANNELS = ["legs", "eyes", "hands", "voice"];

export function MindPanel(): JSX.Element {
  const id = selected.value;
  if (id === null) {
    return (
      <Empty>
        Click a figure, or a name among the players, to see what it senses, believes and wants. <kbd>1</kbd>–<kbd>9</kbd>{" "}
        choose players, <kbd>[</kbd> and <kbd>]</kbd> go through them.
      </Empty>
    );
  }
  const player = players.value.get(id);
  const known = mind.value?.bot === id ? mind.value : null;
  return (
    <div class="mind">
      <header class="mind-head">
        {player !== undefined && <TeamMark team={player.team} />}
        <h2>{nameOf(id)}</h2>
        {player?.skill != null && <span class="chip">{player.skill}</span>}
        {known?.role != null && <span class="chip">{words(known.role)}</span>}
        <span class="spacer" />
        <Button kind="quiet" onClick={() => (camera.value = "follow")} title="Follow (F)">
          Follow
        </Button>
        <Button kind="quiet" onClick={() => (camera.value = "first")} title="Through its eyes (V)">
          Eyes
        </Button>
        <Button kind="quiet" onClick={() => (selected.value = null)} label="Deselect" title="Deselect (Esc)">
          ✕
        </Button>
      </header>
      {known === null ? (
        <Empty>{mindRefusal.value ?? "Asking for its mind …"}</Empty>
      ) : (
        <Thoughts known={known} />
      )}
    </div>
  );
}

function Thoughts({ known }: { known: Mind }): JSX.Element {
  return (
    <>
      <dl class="vitals">
        <Vital name="health" value={String(known.health)} />
        <Vital name="armour" value={String(known.armour)} />
        <Vital name="weapon" value={known.weapon} />
        <Vital name="target" value={known.target === null ? "none" : nameOf(known.target)} />
      </dl>
      <Section title="Wants" note={`${known.goals.length} goals`}>
        <Channels goals={known.goals} />
        {known.goals.map((goal, i) => (
          <GoalCard key={`${goal.name}${i}`} goal={goal} now={known.time} />
        ))}
        {known.goals.length === 0 && <Empty>No goal at all.</Empty>}
      </Section>
      {known.lost.length > 0 && (
        <Section title="Would also" note={`${known.lost.length} bids lost`} open={known.lost.length < 6}>
          {known.lost.map((bid, i) => (
            <LostBid key={`${bid.name}${i}`} bid={bid} />
          ))}
        </Section>
      )}
      <Beliefs known={known} />
      <Percepts known={known} />
      <Legs known={known} />
      <Section title="Mood and traits" open={false}>
        {Object.entries(known.mood).map(([name, value]) => (
          <Meter key={name} name={name} value={value} most={value > 1 ? 100 : 1} />
        ))}
        {Object.entries(known.traits).map(([name, value]) => (
          <Meter key={`trait ${name}`} name={name} value={value} most={value > 1 ? 100 : 1} />
        ))}
      </Section>
    </>
  );
}

function Vital(props: { name: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

/** Who has the legs, the eyes, the hands and the voice. */
function Channels({ goals }: { goals: Goal[] }): JSX.Element {
  return (
    <div class="channels">
      {CHANNELS.map((channel) => {
        const holder = goals.find((goal) => !goal.is_waiting && goal.channels.includes(channel));
        return (
          <div key={channel} class={`channel${holder === undefined ? " is-idle" : ""}`}>
            <span class="note">{channel}</span>
            <span>{holder === undefined ? "idle" : words(holder.name)}</span>
          </div>
        );
      })}
    </div>
  );
}

function GoalCard({ goal, now }: { goal: Goal; now: number }): JSX.Element {
  const since = now - goal.since;
  return (
    <article class={`goal${goal.is_waiting ? " is-waiting" : ""}`} data-goal={goal.name}>
      <header>
        <strong>{words(goal.name)}</strong>
        <Band name={goal.band} />
        <span class="spacer" />
        <span class="note" title="score inside its band">
          {figure(goal.score)}
        </span>
      </header>
      <p class="reason">{goal.reason}</p>
      <footer class="note">
        {goal.channels.join(", ")}
        {goal.is_waiting ? " · waits" : ""}
        {since >= 0 ? ` · for ${ago(since)}` : ""}
        {goal.lease_until !== null && goal.lease_until > now ? ` · lease for ${ago(goal.lease_until - now)}` : ""}
        {goal.serves !== null ? ` · serves ${words(goal.serves)}` : ""}
      </footer>
    </article>
  );
}

function Band({ name }: { name: string }): JSX.Element {
  return (
    <span class="band" data-band={name.toLowerCase()}>
      {words(name)}
    </span>
  );
}

function LostBid({ bid }: { bid: Lost }): JSX.Element {
  return (
    <div class="lost">
      <strong>{words(bid.name)}</strong> <Band name={bid.band} /> <span class="note">{figure(bid.score)}</span>
      <p class="reason">
        {bid.reason}
        {bid.why !== "" && <em> {bid.why}</em>}
      </p>
    </div>
  );
}

function Beliefs({ known }: { known: Mind }): JSX.Element {
  const others = known.items.filter((item) => item.truth !== null && item.truth !== item.is_there).length;
  return (
    <Section title="Believes" note={`${known.threats.length} enemies, ${others} items wrong`}>
      <table class="beliefs">
        <thead>
          <tr>
            <th>enemy</th>
            <th class="number">known for</th>
            <th class="number" title="distance between belief and truth">
              off by
            </th>
            <th />
          </tr>
        </thead>
        <tbody>
          {known.threats.map((threat) => (
            <ThreatRow key={threat.id} threat={threat} />
          ))}
        </tbody>
      </table>
      {known.threats.length === 0 && <Empty>Knows of no enemy.</Empty>}
      <p class="key">
        <i style={{ background: COLOURS.belief }} /> believed <i style={{ background: COLOURS.truth }} /> line to the truth{" "}
        <i style={{ background: COLOURS.noise }} /> heard
      </p>
      <More known={known} />
    </Section>
  );
}

function ThreatRow({ threat }: { threat: Threat }): JSX.Element {
  const off = threat.truth === null ? null : distance(threat.place, threat.truth);
  return (
    <tr class={threat.is_dead ? "is-dead" : ""}>
      <td>
        <Who id={threat.id} />
      </td>
      <td class="number">{ago(threat.age_ms)}</td>
      <td class="number">{off === null ? "–" : `${Math.round(off)} u`}</td>
      <td>
        {threat.is_dead ? "thinks dead" : threat.in_sight ? "in sight" : threat.spread === null ? "" : `±${Math.round(threat.spread)}`}
      </td>
    </tr>
  );
}

/** Noises, missiles, items and doors: shown only where there is something to say. */
function More({ known }: { known: Mind }): JSX.Element {
  const wrong = known.items.filter((item) => item.truth !== null && item.truth !== item.is_there);
  return (
    <ul class="facts">
      {known.missiles.map((missile, i) => (
        <li key={`m${i}`}>
          {words(missile.kind)} flying, seen {ago(missile.age_ms)} ago
        </li>
      ))}
      {known.noises.slice(0, 6).map((noise, i) => (
        <li key={`n${i}`}>
          heard {words(noise.kind)} {ago(noise.age_ms)} ago, within {Math.round(noise.spread)} u
          {noise.is_explained ? ", knows what it was" : ""}
        </li>
      ))}
      {wrong.slice(0, 6).map((item) => (
        <li key={`i${item.id}`}>
          thinks {itemName(item.kind)} is {item.is_there ? "there" : "gone"}; it is {item.truth === true ? "there" : "gone"}
          {item.back_in_ms !== null ? `, expects it in ${ago(item.back_in_ms)}` : ""}
        </li>
      ))}
      {known.movers.slice(0, 6).map((mover) => (
        <li key={`d${mover.id}`}>
          mover {mover.id}: {words(mover.state)}
        </li>
      ))}
    </ul>
  );
}

function itemName(kind: string): string {
  const found = show.peek()?.items.find((item) => String(item.id) === kind);
  return words(found?.name ?? kind);
}

function Percepts({ known }: { known: Mind }): JSX.Element {
  return (
    <Section title="Senses" note={`${known.percepts.length} percepts`} open={known.percepts.length > 0}>
      <table class="beliefs">
        <tbody>
          {known.percepts.slice(0, 14).map((percept, i) => (
            <tr key={i} class={percept.matures_in_ms > 0 ? "is-coming" : ""}>
              <td>
                <span class="chip small">{percept.sense}</span>
              </td>
              <td>{percept.what}</td>
              <td class="number">
                {percept.matures_in_ms > 0 ? `known in ${ago(percept.matures_in_ms)}` : `${ago(percept.age_ms)} ago`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {known.percepts.length === 0 && <Empty>Nothing on the delay line.</Empty>}
    </Section>
  );
}

function Legs({ known }: { known: Mind }): JSX.Element {
  const { route, aim } = known;
  const off = aim.wanted === null ? null : Math.hypot(aim.view[0] - aim.wanted[0], turn(aim.view[1], aim.wanted[1]));
  return (
    <Section title="Route and aim">
      <ul class="facts">
        <li>
          stands at waypoint {known.here}
          {route === null
            ? ", no route"
            : `, on its way to ${route.waypoints.at(-1) ?? "?"} (${Math.max(0, route.waypoints.length - route.at)} to go)`}
          {route?.holding != null ? `, held up: ${route.holding}` : ""}
        </li>
        <li>
          eyes: {words(aim.care)}
          {off === null ? "" : `, ${figure(off)}° off where it wants to look`}
        </li>
      </ul>
    </Section>
  );
}

function turn(a: number, b: number): number {
  return ((((b - a) % 360) + 540) % 360) - 180;
}

function distance(a: Place, b: Place): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
