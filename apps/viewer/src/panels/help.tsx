// Keys, and what the marks mean.
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { isHelpOpen } from "../state.ts";

const KEYS: [string, string][] = [
  ["space", "pause and go on: the match while live, the film otherwise"],
  [", .", "one frame back, one on"],
  ["← →", "a second back, a second on"],
  ["- +", "slower, faster: 0.1 to 32 times"],
  ["L", "the newest frame"],
  ["1 … 9", "select a player"],
  ["[ ]", "the player before, the next"],
  ["Esc", "deselect"],
  ["O F V", "orbit, follow, through its eyes"],
  ["0, C", "the whole map; cut just above the selected player"],
  ["Page up, down", "a floor higher, a floor lower"],
  ["G W A T", "standability, waypoints, areas, throws"],
  ["H", "home: the whole map in view"],
  ["S", "copy an address of this moment"],
  ["Ctrl+Z, Ctrl+Y", "undo and redo while editing"],
  ["?", "this sheet"],
];

export function HelpSheet(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-label="Help" onClose={() => (isHelpOpen.value = false)}>
      <form method="dialog">
        <h2>Keys</h2>
        <dl>
          {KEYS.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <h2>Mouse and touch</h2>
        <p>
          Drag to turn, right drag or two fingers to shift, wheel or pinch to come nearer. Click a figure to see its mind,
          double-click to follow it. With a layer on, a click chooses a waypoint and a click with Shift a target.
        </p>
        <h2>Marks</h2>
        <p>
          Blue figures have round heads and rings under their feet, red ones angular heads and diamonds. Pink wire figures are
          where the selected bot believes somebody; a green line leads to where that enemy really is. Violet rings are noises it
          heard. White is its route, yellow its aim.
        </p>
        <button class="button main" type="submit">
          Close
        </button>
      </form>
    </dialog>
  );
}
