// Forking the moment: from here on, with another variable or a decision forbidden; both futures beside each other, and what
// comes of it over many seeds.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { headFrame, seek } from "../playback.ts";
import { headTime } from "../roster.ts";
import { comparison, explain, journal, nameOf, players, say, selected, show } from "../state.ts";
import { get, hasToken, post, Refused } from "../wire/api.ts";
import { fetchFilm } from "../wire/live.ts";
import type { Estimate, ForkAsked, ForkState } from "../wire/protocol.ts";
import { Button, clock, Empty, figure, NO_TOKEN, Refusal, Section, words } from "./parts.tsx";
import { convars } from "./tune.tsx";

const POLL_MS = 400;
const SEEDS = [0, 20, 50, 200];

type Setting = { name: string; value: string };
type Ban = { bot: string; behaviour: string };

const seconds = signal(10);
const seeds = signal(50);
const settings = signal<Setting[]>([]);
const bans = signal<Ban[]>([]);
const running = signal<{ asked: ForkAsked; id: string | number; state: ForkState } | null>(null);

export function ForkPanel(): JSX.Element {
  const may = show.value?.can.fork === true;
  if (!may) {
    return (
      <Refusal>
        Only a match of the embedded game can be forked: its whole state is known. A recording from a real server has only what
        was seen.
      </Refusal>
    );
  }
  if (!hasToken()) return <Refusal>{NO_TOKEN}</Refusal>;
  const isBusy = running.value?.state.state === "running";
  return (
    <div class="fork">
      <p class="note">
        From <strong>{clock(headTime.value)}</strong> on (frame {headFrame.value}), the match is played again: once as it was,
        once with what you change here.
      </p>
      <Settings />
      <Bans />
      <div class="toolbar">
        <label>
          for{" "}
          <input
            type="number"
            class="short"
            min={1}
            max={120}
            value={seconds.value}
            onChange={(event) => (seconds.value = Number(event.currentTarget.value))}
          />{" "}
          s
        </label>
        <label>
          and over{" "}
          <select value={String(seeds.value)} onChange={(event) => (seeds.value = Number(event.currentTarget.value))}>
            {SEEDS.map((count) => (
              <option key={count} value={String(count)}>
                {count === 0 ? "no other" : count}
              </option>
            ))}
          </select>{" "}
          seeds
        </label>
        <span class="spacer" />
        <Button kind="main" onClick={() => void run()} isDisabled={isBusy}>
          Fork
        </Button>
      </div>
      <Progress />
    </div>
  );
}

function Settings(): JSX.Element {
  const names = convars.value?.variables.map((each) => each.name) ?? [];
  const set = (i: number, part: Partial<Setting>): void => {
    settings.value = settings.value.map((each, at) => (at === i ? { ...each, ...part } : each));
  };
  const choose = (i: number, name: string): void => {
    const known = convars.value?.variables.find((each) => each.name === name);
    set(i, { name, value: known === undefined ? "" : String(known.value) });
  };
  return (
    <Section title="Change a variable" note={`${settings.value.length}`}>
      <datalist id="variable-names">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {settings.value.map((each, i) => (
        <div class="toolbar" key={i}>
          <input
            list="variable-names"
            placeholder="variable"
            aria-label="Variable"
            value={each.name}
            onChange={(event) => choose(i, event.currentTarget.value)}
          />
          <input
            type="number"
            class="short"
            step="any"
            aria-label="Value"
            value={each.value}
            onChange={(event) => set(i, { value: event.currentTarget.value })}
          />
          <Button
            kind="quiet"
            label="Leave it"
            onClick={() => (settings.value = settings.value.filter((_, at) => at !== i))}
          >
            ✕
          </Button>
        </div>
      ))}
      <Button kind="quiet" onClick={() => (settings.value = [...settings.value, { name: "", value: "" }])}>
        + variable
      </Button>
    </Section>
  );
}

