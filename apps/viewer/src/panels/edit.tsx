// Editing the terrain: add, move, link, unlink, flag, with undo and redo, checked as one goes and saved as the text overlay.
//
// The server applies the whole list of edits onto the baked terrain each time and answers with what comes of it, so what is
// drawn is what bots would get; nothing is kept until it is saved.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { editPick, pickMode } from "../picking.ts";
import { explain, say, show, target, terrain, toggleLayer, waypoint } from "../state.ts";
import { get, hasToken, post } from "../wire/api.ts";
import type { Edit, EditKept, EditTried, Fault, Place } from "../wire/protocol.ts";
import { Button, counted, Empty, NO_TOKEN, Refusal, Section, words } from "./parts.tsx";

type Tool = "choose" | "add" | "move" | "link" | "unlink" | "remove";
const TOOLS: { id: Tool; name: string; about: string }[] = [
  { id: "choose", name: "Choose", about: "Click a waypoint to choose it." },
  { id: "add", name: "Add", about: "Click the ground where a waypoint is to be." },
  { id: "move", name: "Move", about: "Choose a waypoint, then click where it is to be." },
  { id: "link", name: "Link", about: "Click where the link starts, then where it ends." },
  { id: "unlink", name: "Unlink", about: "Click the start of a link, then its end." },
  { id: "remove", name: "Remove", about: "Click a waypoint to take it away." },
];

const tool = signal<Tool>("choose");
const edits = signal<Edit[]>([]);
const undone = signal<Edit[]>([]);
const faults = signal<Fault[]>([]);
const overlay = signal("");
const linkKind = signal("");
const linkFrom = signal<number | null>(null);
const keptPath = signal<string | null>(null);
const isChecking = signal(false);
/** How many of the edits are saved. */
const saved = signal(0);
let flyTo: (place: Place) => void = () => {};

export function onJump(fly: (place: Place) => void): void {
  flyTo = fly;
}

/** For a new show: what was saved for its map. */
export async function fetchEdits(mayEdit: boolean): Promise<void> {
  edits.value = [];
  undone.value = [];
  faults.value = [];
  saved.value = 0;
  keptPath.value = null;
  if (!mayEdit) return;
  try {
    const kept = await get<EditKept>("edit");
    edits.value = kept.edits;
    saved.value = kept.edits.length;
    faults.value = kept.faults;
    keptPath.value = kept.path;
  } catch {
    keptPath.value = null;
  }
}

export function EditPanel(): JSX.Element {
  useEffect(() => {
    editPick.take = click;
    pickMode.value = "edit";
    toggleLayer("links", true);
    return () => {
      if (pickMode.value === "edit") pickMode.value = null;
    };
  }, []);
  if (show.value?.can.edit !== true) return <Refusal>The terrain of this show cannot be edited here.</Refusal>;
  if (!hasToken()) return <Refusal>{NO_TOKEN}</Refusal>;
  const active = TOOLS.find((each) => each.id === tool.value)!;
  return (
    <div class="edit">
      <div class="tools" role="toolbar" aria-label="Editing tools">
        {TOOLS.map((each) => (
          <Button key={each.id} onClick={() => take(each.id)} isPressed={tool.value === each.id} title={each.about}>
            {each.name}
          </Button>
        ))}
      </div>
      <p class="hint">{hint(active.about)}</p>
      {(tool.value === "link" || tool.value === "unlink") && <LinkKind />}
      <ChosenWaypoint />
      <div class="toolbar">
        <Button onClick={undo} isDisabled={edits.value.length === 0} title="Undo (Ctrl+Z)">
          Undo
        </Button>
        <Button onClick={redo} isDisabled={undone.value.length === 0} title="Redo (Ctrl+Y)">
          Redo
        </Button>
        <Button onClick={() => void check()} isDisabled={isChecking.value}>
          Check
        </Button>
        <span class="spacer" />
        <Button kind="main" onClick={() => void save()} isDisabled={isChecking.value}>
          Save
        </Button>
      </div>
      <p class="note kept">
        {counted(edits.value.length, "edit")}
        {edits.value.length === saved.value ? ", all saved" : ", not saved"}
        {keptPath.value === null ? "" : ` in ${keptPath.value}`}
      </p>
      <Faults />
      <Section title="Edits" note={String(edits.value.length)} open={edits.value.length < 12}>
        <ol class="edits">
          {edits.value.map((edit, i) => (
            <li key={i}>{describe(edit)}</li>
          ))}
        </ol>
        {overlay.value !== "" && <pre class="overlay">{overlay.value}</pre>}
      </Section>
    </div>
  );
}

export function undo(): void {
  const last = edits.value.at(-1);
  if (last === undefined) return;
  edits.value = edits.value.slice(0, -1);
  undone.value = [...undone.value, last];
  void check();
}

export function redo(): void {
  const last = undone.value.at(-1);
  if (last === undefined) return;
  undone.value = undone.value.slice(0, -1);
  edits.value = [...edits.value, last];
  void check();
}

function hint(about: string): string {
  if ((tool.value === "link" || tool.value === "unlink") && linkFrom.value !== null) {
    return `From waypoint ${linkFrom.value}: now click where it leads.`;
  }
  if (tool.value === "move" && waypoint.value !== null) return `Click where waypoint ${waypoint.value} is to be.`;
  return about;
}

