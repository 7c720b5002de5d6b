// Layers: switches with a legend each, the cut through the map, and what a chosen throw does.
import type { JSX } from "preact";
import { foundThrow, GROUND_LAYERS, LAYERS, throwable, throwPairs, type Layer, type Legend } from "../layers/catalogue.ts";
import { layerRefusals } from "../layers/keeper.ts";
import { HEAT_CSS } from "../stage/colours.ts";
import { layersOn, show, target, terrain, toggleLayer, waypoint } from "../state.ts";
import { pickMode } from "../picking.ts";
import { Button, Empty, figure, Meter, Refusal, Section, words } from "./parts.tsx";

export function LayersPanel(): JSX.Element {
  if (terrain.value === null) return <Empty>This show has no terrain, so there is nothing to lay over the map.</Empty>;
  return (
    <div class="layers">
      <Chosen />
      <h3 class="subhead">Painted on the ground, one at a time</h3>
      {LAYERS.filter((layer) => layer.group === "ground").map((layer) => (
        <LayerSwitch key={layer.id} layer={layer} />
      ))}
      <h3 class="subhead">Drawn over it</h3>
      {LAYERS.filter((layer) => layer.group !== "ground").map((layer) => (
        <LayerSwitch key={layer.id} layer={layer} />
      ))}
      {layersOn.value.has("throws") && <ThrowSheet />}
    </div>
  );
}

/** The waypoint and the target that layers speak of. */
function Chosen(): JSX.Element {
  const pick = (mode: "waypoint" | "target") => () => (pickMode.value = pickMode.value === mode ? null : mode);
  return (
    <div class="chosen">
      <div>
        <span class="note">here</span>
        <Button kind="quiet" onClick={pick("waypoint")} isPressed={pickMode.value === "waypoint"} title="Click a spot of the map">
          {waypoint.value === null ? "pick a waypoint" : `waypoint ${waypoint.value}`}
        </Button>
        {waypoint.value !== null && (
          <Button kind="quiet" label="Forget the waypoint" onClick={() => (waypoint.value = null)}>
            ✕
          </Button>
        )}
      </div>
      <div>
        <span class="note">target</span>
        <Button kind="quiet" onClick={pick("target")} isPressed={pickMode.value === "target"} title="Click a spot of the map">
          {target.value === null ? "pick a target" : `waypoint ${target.value}`}
        </Button>
        {target.value !== null && (
          <Button kind="quiet" label="Forget the target" onClick={() => (target.value = null)}>
            ✕
          </Button>
        )}
      </div>
    </div>
  );
}

function LayerSwitch({ layer }: { layer: Layer }): JSX.Element {
  const isOn = layersOn.value.has(layer.id);
  const refusal = layerRefusals.value[layer.id];
  const instead = layer.group === "ground" ? GROUND_LAYERS : [];
  return (
    <section class={`layer${isOn ? " is-on" : ""}`}>
      <label class="switch" title={layer.about}>
        <input type="checkbox" checked={isOn} data-layer={layer.id} onChange={() => toggleLayer(layer.id, undefined, instead)} />
        <span class="switch-track" aria-hidden="true" />
        <span>{layer.name}</span>
      </label>
      {isOn && (
        <div class="layer-body">
          <p class="note">{layer.about}</p>
          {lacks(layer) !== null && <p class="hint">{lacks(layer)}</p>}
          <LegendView legend={layer.legend()} />
          {refusal !== undefined && <Refusal>{refusal}</Refusal>}
        </div>
      )}
    </section>
  );
}

function lacks(layer: Layer): string | null {
  if (layer.needs === "waypoint" && waypoint.value === null) return "Pick a waypoint: click a spot of the map.";
  if (layer.needs === "pair" && waypoint.value === null && target.value === null) {
    return "Pick a waypoint to throw from, a target, or both.";
  }
  return null;
}

