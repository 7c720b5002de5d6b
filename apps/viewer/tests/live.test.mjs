// A match that is being played: watched, looked into, steered, tuned.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { open, serve, test, until } from "./harness.mjs";

/** Nobody wins it, so that nothing ends while it is looked at. */
const MATCH = ["--bots", "4", "--gametype", "team", "--minutes", "100"];

test("the page loads and the match runs, and nothing is asked of any other machine", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page, requests } = await open(context, server.address);
  assert.match(await page.title(), /compound/);
  assert.equal(new URL(page.url()).searchParams.get("token"), null, "the token leaves the address bar");
  const first = await page.evaluate(() => window.__fireteam.frames);
  await until(page, (before) => window.__fireteam.frames > before + 20 && window.__fireteam.head() > before + 10, first);
  await page.locator(".roster-row").nth(7).waitFor();
  assert.equal(await page.locator(".roster-row").count(), 8);
  assert.equal(await page.locator(".players section").count(), 2);
  // Figures move, and the map is there to be stood on.
  const places = () => page.evaluate(() => window.__fireteam.stage.figures.drawn.slice(0, 8).map((each) => [each.x, each.y]));
  const before = await places();
  await until(
    page,
    (were) => window.__fireteam.stage.figures.drawn.slice(0, 8).filter((each, i) => Math.hypot(each.x - were[i][0], each.y - were[i][1]) > 20).length >= 4,
    before,
  );
  assert.ok((await page.evaluate(() => window.__fireteam.counters.triangles)) > 1000, "a map is drawn");
  assert.ok(requests.length > 8, "scripts, styles, the map, the film");
  assert.deepEqual([...new Set(requests.map((url) => new URL(url).host))], [`127.0.0.1:${server.port}`]);
});

test("a selected bot shows its mind, and its goal changes with a reason", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address);
  await page.locator(".roster-row").nth(1).click();
  const name = await page.locator(".roster-row").nth(1).locator(".roster-name").innerText();
  assert.equal(await page.locator(".mind-head h2").innerText(), name);
  await page.locator(".goal .reason").first().waitFor();
  const goals = () => page.$$eval(".goal", (all) => all.map((each) => `${each.dataset.goal}: ${each.querySelector(".reason").textContent}`));
  const before = await goals();
  assert.ok(before.length > 0);
  await until(
    page,
    (were) => {
      const now = [...document.querySelectorAll(".goal")];
      return now.some((each) => !were.some((was) => was.startsWith(`${each.dataset.goal}:`)) && each.querySelector(".reason").textContent.length > 3);
    },
    before,
  );
  // The journal says the same, with its reason, and of this bot only.
  await page.locator(".journal .lines .reason").first().waitFor();
  const state = await page.evaluate(() => {
    const { selected, journal } = window.__fireteam.state;
    const lines = journal.value.filter((line) => line.bot === selected.value && line.turn === "starts");
    return { lines: lines.length, reasons: lines.every((line) => line.reason.length > 0) };
  });
  assert.ok(state.lines > 0 && state.reasons, JSON.stringify(state));
  for (const heading of ["Wants", "Believes", "Senses", "Route and aim", "Mood and traits"]) {
    assert.ok(await page.locator(".mind summary", { hasText: heading }).count(), heading);
  }
  // A line of the journal leads to its moment; the mind of then is thought again.
  const line = page.locator(".journal .lines li button").first();
  await line.click();
  await until(page, () => {
    const { mind, selected } = window.__fireteam.state;
    return mind.value?.bot === selected.value && mind.value.frame === Math.floor(window.__fireteam.head() + 1e-6);
  });
  await page.keyboard.press("Escape");
  await page.getByText("Click a figure, or a name").waitFor();
});

test("a click on a figure selects it", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address);
  await page.keyboard.press("Space");
  await until(page, () => window.__fireteam.state.simulation.value.paused && window.__fireteam.head() === window.__fireteam.frames - 1);
  const spot = await page.evaluate(() => {
    const { stage } = window.__fireteam;
    const box = stage.canvas.getBoundingClientRect();
    for (const figure of stage.figures.drawn.slice(0, stage.figures.count)) {
      const at = stage.project([figure.x, figure.y, figure.z + 34]);
      if (at.isInView && at.y > 90 && stage.figureAt(at.x, at.y) === figure) return { x: box.left + at.x, y: box.top + at.y, id: figure.id };
    }
    return null;
  });
  assert.notEqual(spot, null, "somebody is in view");
  await page.mouse.click(spot.x, spot.y);
  await until(page, (id) => window.__fireteam.state.selected.value === id, spot.id);
});

