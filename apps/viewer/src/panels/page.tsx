// The page around the stage: bar above, tools on the left, the selected bot on the right, timeline below. On a phone the
// panels are one sheet that comes up from below.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ComponentType, JSX } from "preact";
import { shareMoment } from "../address.ts";
import { rosters } from "../roster.ts";
import {
  bounds,
  camera,
  comparison,
  connection,
  cut,
  cutFollows,
  dismiss,
  floors,
  isHelpOpen,
  isOver,
  isSheetOpen,
  notices,
  selected,
  show,
  tab,
  type CameraMode,
} from "../state.ts";
import { teamName } from "../stage/colours.ts";
import { hasToken } from "../wire/api.ts";
import { EditPanel } from "./edit.tsx";
import { ForkPanel } from "./fork.tsx";
import { HelpSheet } from "./help.tsx";
import { JournalPanel } from "./journal.tsx";
import { LayersPanel } from "./layers.tsx";
import { MindPanel } from "./mind.tsx";
import { PlayersPanel } from "./players.tsx";
import { ProfilePanel } from "./profile.tsx";
import { StatsPanel } from "./stats.tsx";
import { Timeline } from "./timeline.tsx";
import { TunePanel } from "./tune.tsx";
import { VerifyPanel } from "./verify.tsx";
import { NO_TOKEN, TeamMark } from "./parts.tsx";

type Tab = { id: string; name: string; panel: ComponentType; onlyPhone?: boolean };

export const TABS: readonly Tab[] = [
  { id: "players", name: "Players", panel: PlayersPanel },
  { id: "mind", name: "Mind", panel: MindPanel, onlyPhone: true },
  { id: "journal", name: "Journal", panel: JournalPanel, onlyPhone: true },
  { id: "layers", name: "Layers", panel: LayersPanel },
  { id: "tune", name: "Tune", panel: TunePanel },
  { id: "fork", name: "Fork", panel: ForkPanel },
  { id: "edit", name: "Edit", panel: EditPanel },
  { id: "stats", name: "Stats", panel: StatsPanel },
  { id: "profile", name: "Profile", panel: ProfilePanel },
  { id: "verify", name: "Verify", panel: VerifyPanel },
];

const phone = matchMedia("(max-width: 760px)");
export const isPhone = signal(phone.matches);
phone.addEventListener("change", () => (isPhone.value = phone.matches));

export function Page(props: { onStage: (root: HTMLElement) => void }): JSX.Element {
  const stage = useRef<HTMLElement>(null);
  useEffect(() => props.onStage(stage.current!), []);
  return (
    <div class={`page${isPhone.value ? " is-phone" : ""}${isSheetOpen.value ? "" : " is-sheet-closed"}`}>
      <TopBar />
      <main class="stage" ref={stage} aria-label="The match">
        <CameraBar />
        {comparison.value !== null && <ComparisonHead />}
        <Veil />
      </main>
      <Dock />
      {!isPhone.value && (
        <aside class="dock right" aria-label="The selected bot">
          <div class="pane mind-pane">
            <MindPanel />
          </div>
          <div class="pane journal-pane">
            <JournalPanel />
          </div>
        </aside>
      )}
      <Timeline />
      <Notices />
      {isHelpOpen.value && <HelpSheet />}
    </div>
  );
}

function TopBar(): JSX.Element {
  const shown = show.value;
  return (
    <header class="bar">
      <h1>
        <img src="./icon.svg" alt="" width="22" height="22" /> <span>Fireteam</span>
      </h1>
      <span class="bar-title">
        {shown === null ? "" : `${shown.map} · ${shown.gametype}`}
        <span class="note bar-more">{shown === null ? "" : ` · ${shown.title} · seed ${shown.seed}`}</span>
      </span>
      <Score />
      <span class="spacer" />
      {!hasToken() && (
        <span class="chip" title={NO_TOKEN}>
          watching only
        </span>
      )}
      <ConnectionChip />
      <button type="button" class="button quiet" onClick={() => void shareMoment()} title="Copy an address of this moment (S)">
        Share
      </button>
      <button type="button" class="button quiet" onClick={() => (isHelpOpen.value = true)} title="Keys and help (?)" aria-label="Help">
        ?
      </button>
    </header>
  );
}

function Score(): JSX.Element | null {
  const teams = rosters.value.filter((each) => each.team !== 255);
  if (teams.length < 2 || teams.length > 4) return null;
  return (
    <div class="score" role="status" aria-label="Kills so far" aria-live="off">
      {teams.map((each) => (
        <span key={each.team} title={`${teamName(each.team)}: ${each.kills} kills`}>
          <TeamMark team={each.team} />
          <strong>{each.kills}</strong>
        </span>
      ))}
    </div>
  );
}

