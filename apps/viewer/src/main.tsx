// The page, from the top: take the token, draw the panels, open the stage, connect, and fetch what a show needs.
import { effect } from "@preact/signals";
import { render } from "preact";
import "./style.css";
import { applyFrame, applyView, keepAddress, readAddress } from "./address.ts";
import { listenToKeys } from "./keys.ts";
import { LayerKeeper } from "./layers/keeper.ts";
import { stats } from "./layers/catalogue.ts";
import { fetchEdits, onJump } from "./panels/edit.tsx";
import { Page } from "./panels/page.tsx";
import { convars, fetchConVars, hearConVars } from "./panels/tune.tsx";
import { listen } from "./picking.ts";
import { head, headFrame, isFollowing, isPlaying } from "./playback.ts";
import { refreshRoster } from "./roster.ts";
import { presentTeams, setTeams } from "./stage/colours.ts";
import { MapView } from "./stage/map.ts";
import { counters, Stage } from "./stage/stage.ts";
import * as state from "./state.ts";
import { get, getBytes, Refused, takeToken } from "./wire/api.ts";
import { Frame } from "./wire/film.ts";
import { connect, fill, follow, traffic } from "./wire/live.ts";
import type { Mind, Show, Terrain } from "./wire/protocol.ts";

const ROSTER_EVERY_MS = 200;
const MIND_WAITS_MS = 120;
const MIND_AGAIN_MS = 600;

function begin(root: HTMLElement): void {
  let stage: Stage;
  try {
    stage = new Stage(root);
  } catch (error) {
    root.querySelector(".veil")!.textContent = `This page draws with WebGL, which this browser does not offer: ${state.explain(error)}`;
    return;
  }
  const layers = new LayerKeeper(stage.layers, () => stage.invalidate());
  readAddress();
  layers.start();
  listen(stage);
  listenToKeys(stage);
  onJump((place) => stage.cameras.flyTo(place));
  keepAddress(stage);
  keepMind();
  effect(() => {
    void [state.selected.value, state.camera.value, state.comparison.value];
    stage.invalidate();
  });
  effect(() => {
    if (state.filmLength.value > 0) applyFrame(state.filmLength.value);
  });
  effect(() => {
    // Scrubbing somewhere that has not come yet asks for that next.
    if (!state.film.own.has(headFrame.value)) void fill();
  });
  setInterval(refreshRoster, ROSTER_EVERY_MS);
  stage.start();
  connect((shown) => void stageShow(shown, stage), hearConVars);
  expose(stage, layers);
}

/** A show, first or new: its map, its terrain, its variables. */
async function stageShow(shown: Show, stage: Stage): Promise<void> {
  setTeams(shown.players.map((player) => player.team));
  document.title = `${shown.map}: Fireteam`;
  stats.value = null;
  state.comparison.value = null;
  const whenMapped = getBytes("map").then((bytes) => {
    const map = new MapView(bytes);
    stage.setMap(map);
    state.bounds.value = { min: map.min, max: map.max };
    state.floors.value = map.floors;
    applyView();
  });
  const whenKnown = get<Terrain>("terrain").then((terrain) => {
    if (state.show.peek()?.id === shown.id) state.terrain.value = terrain;
  });
  void fetchConVars();
  void fetchEdits(shown.can.edit);
  for (const [what, promise] of [["map", whenMapped], ["terrain", whenKnown]] as const) {
    promise.catch((error: unknown) => state.say(`No ${what}: ${state.explain(error)}`, "bad"));
  }
}

/** The selected bot's mind: told by the server at the newest frame, asked for anywhere else. */
function keepMind(): void {
  let timer = 0;
  let waiting: AbortController | null = null;
  effect(() => follow(state.selected.value));
  effect(() => {
    const [bot, frame, isLive] = [state.selected.value, headFrame.value, isFollowing.value];
    const isStill = isLive && state.simulation.value.paused;
    clearTimeout(timer);
    if (state.mind.peek()?.bot !== bot) state.mind.value = null;
    if (bot === null || state.show.value === null || (isLive && !isStill && state.mind.peek() !== null)) return;
    const ask = async (): Promise<void> => {
      waiting?.abort();
      waiting = new AbortController();
      try {
        state.mind.value = await get<Mind>(`mind?bot=${bot}&frame=${frame}`, waiting.signal);
        state.mindRefusal.value = null;
      } catch (error) {
        if (error instanceof DOMException && error.name === "AbortError") return;
        state.mindRefusal.value = state.explain(error);
        // It has not been thought yet, or too many ask at once.
        if (error instanceof Refused && error.status === 503) timer = window.setTimeout(() => void ask(), MIND_AGAIN_MS);
      }
    };
    timer = window.setTimeout(() => void ask(), isPlaying.peek() && !isLive ? 0 : MIND_WAITS_MS);
  });
}

/** For tests, and for whoever wants to measure. */
function expose(stage: Stage, layers: LayerKeeper): void {
  Object.assign(window, {
    __fireteam: {
      counters,
      traffic,
      state,
      convars,
      layers,
      stage,
      head,
      Frame,
      get frames() {
        return state.film.own.length;
      },
    },
  });
}

effect(() => {
  // Players may come and go on a server; teams keep their colours as long as both have somebody.
  const teams = [...state.players.value.values()].map((player) => player.team);
  if (teams.some((team) => !presentTeams().includes(team))) setTeams([...presentTeams(), ...teams]);
});

takeToken();
render(<Page onStage={begin} />, document.getElementById("page")!);
