// Names and health over heads, as text of the page: sharp at any size, and cheap, since only their places change.
import { Vector3, type PerspectiveCamera } from "three";
import { PLAYER_BEARER, PLAYER_BLINDED, PLAYER_DEAD, PLAYER_RELOADING } from "../wire/film.ts";
import { nameOf } from "../state.ts";
import { teamColour, teamShape } from "./colours.ts";
import type { Figure } from "./figures.ts";

const LABEL_ABOVE = 74;
/** Farther off, a name would hide more than it says. */
const FAR = 7000;
/** Pixels a label takes, and how often it may step up to get out of another's way. */
const WIDTH = 52;
const HEIGHT = 24;
const STEPS_MAX = 5;
const UNKNOWN_HEALTH = 255;

type Label = {
  element: HTMLElement;
  name: HTMLElement;
  bar: HTMLElement;
  state: HTMLElement;
  id: number;
  team: number;
  health: number;
  bits: number;
  isSelected: boolean;
  isShown: boolean;
};

export class Labels {
  private readonly labels: Label[] = [];
  private readonly at = new Vector3();
  /** Places taken in this frame, x and y in turn. */
  private readonly taken: number[] = [];

  constructor(private readonly root: HTMLElement) {}

  place(
    figures: Figure[],
    count: number,
    camera: PerspectiveCamera,
    left: number,
    width: number,
    height: number,
    selected: number | null,
    hidden: number,
  ): void {
    this.taken.length = 0;
    for (let i = 0; i < count; i++) {
      const label = this.labels[i] ?? this.make();
      const figure = figures[i]!;
      this.at.set(figure.x, figure.y, figure.z + LABEL_ABOVE);
      const distance = this.at.distanceTo(camera.position);
      this.at.project(camera);
      const isDead = (figure.bits & PLAYER_DEAD) !== 0;
      const isInView = this.at.z < 1 && Math.abs(this.at.x) < 1.02 && Math.abs(this.at.y) < 1.1;
      show(label, isInView && !isDead && figure.id !== hidden && (distance < FAR || figure.id === selected));
      if (!label.isShown) continue;
      dress(label, figure, figure.id === selected);
      const x = Math.round(left + (this.at.x * 0.5 + 0.5) * width);
      const y = this.free(x, Math.round((0.5 - this.at.y * 0.5) * height));
      label.element.style.transform = `translate(${x}px,${y}px) translate(-50%,-100%)`;
    }
    for (let i = count; i < this.labels.length; i++) show(this.labels[i]!, false);
  }

  /** The nearest height at or above `y` at which no other name stands. */
  private free(x: number, y: number): number {
    const { taken } = this;
    for (let step = 0; step < STEPS_MAX; step++) {
      const i = taken.findIndex((_, at) => at % 2 === 0 && Math.abs(taken[at]! - x) < WIDTH && Math.abs(taken[at + 1]! - y) < HEIGHT);
      if (i < 0) break;
      y = taken[i + 1]! - HEIGHT;
    }
    taken.push(x, y);
    return y;
  }

  hideAll(): void {
    for (const label of this.labels) show(label, false);
  }

  private make(): Label {
    const element = document.createElement("div");
    element.className = "label";
    const name = document.createElement("span");
    name.className = "label-name";
    const state = document.createElement("span");
    state.className = "label-state";
    const health = document.createElement("span");
    health.className = "label-health";
    const bar = document.createElement("i");
    health.append(bar);
    element.append(name, state, health);
    this.root.append(element);
    const label: Label = {
      element,
      name,
      bar,
      state,
      id: -1,
      team: -1,
      health: -1,
      bits: -1,
      isSelected: false,
      isShown: true,
    };
    this.labels.push(label);
    return label;
  }
}

function show(label: Label, isShown: boolean): void {
  if (label.isShown === isShown) return;
  label.isShown = isShown;
  label.element.style.display = isShown ? "" : "none";
}

function dress(label: Label, figure: Figure, isSelected: boolean): void {
  if (label.id !== figure.id || label.team !== figure.team) {
    label.id = figure.id;
    label.team = figure.team;
    label.name.textContent = nameOf(figure.id);
    label.name.dataset.shape = teamShape(figure.team);
    label.element.style.setProperty("--team", teamColour(figure.team));
  }
  if (label.health !== figure.health) {
    label.health = figure.health;
    label.bar.style.transform = `scaleX(${Math.min(1, figure.health / 100)})`;
    label.bar.parentElement!.style.display = figure.health === UNKNOWN_HEALTH ? "none" : "";
    label.bar.classList.toggle("is-low", figure.health < 35);
  }
  if (label.bits !== figure.bits) {
    label.bits = figure.bits;
    label.state.textContent =
      (figure.bits & PLAYER_BLINDED) !== 0
        ? "blinded"
        : (figure.bits & PLAYER_RELOADING) !== 0
          ? "reloading"
          : (figure.bits & PLAYER_BEARER) !== 0
            ? "bearer"
            : "";
  }
  if (label.isSelected !== isSelected) {
    label.isSelected = isSelected;
    label.element.classList.toggle("is-selected", isSelected);
  }
}