test("every layer draws something and goes away again", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address, { hash: "tab=layers" });
  const ids = await page.$$eval("[data-layer]", (all) => all.map((each) => each.dataset.layer));
  assert.ok(ids.length >= 11, ids.join());
  await until(page, () => window.__fireteam.frames > 60);
  await page.locator(".roster-row, #tab-players").first().waitFor();
  await page.evaluate(() => (window.__fireteam.state.waypoint.value = 10));
  // Throws take minutes to work out on a map as large as this, the first time: the next test has a small one.
  for (const id of ids.filter((each) => each !== "throws")) {
    const input = page.locator(`[data-layer="${id}"]`);
    const section = page.locator("section.layer", { has: input });
    await section.locator("label.switch").click();
    await until(page, (layer) => window.__fireteam.layers.has(layer), id);
    const points = await page.evaluate(countPoints);
    assert.ok(points > 0, `${id} draws nothing`);
    assert.equal(await section.locator(".refusal").count(), 0, `${id} is refused`);
    assert.ok((await section.locator(".legend").innerText()).trim().length > 0, `${id} has a legend`);
    await section.locator("label.switch").click();
    await until(page, (layer) => !window.__fireteam.layers.has(layer), id);
  }
  // Only what marks the chosen waypoint is left.
  assert.ok((await page.evaluate(() => window.__fireteam.stage.layers.children.length)) <= 1);
});

/** Corners of everything the layers draw, instances counted each. */
function countPoints() {
  let points = 0;
  window.__fireteam.stage.layers.traverse((object) => {
    const geometry = object.geometry;
    if (geometry === undefined) return;
    points += (geometry.attributes.position?.count ?? 0) * (object.count ?? geometry.instanceCount ?? 1);
  });
  return points;
}

test("throws are worked out, and one is shown with its flight and its score", async (context) => {
  const room = fileURLToPath(new URL("../../../testdata/maps/window_lob.map", import.meta.url));
  const server = await serve(context, "--map", room, "--bots", "1", "--gametype", "team", "--minutes", "100");
  // The first time somebody asks, the page is told to come again.
  const { page } = await open(context, server.address, { hash: "tab=layers&layers=throws&waypoint=3" });
  await page.getByText(/waypoints are reached from 3/).waitFor();
  const target = await page.evaluate(async () => {
    const answer = await fetch("api/terrain/throws?from=3");
    const { targets } = await answer.json();
    return targets.reduce((best, each) => (each.rank > best.rank ? each : best)).to;
  });
  await page.evaluate((to) => (window.__fireteam.state.target.value = to), target);
  await page.getByText("yaw, pitch").waitFor();
  await until(page, () => window.__fireteam.layers.has("throws"));
  assert.ok((await page.evaluate(countPoints)) > 0);
  assert.ok((await page.locator(".layers .meter").count()) > 0, "score parts");
  await page.getByRole("button", { name: "Forget the waypoint" }).click();
  await page.getByText(new RegExp(`waypoints reach ${target}`)).waitFor();
});

test("cameras orbit, follow and look through eyes", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address);
  const lens = () => page.evaluate(() => window.__fireteam.stage.cameras.camera.position.toArray());
  const before = await lens();
  const box = await page.locator("canvas.stage-canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 160, box.y + box.height / 2 + 20, { steps: 4 });
  await page.mouse.up();
  await until(page, (was) => window.__fireteam.stage.cameras.camera.position.toArray().some((each, i) => Math.abs(each - was[i]) > 50), before);
  await page.locator(".roster-row").first().click();
  await page.getByRole("button", { name: "Follow", exact: true }).first().click();
  // He stays in the middle however he runs.
  const isFollowed = () => {
    const { stage, state } = window.__fireteam;
    const figure = stage.figures.find(state.selected.value);
    const target = stage.cameras.controls.target;
    return figure !== null && Math.hypot(figure.x - target.x, figure.y - target.y) < 30;
  };
  await until(page, isFollowed);
  await page.keyboard.press("v");
  await until(page, () => {
    const { stage, state } = window.__fireteam;
    const figure = stage.figures.find(state.selected.value);
    const at = stage.cameras.camera.position;
    return figure !== null && Math.hypot(figure.x - at.x, figure.y - at.y, figure.eye - at.z) < 1;
  });
  await page.keyboard.press("o");
  await until(page, () => window.__fireteam.stage.cameras.controls.enabled && window.__fireteam.stage.cameras.camera.fov === 50);
});

