// A recording: opened, scrubbed, and one moment of it handed on.
import assert from "node:assert/strict";
import { before } from "node:test";
import { command, open, serve, test, until } from "./harness.mjs";

before(() => {
  command("--headless", "--quiet", "--minutes", "0.5", "--seed", "3", "--record", "short.rec");
});

test("a recording plays, and is scrubbed from end to end", async (context) => {
  const server = await serve(context, "replay", "short.rec");
  const { page } = await open(context, server.address);
  await page.getByText("recording", { exact: true }).waitFor();
  await until(page, () => window.__fireteam.state.film.own.held === window.__fireteam.frames && window.__fireteam.frames > 500);
  const began = await page.evaluate(() => window.__fireteam.head());
  await until(page, (was) => window.__fireteam.head() > was + 5, began);
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  const strip = page.locator(".strip");
  const box = await strip.boundingBox();
  for (const share of [0.75, 0.2, 0.5]) {
    await page.mouse.click(box.x + box.width * share, box.y + box.height / 2);
    await until(
      page,
      (wanted) => {
        const { head, frames, stage } = window.__fireteam;
        return Math.abs(head() / frames - wanted) < 0.02 && stage.figures.count === 8;
      },
      share,
    );
  }
  // Dragged as well as clicked.
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await until(page, () => Math.abs(window.__fireteam.head() / window.__fireteam.frames - 0.9) < 0.02);
  // And by keys.
  await strip.focus();
  await page.keyboard.press("Home");
  await until(page, () => window.__fireteam.head() === 0);
  await page.keyboard.press("End");
  await until(page, () => window.__fireteam.head() === window.__fireteam.frames - 1);
  // The same moment is the same picture, however one comes to it.
  const places = () => page.evaluate(() => window.__fireteam.stage.figures.drawn.slice(0, 8).map(({ id, x, y, z }) => [id, x, y, z]));
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await until(page, () => window.__fireteam.head() === 20 && window.__fireteam.stage.figures.count === 8);
  const once = await drawnPlaces(page, places);
  await page.keyboard.press("End");
  await until(page, () => window.__fireteam.head() > 500);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await until(page, () => window.__fireteam.head() === 20);
  assert.deepEqual(await drawnPlaces(page, places), once);
});

/** After the next drawn frame. */
async function drawnPlaces(page, places) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return places();
}

test("a bot's mind is known at any moment of a recording", async (context) => {
  const server = await serve(context, "replay", "short.rec");
  const { page } = await open(context, server.address);
  await page.keyboard.press("Space");
  await page.locator(".roster-row").nth(2).click();
  const box = await page.locator(".strip").boundingBox();
  for (const share of [0.6, 0.3]) {
    await page.mouse.click(box.x + box.width * share, box.y + box.height / 2);
    await until(
      page,
      (wanted) => {
        const { head, frames, state } = window.__fireteam;
        return (
          Math.abs(head() / frames - wanted) < 0.02 &&
          state.mind.value?.bot === state.selected.value &&
          state.mind.value.frame === Math.floor(head() + 1e-6)
        );
      },
      share,
    );
  }
});

test("an address shares a moment: frame, bot, camera, layers and cut", async (context) => {
  const server = await serve(context, "replay", "short.rec");
  const { page } = await open(context, server.address, { hash: "layers=areas&cut=100" });
  await until(page, () => window.__fireteam.state.film.own.held === window.__fireteam.frames && window.__fireteam.frames > 500);
  await page.keyboard.press("Space");
  await page.locator(".roster-row").nth(1).click();
  const box = await page.locator(".strip").boundingBox();
  await page.mouse.click(box.x + box.width * 0.4, box.y + box.height / 2);
  await until(page, () => Math.abs(window.__fireteam.head() / window.__fireteam.frames - 0.4) < 0.02);
  await page.locator(".mind-head").waitFor();
  const canvas = await page.locator("canvas.stage-canvas").boundingBox();
  const framed = await page.evaluate(describeMoment);
  await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
  await page.mouse.wheel(0, -600);
  await until(page, (was) => Math.round(window.__fireteam.stage.cameras.camera.position.z) < was - 100, framed.from[2]);
  await comesToRest(page);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("The address of this moment is copied.").waitFor();
  const shared = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(new URL(shared).searchParams.get("token"), null, "who is sent it may watch, not change");
  const moment = await page.evaluate(describeMoment);
  await page.close();
  const { page: other } = await open(context, shared);
  await until(other, (frame) => Math.floor(window.__fireteam.head() + 1e-6) === frame, moment.frame);
  await until(other, () => window.__fireteam.stage.map !== null && window.__fireteam.layers.has("areas"));
  assert.deepEqual(await other.evaluate(describeMoment), moment);
  await until(other, (frame) => window.__fireteam.state.mind.value?.frame === frame, moment.frame);
  await other.getByRole("heading", { name: "Wants" }).waitFor();
});

/** The camera glides on for a while. */
async function comesToRest(page) {
  await until(page, () => {
    const { position } = window.__fireteam.stage.cameras.camera;
    const key = position.toArray().join();
    const isStill = window.restedAt?.key === key && performance.now() - window.restedAt.since > 300;
    if (window.restedAt?.key !== key) window.restedAt = { key, since: performance.now() };
    return isStill;
  });
}

function describeMoment() {
  const { head, state, stage } = window.__fireteam;
  const whole = (vector) => vector.toArray().map((each) => Math.round(each));
  return {
    frame: Math.floor(head() + 1e-6),
    bot: state.selected.value,
    camera: state.camera.value,
    layers: [...state.layersOn.value],
    cut: state.cut.value,
    from: whole(stage.cameras.camera.position),
    to: whole(stage.cameras.controls.target),
  };
}
