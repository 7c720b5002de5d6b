// The honesty certificate: the recording thought again, blindfolds tried, reactions and turns measured.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { explain, say, show } from "../state.ts";
import { get, hasToken, post } from "../wire/api.ts";
import type { Certificate, VerifyState } from "../wire/protocol.ts";
import { Button, download, Empty, figure, NO_TOKEN, Refusal, words } from "./parts.tsx";

const POLL_MS = 400;
const state = signal<VerifyState | null>(null);

export function VerifyPanel(): JSX.Element {
  if (show.value?.can.verify !== true) {
    return <Refusal>This show cannot be verified: it needs a recording of what every bot was shown.</Refusal>;
  }
  if (!hasToken()) return <Refusal>{NO_TOKEN}</Refusal>;
  const now = state.value;
  return (
    <div class="verify">
      <p class="note">
        Every decision so far is thought again and compared, bit for bit; then again with everything changed that no bot could
        have perceived. Whoever cheats decides otherwise.
      </p>
      <Button kind="main" onClick={() => void run()} isDisabled={now?.state === "running"}>
        Verify
      </Button>
      {now === null && <Empty>Not verified yet.</Empty>}
      {now?.state === "running" && (
        <progress value={now.done} max={Math.max(1, now.of)}>
          {now.done} of {now.of}
        </progress>
      )}
      {now?.state === "failed" && <Refusal>{now.error ?? "It failed without a reason."}</Refusal>}
      {now?.certificate !== undefined && <CertificateView of={now.certificate} />}
    </div>
  );
}

/** Views are rounded when they are sent, and the server allows for it: what it calls honest is not doubted here by a hair. */
function CertificateView({ of }: { of: Certificate }): JSX.Element {
  return (
    <article class={`certificate ${of.is_honest ? "is-honest" : "is-not"}`}>
      <h3>{of.is_honest ? "Honest" : "Not honest"}</h3>
      <ul class="proofs">
        <Proof isGood={of.differing === 0} text={`${of.commands} commands over ${of.frames} frames thought again, ${of.differing} differ`} />
        <Proof
          isGood={of.blindfold.caught === 0}
          text={`${of.blindfold.commands} commands thought blindfolded, ${of.blindfold.caught} changed by what nobody perceived`}
        />
        <Proof
          isGood={of.is_honest || of.fastest_reaction_ms === null || of.reaction_bound_ms === null || of.fastest_reaction_ms >= of.reaction_bound_ms}
          text={
            of.fastest_reaction_ms === null
              ? `no reaction measured in ${of.encounters} encounters`
              : `fastest reaction ${figure(of.fastest_reaction_ms)} ms in ${of.encounters} encounters` +
                (of.reaction_bound_ms === null ? "" : `, at least ${figure(of.reaction_bound_ms)} ms by their skill`)
          }
        />
        <Proof
          isGood={of.is_honest || of.greatest_turn_rate <= of.turn_bound}
          text={`greatest turn rate ${figure(of.greatest_turn_rate)}° a second, at most ${figure(of.turn_bound)}° allowed`}
        />
        <Proof isGood={true} text={`${figure(of.perceived_share * 100)} % of what was there was perceived`} />
      </ul>
      {of.doubts.length > 0 && <Refusal>{of.doubts.join("; ")}</Refusal>}
      <details>
        <summary class="note">What the blindfold changed</summary>
        <ul class="facts">
          {Object.entries(of.blindfold.changed).map(([name, count]) => (
            <li key={name}>
              {words(name)}: {count}
            </li>
          ))}
        </ul>
      </details>
      <div class="toolbar">
        <Button onClick={() => download("certificate.txt", "text/plain", of.text)}>Text</Button>
        <Button onClick={() => download("certificate.json", "application/json", JSON.stringify(of, null, 1))}>JSON</Button>
      </div>
    </article>
  );
}

function Proof(props: { isGood: boolean; text: string }): JSX.Element {
  return (
    <li class={props.isGood ? "is-good" : "is-bad"}>
      <span aria-hidden="true">{props.isGood ? "✓" : "✕"}</span> {props.text}
    </li>
  );
}

async function run(): Promise<void> {
  state.value = { state: "running", done: 0, of: 1 };
  try {
    const { id } = await post<{ id: string | number }>("verify", {});
    do {
      await new Promise((done) => setTimeout(done, POLL_MS));
      state.value = await get<VerifyState>(`verify?id=${id}`);
    } while (state.value.state === "running");
  } catch (error) {
    say(`Not verified: ${explain(error)}`, "bad");
    state.value = null;
  }
}