function ConnectionChip(): JSX.Element {
  const shown = show.value;
  const isLost = connection.value !== "open";
  const text = isLost
    ? connection.value === "lost"
      ? "server gone, trying again"
      : "connecting"
    : shown?.kind === "recording"
      ? "recording"
      : isOver.value !== null
        ? "match over"
        : shown?.kind === "server"
          ? "live server"
          : "live match";
  return (
    <span class={`chip connection${isLost ? " is-lost" : ""}`} role="status" title={isOver.value ?? ""}>
      <i aria-hidden="true" /> {text}
    </span>
  );
}

const CAMERAS: { id: CameraMode; name: string; about: string }[] = [
  { id: "orbit", name: "Orbit", about: "Round any spot (O)" },
  { id: "follow", name: "Follow", about: "Along with the selected player (F)" },
  { id: "first", name: "Eyes", about: "Through the selected player's eyes (V)" },
];

function CameraBar(): JSX.Element {
  const low = Math.floor(bounds.value.min[2]);
  const high = Math.ceil(bounds.value.max[2]);
  const needsBot = selected.value === null;
  return (
    <div class="camera-bar" role="toolbar" aria-label="Camera and cut">
      <span class="segmented">
        {CAMERAS.map((each) => (
          <button
            key={each.id}
            type="button"
            aria-pressed={camera.value === each.id}
            disabled={needsBot && each.id !== "orbit"}
            title={needsBot && each.id !== "orbit" ? `${each.about}: select one first` : each.about}
            onClick={() => (camera.value = each.id)}
          >
            {each.name}
          </button>
        ))}
      </span>
      <span class="segmented floors" aria-label="Floors">
        <button type="button" aria-pressed={cut.value === null && !cutFollows.value} onClick={() => setCut(null)} title="The whole map (0)">
          All
        </button>
        {floors.value.map((floor, i) => (
          <button
            key={floor}
            type="button"
            aria-pressed={!cutFollows.value && cut.value === cutOf(i)}
            onClick={() => setCut(cutOf(i))}
            title={`Floor at height ${floor}, cut open above it`}
          >
            {i + 1}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={cutFollows.value}
          disabled={needsBot}
          onClick={() => (cutFollows.value = !cutFollows.value)}
          title="Cut just above the selected player (C)"
        >
          Auto
        </button>
      </span>
      <label class="cut" title="Cut the map open at a height">
        <span>Cut</span>
        <input
          type="range"
          min={low}
          max={high + 8}
          value={cut.value ?? high + 8}
          aria-label="Height at which the map is cut open"
          onInput={(event) => {
            const height = Number(event.currentTarget.value);
            setCut(height > high ? null : height);
          }}
        />
      </label>
    </div>
  );
}

/** High enough to see who stands there, below the ceiling of the next. */
export function cutOf(floor: number): number {
  const next = floors.value[floor + 1];
  const here = floors.value[floor]!;
  return next === undefined ? here + 120 : Math.min(here + 100, next - 4);
}

export function setCut(height: number | null): void {
  cutFollows.value = false;
  cut.value = height;
}

function ComparisonHead(): JSX.Element {
  return (
    <div class="comparison-head">
      <span>as it was</span>
      <button type="button" class="button plain" onClick={() => (comparison.value = null)}>
        Close
      </button>
      <span>{comparison.value!.label}</span>
    </div>
  );
}

function Veil(): JSX.Element | null {
  if (show.value !== null) return null;
  return (
    <div class="veil" role="status">
      {connection.value === "lost" ? "The server does not answer; trying again …" : "Asking the server for the match …"}
    </div>
  );
}

function Dock(): JSX.Element {
  const tabs = TABS.filter((each) => isPhone.value || each.onlyPhone !== true);
  const active = tabs.find((each) => each.id === tab.value) ?? tabs[0]!;
  const Panel = active.panel;
  const choose = (id: string): void => {
    isSheetOpen.value = tab.value !== id || !isSheetOpen.value;
    tab.value = id;
  };
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const next = tabs[(tabs.indexOf(active) + by + tabs.length) % tabs.length]!;
    tab.value = next.id;
    document.getElementById(`tab-${next.id}`)?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <aside class="dock left" aria-label="Tools">
      <div class="tabs" role="tablist" aria-label="Tools" onKeyDown={onKey}>
        {tabs.map((each) => (
          <button
            key={each.id}
            id={`tab-${each.id}`}
            type="button"
            role="tab"
            aria-selected={active.id === each.id}
            aria-controls="tool-panel"
            tabIndex={active.id === each.id ? 0 : -1}
            onClick={() => (isPhone.value ? choose(each.id) : (tab.value = each.id))}
          >
            {each.name}
          </button>
        ))}
      </div>
      <div class="pane" id="tool-panel" role="tabpanel" aria-labelledby={`tab-${active.id}`} tabIndex={-1}>
        <Panel />
      </div>
    </aside>
  );
}

function Notices(): JSX.Element {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((notice) => (
        <button key={notice.id} type="button" class={`notice ${notice.kind}`} onClick={() => dismiss(notice.id)}>
          {notice.text}
        </button>
      ))}
    </div>
  );
}
