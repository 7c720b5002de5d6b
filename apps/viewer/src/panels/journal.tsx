// The journal: every change of mind with its reason, up to the moment shown and a little beyond; a click goes there.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { isFollowing, visit } from "../playback.ts";
import { firstAfter, headTime } from "../roster.ts";
import { journal, selected } from "../state.ts";
import type { Line } from "../wire/protocol.ts";
import { clock, Empty, Who, words } from "./parts.tsx";

const LINES_BEFORE = 160;
const LINES_AFTER = 24;
/** Lines looked through for those that fit the filter. */
const SCAN_MAX = 12_000;

const filter = signal("");
const showsAll = signal(false);
const showsEnds = signal(false);

export function JournalPanel(): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const { before, after } = linesAround();
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    // The newest line before the head stays at the lower end, those to come below it.
    const now = element.querySelector<HTMLElement>(".is-now");
    if (now !== null) element.scrollTop = now.offsetTop + now.offsetHeight - element.clientHeight + (after.length > 0 ? 60 : 0);
  });
  return (
    <div class="journal">
      <div class="journal-bar">
        <h2>Journal</h2>
        <input
          type="search"
          placeholder="filter"
          aria-label="Filter the journal"
          value={filter.value}
          onInput={(event) => (filter.value = event.currentTarget.value)}
        />
        <label title="Also the other bots">
          <input type="checkbox" checked={showsAll.value} onChange={() => (showsAll.value = !showsAll.value)} /> all
        </label>
        <label title="Also goals that wait, resume and end">
          <input type="checkbox" checked={showsEnds.value} onChange={() => (showsEnds.value = !showsEnds.value)} /> ends
        </label>
      </div>
      {before.length + after.length === 0 ? (
        <Empty>Nothing written yet{filter.value === "" ? "" : " that fits the filter"}.</Empty>
      ) : (
        <ol class="lines" ref={list} tabIndex={0} aria-label="Journal lines">
          {before.map((line, i) => (
            <JournalLine key={i} line={line} isNow={i === before.length - 1} isAhead={false} />
          ))}
          {after.map((line, i) => (
            <JournalLine key={before.length + i} line={line} isNow={false} isAhead={true} />
          ))}
        </ol>
      )}
    </div>
  );
}

function JournalLine(props: { line: Line; isNow: boolean; isAhead: boolean }): JSX.Element {
  const { line } = props;
  const isOfAll = selected.value === null || showsAll.value;
  return (
    <li class={`${props.isNow ? "is-now" : ""}${props.isAhead ? " is-ahead" : ""}`}>
      <button type="button" onClick={() => visit(line.frame)} title="Go to this moment">
        <time>{clock(line.time)}</time>
        {isOfAll && <Who id={line.bot} />}
        <span class={`turn turn-${line.turn}`}>{line.turn}</span>
        <strong>{words(line.goal)}</strong>
        <span class="reason">{line.reason}</span>
      </button>
    </li>
  );
}

function linesAround(): { before: Line[]; after: Line[] } {
  const lines = journal.value;
  const now = firstAfter(headTime.value);
  const wanted = matcher();
  const before: Line[] = [];
  for (let i = now - 1; i >= 0 && before.length < LINES_BEFORE && now - i < SCAN_MAX; i--) {
    if (wanted(lines[i]!)) before.push(lines[i]!);
  }
  const after: Line[] = [];
  if (!isFollowing.value) {
    for (let i = now; i < lines.length && after.length < LINES_AFTER && i - now < SCAN_MAX; i++) {
      if (wanted(lines[i]!)) after.push(lines[i]!);
    }
  }
  return { before: before.reverse(), after };
}

function matcher(): (line: Line) => boolean {
  const bot = showsAll.value ? null : selected.value;
  const text = filter.value.trim().toLowerCase();
  const ends = showsEnds.value;
  return (line) =>
    (bot === null || line.bot === bot) &&
    (ends || (line.turn !== "ends" && line.turn !== "waits" && line.turn !== "resumes")) &&
    (text === "" || `${line.goal} ${line.reason} ${line.turn}`.toLowerCase().includes(text));
}