function LegendView({ legend }: { legend: Legend }): JSX.Element {
  return (
    <div class="legend">
      {legend.choice !== undefined && legend.choice.options.length > 0 && <Choice choice={legend.choice} />}
      {legend.scale !== undefined && (
        <div class="scale">
          <span>{legend.scale.low}</span>
          <i style={{ background: HEAT_CSS }} aria-hidden="true" />
          <span>{legend.scale.high}</span>
        </div>
      )}
      {legend.rows !== undefined && (
        <ul>
          {legend.rows.map((row) => (
            <li key={row.text}>
              {row.key !== undefined && legend.hidden !== undefined ? (
                <HidingRow row={{ colour: row.colour, text: row.text, key: row.key }} hidden={legend.hidden} />
              ) : (
                <>
                  <i style={{ background: row.colour }} aria-hidden="true" /> {words(row.text)}
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {legend.note !== undefined && <p class="note">{legend.note}</p>}
    </div>
  );
}

function HidingRow(props: {
  row: { colour: string; text: string; key: string };
  hidden: { value: ReadonlySet<string> };
}): JSX.Element {
  const { row, hidden } = props;
  const isHidden = hidden.value.has(row.key);
  const toggle = (): void => {
    const next = new Set(hidden.value);
    if (!next.delete(row.key)) next.add(row.key);
    hidden.value = next;
  };
  return (
    <button type="button" class={`legend-row${isHidden ? " is-hidden" : ""}`} aria-pressed={!isHidden} onClick={toggle}>
      <i style={{ background: row.colour }} aria-hidden="true" /> {words(row.text)}
    </button>
  );
}

function Choice({ choice }: { choice: NonNullable<Legend["choice"]> }): JSX.Element {
  const { picked } = choice;
  return (
    <label class="choice">
      <span class="note">{choice.label}</span>
      <select value={picked.value} onChange={(event) => (picked.value = event.currentTarget.value)}>
        {choice.options.map((option) => (
          <option key={option} value={option}>
            {words(option)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What the chosen throw does, and why it is thought good. */
function ThrowSheet(): JSX.Element {
  const found = foundThrow.value;
  const pairs = throwPairs.value;
  const kinds = show.value?.throwables ?? [];
  return (
    <Section title="Throw">
      {kinds.length > 1 && (
        <label class="choice">
          <span class="note">grenade</span>
          <select
            value={String(throwable.value ?? kinds[0]!.id)}
            onChange={(event) => (throwable.value = Number(event.currentTarget.value))}
          >
            {kinds.map((kind) => (
              <option key={kind.id} value={String(kind.id)}>
                {words(kind.name)}
              </option>
            ))}
          </select>
        </label>
      )}
      {pairs !== null && (
        <p class="note">
          {pairs.kind === "sources"
            ? `${pairs.count} waypoints reach ${pairs.of}; pick one of them as “here”.`
            : `${pairs.count} waypoints are reached from ${pairs.of}; pick one of them as target.`}
        </p>
      )}
      {found !== null && !found.found && <Refusal>{found.reason ?? "No throw gets there."}</Refusal>}
      {found !== null && found.found && (
        <>
          <dl class="vitals">
            <div>
              <dt>yaw, pitch</dt>
              <dd>
                {found.yaw.toFixed(1)}°, {found.pitch.toFixed(1)}°
              </dd>
            </div>
            <div>
              <dt>speed</dt>
              <dd>{Math.round(found.speed)}</dd>
            </div>
            <div>
              <dt>bounces</dt>
              <dd>{found.bounces.length}</dd>
            </div>
            <div>
              <dt>damage / own</dt>
              <dd>
                {Math.round(found.damage)} / {Math.round(found.own_damage)}
              </dd>
            </div>
          </dl>
          {found.flags.length > 0 && (
            <p>
              {found.flags.map((flag) => (
                <span key={flag} class="chip small">
                  {words(flag)}
                </span>
              ))}
            </p>
          )}
          {found.score.map((part) => (
            <Meter
              key={part.name}
              name={part.name}
              value={part.value}
              text={part.weight === null ? figure(part.value) : `${figure(part.value)} × ${figure(part.weight)}`}
            />
          ))}
          {found.deviations.length > 0 && (
            <p class="note">
              An unsteady hand ({found.deviations.length} tries): damage{" "}
              {Math.round(Math.min(...found.deviations.map((each) => each.damage)))} to{" "}
              {Math.round(Math.max(...found.deviations.map((each) => each.damage)))}, to oneself at most{" "}
              {Math.round(Math.max(...found.deviations.map((each) => each.own)))}.
            </p>
          )}
        </>
      )}
    </Section>
  );
}
