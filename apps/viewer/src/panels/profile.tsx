// Where the time goes: the profiler's tree, and what each of the last frames cost.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { explain, say, show } from "../state.ts";
import { get, hasToken, post } from "../wire/api.ts";
import type { Profile, Scope } from "../wire/protocol.ts";
import { counters } from "../stage/stage.ts";
import { Chart } from "./chart.tsx";
import { Button, Empty, figure, NO_TOKEN, Refusal, Section, words } from "./parts.tsx";

const EVERY_MS = 1000;
const profile = signal<Profile | null>(null);
const refusal = signal<string | null>(null);

export function ProfilePanel(): JSX.Element {
  useEffect(() => {
    void fetchProfile();
    const timer = setInterval(() => void fetchProfile(), EVERY_MS);
    return () => clearInterval(timer);
  }, [show.value?.id]);
  const known = profile.value;
  const ms = known?.frames.ms ?? [];
  const sorted = [...ms].sort((a, b) => a - b);
  return (
    <div class="profile">
      {refusal.value !== null && <Refusal>{refusal.value}</Refusal>}
      {!hasToken() && <Refusal>{NO_TOKEN}</Refusal>}
      <div class="toolbar">
        <Button onClick={() => void turn(true)} isDisabled={!hasToken()}>
          Measure
        </Button>
        <Button onClick={() => void turn(false)} isDisabled={!hasToken()}>
          Stop
        </Button>
        <span class="note">
          this page: {(counters.script_ms_sum / Math.max(1, counters.drawn)).toFixed(2)} ms a drawn frame,{" "}
          {counters.draw_calls} draw calls
        </span>
      </div>
      <Section title="Frames" note={ms.length > 0 ? `median ${figure(at(sorted, 0.5))} ms, 99 % ${figure(at(sorted, 0.99))} ms` : ""}>
        {ms.length > 1 ? (
          <Chart x={ms.map((_, i) => i - ms.length + 1)} y={ms} label="Milliseconds of thinking per frame" unit=" ms" />
        ) : (
          <Empty>No frame measured yet.</Empty>
        )}
      </Section>
      <Section title="Scopes" note="mean of a call">
        {(known?.scopes.length ?? 0) === 0 ? <Empty>Press “Measure” to see where the time goes.</Empty> : <Tree scopes={known!.scopes} />}
      </Section>
    </div>
  );
}

function Tree({ scopes }: { scopes: Scope[] }): JSX.Element {
  return (
    <table class="tree">
      <thead>
        <tr>
          <th>scope</th>
          <th class="number">calls</th>
          <th class="number">mean µs</th>
          <th class="number">max µs</th>
          <th class="number">share</th>
        </tr>
      </thead>
      <tbody>
        {scopes.map((scope, i) => (
          <tr key={i}>
            <td style={{ paddingLeft: `${scope.depth * 14 + 4}px` }}>{words(scope.name)}</td>
            <td class="number">{scope.calls}</td>
            <td class="number">{figure(scope.mean_us)}</td>
            <td class="number">{figure(scope.max_us)}</td>
            <td class="number bar-cell">
              <i style={{ width: `${Math.min(1, scope.share) * 100}%` }} aria-hidden="true" />
              {(scope.share * 100).toFixed(0)} %
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function at(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function fetchProfile(): Promise<void> {
  try {
    profile.value = await get<Profile>("profile");
    refusal.value = null;
  } catch (error) {
    refusal.value = explain(error);
  }
}

async function turn(on: boolean): Promise<void> {
  try {
    await post("profile", { on });
    await fetchProfile();
  } catch (error) {
    say(`The profiler did not listen: ${explain(error)}`, "bad");
  }
}
