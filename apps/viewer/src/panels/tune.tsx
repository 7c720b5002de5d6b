// Tuning: every variable of the bots, with what it does, its range and its default; changes take effect in the running match.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { hasToken, get, post } from "../wire/api.ts";
import type { ConVars, Variable } from "../wire/protocol.ts";
import { explain, say, show } from "../state.ts";
import { visit } from "../playback.ts";
import { Button, clock, Empty, figure, NO_TOKEN, Refusal, Section, words } from "./parts.tsx";

export const convars = signal<ConVars | null>(null);
const search = signal("");
const onlyChanged = signal(false);
const fileName = signal("tuned.cfg");

export async function fetchConVars(): Promise<void> {
  try {
    convars.value = await get<ConVars>("convars");
  } catch (error) {
    convars.value = null;
    say(`The variables could not be read: ${explain(error)}`, "bad");
  }
}

/** Another tab, or the console, changed some. */
export function hearConVars(changed: Record<string, number>): void {
  const known = convars.peek();
  if (known === null) return;
  convars.value = {
    ...known,
    variables: known.variables.map((each) => {
      const value = changed[each.name];
      return value === undefined ? each : { ...each, value };
    }),
  };
}

export function TunePanel(): JSX.Element {
  const known = convars.value;
  if (known === null) return <Empty>The server tells no variables.</Empty>;
  const mayTune = show.value?.can.tune === true;
  const changed = known.variables.filter(isChanged);
  const shown = known.variables.filter(fits);
  const groups = [...new Set(shown.map((each) => each.group))];
  return (
    <div class="tune">
      <div class="toolbar">
        <input
          type="search"
          placeholder={`search ${known.variables.length}`}
          aria-label="Search variables"
          value={search.value}
          onInput={(event) => (search.value = event.currentTarget.value)}
        />
        <label>
          <input type="checkbox" checked={onlyChanged.value} onChange={() => (onlyChanged.value = !onlyChanged.value)} />{" "}
          changed ({changed.length})
        </label>
      </div>
      {!mayTune && <Refusal>This show cannot be tuned: only a match that runs here can.</Refusal>}
      {mayTune && !hasToken() && <Refusal>{NO_TOKEN}</Refusal>}
      {groups.map((group) => (
        <Section key={group} title={words(group)} open={search.value !== "" || onlyChanged.value || groups.length < 4}>
          {shown
            .filter((each) => each.group === group)
            .map((each) => (
              <VariableRow key={each.name} variable={each} isFixed={!mayTune || !hasToken()} />
            ))}
        </Section>
      ))}
      {shown.length === 0 && <Empty>No variable fits.</Empty>}
      <Section title="Keep" open={changed.length > 0}>
        <div class="toolbar">
          <input
            aria-label="File name"
            value={fileName.value}
            onInput={(event) => (fileName.value = event.currentTarget.value)}
          />
          <Button onClick={save} isDisabled={!mayTune || !hasToken()}>
            Save
          </Button>
          <Button onClick={() => void change({ reset: "all" })} isDisabled={!mayTune || !hasToken() || changed.length === 0}>
            Reset all
          </Button>
        </div>
        <History known={known} />
      </Section>
    </div>
  );
}

function History({ known }: { known: ConVars }): JSX.Element {
  if (known.history.length === 0) return <p class="note">This match has run with the defaults so far.</p>;
  return (
    <ol class="history">
      {known.history.slice(-40).map((each, i) => (
        <li key={i}>
          <button type="button" onClick={() => visit(each.frame)}>
            <time>{clock(each.time)}</time> {each.name} = {figure(each.value)}
          </button>
        </li>
      ))}
    </ol>
  );
}

function VariableRow({ variable, isFixed }: { variable: Variable; isFixed: boolean }): JSX.Element {
  const isOther = isChanged(variable);
  const stepSize = variable.is_whole ? 1 : stepOf(variable);
  const set = (text: string): void => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value)) return;
    void change({ set: { [variable.name]: value } });
  };
  const id = `var-${variable.name}`;
  return (
    <div class={`variable${isOther ? " is-changed" : ""}`} data-variable={variable.name}>
      <div class="variable-head">
        <label for={id}>{variable.name}</label>
        {isOther && (
          <Button
            kind="quiet"
            title={`Back to ${figure(variable.default)}`}
            label={`Reset ${variable.name}`}
            isDisabled={isFixed}
            onClick={() => void change({ reset: [variable.name] })}
          >
            ↺ {figure(variable.default)}
          </Button>
        )}
        <input
          id={id}
          type="number"
          value={variable.value}
          min={variable.min}
          max={variable.max}
          step={stepSize}
          disabled={isFixed}
          onChange={(event) => set(event.currentTarget.value)}
        />
      </div>
      <input
        type="range"
        aria-label={`${variable.name}, ${figure(variable.min)} to ${figure(variable.max)}`}
        min={0}
        max={1000}
        value={toSlider(variable)}
        disabled={isFixed}
        onChange={(event) => set(String(fromSlider(variable, Number(event.currentTarget.value))))}
      />
      <p class="note">
        {variable.help} <span class="range">{figure(variable.min)} to {figure(variable.max)}, default {figure(variable.default)}</span>
      </p>
    </div>
  );
}

async function change(wanted: { set: Record<string, number> } | { reset: string[] | "all" }): Promise<void> {
  try {
    convars.value = await post<ConVars>("convars", wanted);
  } catch (error) {
    say(`Not changed: ${explain(error)}`, "bad");
    // What the server has is what is shown again.
    void fetchConVars();
  }
}

async function save(): Promise<void> {
  try {
    const { path } = await post<{ path: string }>("convars/save", { name: fileName.value });
    say(`Saved as ${path}`, "good");
  } catch (error) {
    say(`Not saved: ${explain(error)}`, "bad");
  }
}

function isChanged(variable: Variable): boolean {
  return Math.abs(variable.value - variable.default) > 1e-6 * Math.max(1, Math.abs(variable.default));
}

function fits(variable: Variable): boolean {
  if (onlyChanged.value && !isChanged(variable)) return false;
  const text = search.value.trim().toLowerCase();
  return text === "" || `${variable.name} ${variable.help} ${variable.group}`.toLowerCase().includes(text);
}

function stepOf(variable: Variable): number {
  return 10 ** Math.floor(Math.log10(Math.max(1e-6, (variable.max - variable.min) / 100)));
}

/** Wide ranges are squeezed, or all that matters would lie within the slider's first pixel. */
function isWide(variable: Variable): boolean {
  return variable.min >= 0 && variable.max > 50 * Math.max(1, Math.abs(variable.default));
}

function toSlider(variable: Variable): number {
  const share = (variable.value - variable.min) / Math.max(1e-9, variable.max - variable.min);
  return 1000 * (isWide(variable) ? Math.cbrt(share) : share);
}

function fromSlider(variable: Variable, at: number): number {
  const share = isWide(variable) ? (at / 1000) ** 3 : at / 1000;
  const value = variable.min + share * (variable.max - variable.min);
  const stepSize = variable.is_whole ? 1 : stepOf(variable);
  return Number((Math.round(value / stepSize) * stepSize).toPrecision(6));
}