function Bans(): JSX.Element {
  const behaviours = [...new Set(journal.value.map((line) => line.goal))].sort();
  const set = (i: number, part: Partial<Ban>): void => {
    bans.value = bans.value.map((each, at) => (at === i ? { ...each, ...part } : each));
  };
  const add = (): void => {
    const bot = selected.value === null ? "" : String(selected.value);
    bans.value = [...bans.value, { bot, behaviour: behaviours[0] ?? "" }];
  };
  return (
    <Section title="Forbid a decision" note={`${bans.value.length}`}>
      <datalist id="behaviour-names">
        {behaviours.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {bans.value.map((each, i) => (
        <div class="toolbar" key={i}>
          <select aria-label="To whom" value={each.bot} onChange={(event) => set(i, { bot: event.currentTarget.value })}>
            <option value="">everybody</option>
            {[...players.value.values()].map((player) => (
              <option key={player.id} value={String(player.id)}>
                {player.name}
              </option>
            ))}
          </select>
          <input
            list="behaviour-names"
            aria-label="Decision"
            placeholder="decision"
            value={each.behaviour}
            onChange={(event) => set(i, { behaviour: event.currentTarget.value })}
          />
          <Button kind="quiet" label="Allow it" onClick={() => (bans.value = bans.value.filter((_, at) => at !== i))}>
            ✕
          </Button>
        </div>
      ))}
      <Button kind="quiet" onClick={add}>
        + decision
      </Button>
    </Section>
  );
}

async function run(): Promise<void> {
  const set: Record<string, number> = {};
  for (const each of settings.value) if (each.name !== "") set[each.name] = Number(each.value);
  const forbid = bans.value
    .filter((each) => each.behaviour !== "")
    .map((each) => ({ bot: each.bot === "" ? null : Number(each.bot), behaviour: each.behaviour }));
  const asked: ForkAsked = { frame: headFrame.value, seconds: seconds.value, set, forbid, seeds: seeds.value };
  try {
    const { id } = await post<{ id: string | number }>("fork", asked);
    running.value = { asked, id, state: { state: "running", done: 0, of: 1 } };
    await poll(id);
  } catch (error) {
    say(`Not forked: ${explain(error)}`, "bad");
    running.value = null;
  }
}

async function poll(id: string | number): Promise<void> {
  for (;;) {
    await new Promise((done) => setTimeout(done, POLL_MS));
    let state: ForkState;
    try {
      state = await get<ForkState>(`fork?id=${id}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
      // The network hiccuped; the next turn asks again.
      continue;
    }
    if (running.value?.id !== id) return;
    running.value = { ...running.value, state };
    if (state.state !== "running") return;
  }
}

function Progress(): JSX.Element | null {
  const now = running.value;
  if (now === null) return <Empty>Nothing forked yet.</Empty>;
  const { state, asked } = now;
  return (
    <div class="forked" data-state={state.state}>
      <p class="note">{describe(asked)}</p>
      {state.state === "running" && (
        <progress value={state.done} max={Math.max(1, state.of)}>
          {state.done} of {state.of}
        </progress>
      )}
      {state.state === "failed" && <Refusal>{state.error ?? "It failed without a reason."}</Refusal>}
      {state.films !== undefined && (
        <Button kind="main" onClick={() => void watch(state.films!, asked)}>
          {comparison.value === null ? "Watch both futures" : "Watch again"}
        </Button>
      )}
      {comparison.value !== null && <Button onClick={() => (comparison.value = null)}>Back to one</Button>}
      {state.outcomes !== undefined && <Outcomes outcomes={state.outcomes} />}
    </div>
  );
}

async function watch(films: { as_was: number; changed: number }, asked: ForkAsked): Promise<void> {
  try {
    const [asWas, changed] = await Promise.all([fetchFilm(films.as_was), fetchFilm(films.changed)]);
    comparison.value = { asWas, changed, from: asked.frame, label: describe(asked) };
    seek(asked.frame);
  } catch (error) {
    say(`The two futures could not be read: ${explain(error)}`, "bad");
  }
}

function describe(asked: ForkAsked): string {
  const sets = Object.entries(asked.set).map(([name, value]) => `${name} = ${figure(value)}`);
  const bansSaid = asked.forbid.map(
    (ban) => `no ${words(ban.behaviour)} for ${ban.bot === null ? "anybody" : nameOf(ban.bot)}`,
  );
  return [...sets, ...bansSaid].join(", ") || "nothing changed";
}

/** Each outcome as it was and changed, with intervals, and whether the difference is more than chance. */
function Outcomes(props: { outcomes: NonNullable<ForkState["outcomes"]> }): JSX.Element {
  return (
    <table class="outcomes">
      <thead>
        <tr>
          <th>outcome</th>
          <th class="number">as it was</th>
          <th class="number">changed</th>
          <th class="number">difference</th>
        </tr>
      </thead>
      <tbody>
        {props.outcomes.map((each) => {
          const isSure = each.difference.low > 0 || each.difference.high < 0;
          return (
            <tr key={each.name}>
              <td>{words(each.name)}</td>
              <td class="number">{interval(each.as_was)}</td>
              <td class="number">{interval(each.changed)}</td>
              <td class={`number${isSure ? " is-sure" : ""}`} title={isSure ? "more than chance" : "may be chance"}>
                {interval(each.difference)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function interval(estimate: Estimate): JSX.Element {
  return (
    <>
      {figure(estimate.mean)}
      <span class="note">
        {" "}
        [{figure(estimate.low)}, {figure(estimate.high)}]
      </span>
    </>
  );
}