function take(wanted: Tool): void {
  tool.value = wanted;
  linkFrom.value = null;
  pickMode.value = "edit";
}

function click(place: Place, near: number | null): void {
  const origin: Place = [place[0], place[1], place[2] + (show.value?.bodies.feet ?? 24)].map(
    (each) => Math.round(each * 8) / 8,
  ) as Place;
  switch (tool.value) {
    case "choose":
      waypoint.value = near;
      break;
    case "add":
      add({ do: "add", place: origin });
      break;
    case "move":
      if (waypoint.value === null) waypoint.value = near;
      else add({ do: "move", waypoint: waypoint.value, place: origin });
      break;
    case "link":
    case "unlink":
      clickLink(near);
      break;
    case "remove":
      if (near !== null) add({ do: "remove", waypoint: near });
      break;
  }
}

function clickLink(near: number | null): void {
  if (near === null) return;
  if (linkFrom.value === null) {
    linkFrom.value = near;
    waypoint.value = near;
    return;
  }
  const from = linkFrom.value;
  linkFrom.value = null;
  target.value = near;
  if (from === near) return;
  if (tool.value === "unlink") add({ do: "unlink", from, to: near });
  else add({ do: "link", from, to: near, kind: linkKind.value || terrain.value?.link_kinds[0] || "walk" });
}

function add(edit: Edit): void {
  edits.value = [...edits.value, edit];
  undone.value = [];
  void check();
}

let turn = 0;

async function check(): Promise<void> {
  const mine = ++turn;
  isChecking.value = true;
  try {
    const tried = await post<EditTried>("edit", { edits: edits.value });
    if (mine !== turn) return;
    faults.value = tried.faults;
    overlay.value = tried.overlay;
    // The same hash would leave the layers as they are.
    terrain.value = { ...tried.terrain, hash: `${tried.terrain.hash} edited ${mine}` };
  } catch (error) {
    say(`That edit does not hold: ${explain(error)}`, "bad");
    if (mine === turn) edits.value = edits.value.slice(0, -1);
  } finally {
    if (mine === turn) isChecking.value = false;
  }
}

async function save(): Promise<void> {
  try {
    const { path } = await post<{ path: string }>("edit/save", { edits: edits.value });
    keptPath.value = path;
    saved.value = edits.value.length;
    say(`Saved as ${path}; the next match uses it.`, "good");
  } catch (error) {
    say(`Not saved: ${explain(error)}`, "bad");
  }
}

function LinkKind(): JSX.Element {
  return (
    <label class="choice">
      <span class="note">kind</span>
      <select value={linkKind.value} onChange={(event) => (linkKind.value = event.currentTarget.value)}>
        {(terrain.value?.link_kinds ?? []).map((kind) => (
          <option key={kind} value={kind}>
            {words(kind)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The chosen waypoint with its flags; each is a switch. */
function ChosenWaypoint(): JSX.Element | null {
  const id = waypoint.value;
  const of = terrain.value;
  const origin = id === null ? undefined : of?.waypoints.origin[id];
  if (id === null || of === null || origin === undefined) return null;
  const bits = of.waypoints.flags[id] ?? 0;
  return (
    <Section title={`Waypoint ${id}`} note={origin.map((each) => Math.round(each)).join(", ")}>
      <div class="flags">
        {of.flag_names.map((name, bit) => {
          if (name === "") return null;
          const isOn = (bits & (1 << bit)) !== 0;
          return (
            <label key={name}>
              <input
                type="checkbox"
                checked={isOn}
                data-flag={name}
                onChange={() => add({ do: isOn ? "unflag" : "flag", waypoint: id, flag: name })}
              />{" "}
              {words(name)}
            </label>
          );
        })}
      </div>
    </Section>
  );
}

function Faults(): JSX.Element {
  const all = faults.value;
  if (all.length === 0) return <Empty>The check finds nothing wrong.</Empty>;
  const jump = (fault: Fault): void => {
    const place = fault.place ?? (fault.waypoint === null ? null : (terrain.value?.waypoints.origin[fault.waypoint] ?? null));
    if (fault.waypoint !== null) waypoint.value = fault.waypoint;
    if (place !== null) flyTo(place);
  };
  return (
    <Section title="Check" note={counted(all.length, "fault")}>
      <ul class="faults">
        {all.slice(0, 100).map((fault, i) => (
          <li key={i}>
            <button type="button" class={`fault ${fault.severity}`} onClick={() => jump(fault)}>
              <span class="chip small">{fault.severity}</span> {fault.text}
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function describe(edit: Edit): string {
  switch (edit.do) {
    case "add":
      return `add at ${edit.place.map((each) => Math.round(each)).join(", ")}`;
    case "move":
      return `move ${edit.waypoint} to ${edit.place.map((each) => Math.round(each)).join(", ")}`;
    case "remove":
      return `remove ${edit.waypoint}`;
    case "link":
      return `link ${edit.from} to ${edit.to}, ${words(edit.kind)}`;
    case "unlink":
      return `unlink ${edit.from} from ${edit.to}`;
    case "flag":
    case "unflag":
      return `${edit.do} ${edit.waypoint} ${words(edit.flag)}`;
  }
}