test("the cut opens rooms by height, floor and player", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address);
  await until(page, () => window.__fireteam.state.floors.value.length > 0);
  await page.locator(".floors button").nth(1).click();
  const floor = await page.evaluate(() => window.__fireteam.state.cut.value);
  assert.equal(typeof floor, "number");
  await page.locator(".cut input").focus();
  await page.keyboard.press("ArrowRight");
  await until(page, (was) => window.__fireteam.state.cut.value === was + 1, floor);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await until(page, () => window.__fireteam.state.cut.value === null);
});

test("the match pauses, steps, runs fast and is scrubbed", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address);
  await until(page, () => window.__fireteam.frames > 30);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  await until(page, () => window.__fireteam.state.simulation.value.paused && window.__fireteam.head() === window.__fireteam.frames - 1);
  const still = await frames(page, server);
  await page.getByRole("button", { name: "One frame on" }).click();
  await until(page, (was) => window.__fireteam.frames === was + 1, still);
  assert.equal(await frames(page, server), still + 1, "one frame and no more");
  await until(page, () => window.__fireteam.head() === window.__fireteam.frames - 1);
  // The film goes back while the match stands.
  await page.getByRole("button", { name: "One frame back" }).click();
  await until(page, (was) => window.__fireteam.head() === was - 1, still);
  await page.getByRole("button", { name: "Live" }).click();
  await page.locator(".speed select").selectOption("16");
  await until(page, () => window.__fireteam.state.simulation.value.speed === 16);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  const began = { at: Date.now(), frames: await frames(page, server) };
  await until(page, (was) => window.__fireteam.frames > was + 300, began.frames);
  const rate = (300 * 1000) / (Date.now() - began.at);
  assert.ok(rate > 60, `${rate.toFixed(0)} frames a second, where 20 would be the speed of life`);
  // Scrubbing leaves the newest frame and holds a moment; "Live" comes back.
  await page.locator(".speed select").selectOption("1");
  const strip = await page.locator(".strip").boundingBox();
  await page.mouse.click(strip.x + strip.width / 4, strip.y + strip.height / 2);
  await until(page, () => {
    const share = window.__fireteam.head() / window.__fireteam.frames;
    return share > 0.15 && share < 0.35 && window.__fireteam.stage.figures.count === 8;
  });
  assert.equal(await page.getByRole("button", { name: "Live" }).getAttribute("aria-pressed"), "false");
  await page.getByRole("button", { name: "Live" }).click();
  await until(page, () => window.__fireteam.head() > window.__fireteam.frames - 12);
});

/** As the server counts them. */
async function frames(page, server) {
  const answer = await page.request.get(`http://127.0.0.1:${server.port}/api/film/length`);
  return (await answer.json()).frames;
}

test("a variable is changed and the running match shows it", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address, { hash: "tab=tune" });
  await page.locator(".speed select").selectOption("8");
  await until(page, () => window.__fireteam.frames > 200);
  const free = await page.evaluate(fastestTurn, { from: 0, to: 200 });
  assert.ok(free > 300, `left alone they turn quickly: ${free}`);
  await page.getByLabel("Search variables").fill("aim_turn_rate_max");
  const row = page.locator('[data-variable="aim_turn_rate_max"]');
  await row.locator('input[type="number"]').fill("90");
  await row.locator('input[type="number"]').press("Enter");
  await page.locator('[data-variable="aim_turn_rate_max"].is-changed').waitFor();
  await until(page, () => window.__fireteam.convars.value.variables.find((each) => each.name === "aim_turn_rate_max").value === 90);
  const changed = (await frames(page, server)) + 10;
  await until(page, (to) => window.__fireteam.state.film.own.held > to, changed + 200);
  const slow = await page.evaluate(fastestTurn, { from: changed, to: changed + 200 });
  assert.ok(slow > 10 && slow < 95, `held back they turn at most 90 degrees a second: ${slow}`);
  // It is told in the history, and goes back.
  await page.getByRole("button", { name: "Reset aim_turn_rate_max" }).click();
  await until(page, () => window.__fireteam.convars.value.variables.find((each) => each.name === "aim_turn_rate_max").value === 720);
  await until(page, () => window.__fireteam.state.marks.value.some((mark) => mark.kind === "changed"));
});

