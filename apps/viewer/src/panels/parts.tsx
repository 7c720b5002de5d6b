// Small pieces that every panel is made of.
import type { ComponentChildren, JSX } from "preact";
import { teamColour, teamShape } from "../stage/colours.ts";
import { players } from "../state.ts";

export function Section(props: { title: string; note?: string; children: ComponentChildren; open?: boolean }): JSX.Element {
  return (
    <details class="section" open={props.open ?? true}>
      <summary>
        <h3>{props.title}</h3>
        {props.note !== undefined && <span class="note">{props.note}</span>}
      </summary>
      <div class="section-body">{props.children}</div>
    </details>
  );
}

/** The mark of a team: its colour and its shape, so that neither is needed alone. */
export function TeamMark(props: { team: number }): JSX.Element {
  return <span class="team-mark" data-shape={teamShape(props.team)} style={{ "--team": teamColour(props.team) }} />;
}

export function Who(props: { id: number | null }): JSX.Element {
  const player = props.id === null ? undefined : players.value.get(props.id);
  if (player === undefined) return <span class="who">{props.id === null ? "nobody" : `player ${props.id}`}</span>;
  return (
    <span class="who">
      <TeamMark team={player.team} />
      {player.name}
    </span>
  );
}

/** A number from 0 to 1 as a bar with its name and its figure. */
export function Meter(props: { name: string; value: number; most?: number; text?: string }): JSX.Element {
  const most = props.most ?? 1;
  const share = Math.max(0, Math.min(1, most === 0 ? 0 : props.value / most));
  return (
    <div class="meter">
      <span class="meter-name">{words(props.name)}</span>
      <span class="meter-bar" aria-hidden="true">
        <i style={{ width: `${share * 100}%` }} />
      </span>
      <span class="meter-value">{props.text ?? figure(props.value)}</span>
    </div>
  );
}

export function Empty(props: { children: ComponentChildren }): JSX.Element {
  return <p class="empty">{props.children}</p>;
}

/** Says why something cannot be done here, instead of hiding it. */
export function Refusal(props: { children: ComponentChildren }): JSX.Element {
  return (
    <p class="refusal" role="note">
      {props.children}
    </p>
  );
}

export function Button(props: {
  children: ComponentChildren;
  onClick: () => void;
  kind?: "main" | "plain" | "quiet";
  title?: string;
  isDisabled?: boolean;
  isPressed?: boolean;
  label?: string;
}): JSX.Element {
  return (
    <button
      type="button"
      class={`button ${props.kind ?? "plain"}`}
      onClick={props.onClick}
      title={props.title}
      disabled={props.isDisabled}
      aria-pressed={props.isPressed}
      aria-label={props.label}
    >
      {props.children}
    </button>
  );
}

export const NO_TOKEN =
  "This tab may watch only: it was opened without the token. Use the address that the command printed, with its ?token=…";

export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** `0:07.3`, `12:30.0` */
export function clock(ms: number): string {
  const sign = ms < 0 ? "-" : "";
  const tenths = Math.floor(Math.abs(ms) / 100);
  const minutes = Math.floor(tenths / 600);
  return `${sign}${minutes}:${String(Math.floor(tenths / 10) % 60).padStart(2, "0")}.${tenths % 10}`;
}

export function ago(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `1 edit`, `2 edits` */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

export function words(name: string): string {
  return name.replaceAll("_", " ");
}

export function download(name: string, kind: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
