// Keeps what is drawn of the layers in step with what is switched on: builds, replaces, removes, and says what is missing.
import { effect, signal } from "@preact/signals";
import type { Object3D } from "three";
import { explain, layersOn, terrain } from "../state.ts";
import { Refused } from "../wire/api.ts";
import { LAYERS, type Layer } from "./catalogue.ts";
import { dispose } from "./marks.ts";

/** The server works something out for the first time and says so; asked again so often, it has it at some point. */
const NOT_YET = 503;
const AGAIN_MS = 1500;

/** Why a layer that is on shows nothing, by its id. */
export const layerRefusals = signal<Record<string, string>>({});

type Drawn = { key: string; object: Object3D | null; turn: number };

export class LayerKeeper {
  private readonly drawn = new Map<string, Drawn>();
  private turns = 0;

  constructor(
    private readonly root: Object3D,
    private readonly invalidate: () => void,
  ) {}

  /** From now on. */
  start(): void {
    for (const layer of LAYERS) {
      effect(() => {
        const isOn = layersOn.value.has(layer.id) && terrain.value !== null;
        if (!isOn) this.remove(layer);
        else void this.keep(layer, layer.key());
      });
    }
  }

  has(id: string): boolean {
    return (this.drawn.get(id)?.object ?? null) !== null;
  }

  private async keep(layer: Layer, key: string): Promise<void> {
    const before = this.drawn.get(layer.id);
    if (before?.key === key) return;
    const mine: Drawn = { key, object: before?.object ?? null, turn: this.turns++ };
    this.drawn.set(layer.id, mine);
    let built: Object3D | null = null;
    let refusal = "";
    let isNotYet = false;
    try {
      built = await layer.build();
    } catch (error) {
      refusal = explain(error);
      isNotYet = error instanceof Refused && error.status === NOT_YET;
    }
    // Meanwhile it may have been switched off, or asked for anew.
    if (this.drawn.get(layer.id)?.turn !== mine.turn) {
      if (built !== null) dispose(built);
      return;
    }
    if (mine.object !== null) this.drop(mine.object);
    mine.object = built;
    if (built !== null) this.root.add(built);
    note(layer.id, refusal);
    this.invalidate();
    if (isNotYet) setTimeout(() => this.retry(layer, mine), AGAIN_MS);
  }

  private retry(layer: Layer, drawn: Drawn): void {
    if (this.drawn.get(layer.id)?.turn !== drawn.turn) return;
    this.drawn.delete(layer.id);
    void this.keep(layer, drawn.key);
  }

  private remove(layer: Layer): void {
    const drawn = this.drawn.get(layer.id);
    if (drawn === undefined) return;
    this.drawn.delete(layer.id);
    if (drawn.object !== null) this.drop(drawn.object);
    note(layer.id, "");
    this.invalidate();
  }

  private drop(object: Object3D): void {
    this.root.remove(object);
    dispose(object);
  }
}

function note(id: string, refusal: string): void {
  const all = { ...layerRefusals.peek() };
  if (refusal === "") delete all[id];
  else all[id] = refusal;
  layerRefusals.value = all;
}