/** Fastest turn of anybody who lives through both of two frames, in degrees a second, read off the film. */
function fastestTurn({ from, to }) {
  const { film } = window.__fireteam.state;
  const was = new window.__fireteam.Frame();
  const is = new window.__fireteam.Frame();
  let fastest = 0;
  for (let frame = from; frame < to - 1; frame++) {
    if (!film.own.read(frame, was) || !film.own.read(frame + 1, is)) continue;
    for (let i = 0; i < is.players; i++) {
      const before = was.indexOf(is.playerId(i));
      if (before < 0 || ((is.playerBits(i) | was.playerBits(before)) & 1) !== 0) continue;
      // Whoever comes back to life somewhere else looks elsewhere at once.
      const away = Math.hypot(is.playerAt(i, 0) - was.playerAt(before, 0), is.playerAt(i, 1) - was.playerAt(before, 1));
      if (away > 100) continue;
      const turned = Math.abs(((is.playerYaw(i) - was.playerYaw(before) + 540) % 360) - 180);
      fastest = Math.max(fastest, (turned * 1000) / (is.time - was.time));
    }
  }
  return fastest;
}

test("whoever comes without the token watches, and is told that it is so", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address.replace(/\?.*/, ""));
  await page.getByText("watching only").waitFor();
  await page.getByRole("tab", { name: "Tune" }).click();
  await page.getByText(/may watch only/).first().waitFor();
  // Pausing holds the film here, not the match for all.
  await page.keyboard.press("Space");
  await until(page, () => !window.__fireteam.state.simulation.value.paused);
  const held = await page.evaluate(() => window.__fireteam.head());
  const before = await frames(page, server);
  await until(page, (was) => window.__fireteam.frames > was + 10, before);
  assert.equal(await page.evaluate(() => window.__fireteam.head()), held);
});

// Milliseconds that sorting 100,000 numbers takes in this page, at best: what scripts are worth on this machine.
async function sorting(page) {
  return page.evaluate(() => {
    const once = () => {
      let state = 1;
      const numbers = Float64Array.from({ length: 100_000 }, () => (state = (state * 48_271) % 2_147_483_647));
      const began = performance.now();
      numbers.sort();
      return performance.now() - began;
    };
    return Math.min(...Array.from({ length: 9 }, once));
  });
}

test("sixteen bots live cost less script for a drawn frame than sorting 100,000 numbers", async (context) => {
  const server = await serve(context, "--bots", "8", "--gametype", "team", "--minutes", "100");
  const { page } = await open(context, server.address);
  await page.locator(".roster-row").first().click();
  await page.locator(".goal").first().waitFor();
  const session = await page.context().newCDPSession(page);
  // Time that our own thread worked: what others do on this machine, and the software that draws, are not the page's.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const sample = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const value = (name) => metrics.find((each) => each.name === name).value;
    const drawn = await page.evaluate(() => window.__fireteam.counters.drawn);
    return { script: value("ScriptDuration") * 1000, drawn };
  };
  const draws = (from, count) => until(page, (most) => window.__fireteam.counters.drawn > most, from + count);
  // What is compiled when the page opens is no cost of a frame.
  await draws((await sample()).drawn, 25);
  const first = await sample();
  await draws(first.drawn, 50);
  const last = await sample();
  const mean = (last.script - first.script) / (last.drawn - first.drawn);
  const traffic = await page.evaluate(() => {
    const { bytes, since } = window.__fireteam.traffic;
    return bytes / (performance.now() - since);
  });
  const sorted = await sorting(page);
  const told = `${mean.toFixed(2)} ms of script a drawn frame, beside ${sorted.toFixed(2)} for sorting`;
  context.diagnostic(`${told}, ${traffic.toFixed(0)} kB a second`);
  assert.ok(mean < sorted, told);
  assert.ok(traffic < 300, `${traffic.toFixed(0)} kB a second`);
});
