// Panels that make the server work: the moment forked, the terrain edited, the match counted and certified.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before } from "node:test";
import { fileURLToPath } from "node:url";
import { command, downloaded, folder, open, serve, serveIn, spotOf, test, until } from "./harness.mjs";

const ROOM = fileURLToPath(new URL("../../../testdata/maps/window_lob.map", import.meta.url));

before(() => {
  command("--headless", "--quiet", "--minutes", "0.4", "--seed", "3", "--record", "short.rec");
});

test("the moment is forked: both futures side by side, and the outcome over many seeds", async (context) => {
  const server = await serve(context, "replay", "short.rec");
  const { page } = await open(context, server.address, { hash: "tab=fork&frame=120" });
  await until(page, () => window.__fireteam.head() === 120 && window.__fireteam.state.film.own.held === window.__fireteam.frames);
  await page.getByText("(frame 120)").waitFor();
  await page.getByRole("button", { name: "+ variable" }).click();
  await page.getByLabel("Variable").fill("aim_turn_rate_max");
  await page.getByLabel("Variable").press("Tab");
  await page.getByLabel("Value").fill("90");
  await page.getByLabel("Value").press("Tab");
  await page.locator('.fork input[max="120"]').fill("4");
  await page.locator('.fork input[max="120"]').press("Tab");
  await page.locator(".fork .toolbar select").last().selectOption("20");
  await page.getByRole("button", { name: "Fork", exact: true }).click();
  await page.locator('.forked[data-state="done"]').waitFor();
  const rows = await page.locator(".outcomes tbody tr").allInnerTexts();
  assert.ok(rows.length > 0 && rows.every((row) => /\[.*,.*\]/.test(row)), rows.join("\n"));
  await page.getByRole("button", { name: "Watch both futures" }).click();
  await page.locator(".comparison-head").getByText("as it was").waitFor();
  const told = await page.evaluate(compareFutures);
  assert.ok(told.frames >= 79, JSON.stringify(told));
  assert.equal(told.asWasOff, 0, "the future as it was is what was recorded");
  assert.ok(told.changedOff > 0, "the changed one is another");
  await page.keyboard.press("Space");
  await until(page, () => window.__fireteam.head() > 130);
  await page.locator(".comparison-head").getByRole("button", { name: "Close" }).click();
  await page.locator(".comparison-head").waitFor({ state: "detached" });
});

/** How far the two futures are from what was recorded, in units, at most. */
function compareFutures() {
  const { state, Frame } = window.__fireteam;
  const { asWas, changed, from } = state.comparison.value;
  const off = (film) => {
    const [own, other] = [new Frame(), new Frame()];
    let most = 0;
    for (let i = 0; i < film.length; i++) {
      if (!film.read(i, other) || !state.film.own.read(from + i, own)) continue;
      for (let each = 0; each < own.players; each++) {
        const there = other.indexOf(own.playerId(each));
        for (const axis of [0, 1, 2]) most = Math.max(most, Math.abs(own.playerAt(each, axis) - other.playerAt(there, axis)));
      }
    }
    return most;
  };
  return { frames: Math.min(asWas.length, changed.length), asWasOff: off(asWas), changedOff: off(changed) };
}

test("the terrain is edited: added to, undone, redone, flagged, checked and saved", async (context) => {
  const surroundings = { FIRETEAM_CACHE: join(folder, "cache") };
  const match = ["--map", ROOM, "--bots", "1", "--gametype", "team", "--minutes", "100"];
  const server = await serveIn(context, surroundings, ...match);
  const { page } = await open(context, server.address, { hash: "tab=edit&cut=100" });
  await page.getByText("0 edits, all saved").waitFor();
  const spots = await page.evaluate(() => window.__fireteam.state.terrain.value.waypoints.origin);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const [x, y, z] = spots[0];
  const spot = await spotOf(page, [x + 20, y + 12, z - 24]);
  await page.mouse.click(spot.x, spot.y);
  await page.getByText("1 edit, not saved").waitFor();
  const count = () => window.__fireteam.state.terrain.value.waypoints.origin.length;
  await until(page, (was) => window.__fireteam.state.terrain.value.waypoints.origin.length === was + 1, spots.length);
  await page.keyboard.press("Control+z");
  await until(page, (was) => window.__fireteam.state.terrain.value.waypoints.origin.length === was, spots.length);
  await page.getByText("0 edits, all saved").waitFor();
  await page.keyboard.press("Control+y");
  await until(page, (was) => window.__fireteam.state.terrain.value.waypoints.origin.length === was + 1, spots.length);
  // A flag on a waypoint that was there before.
  await page.evaluate(() => (window.__fireteam.state.waypoint.value = 1));
  await page.locator('[data-flag*="grenade"]').first().check();
  await page.getByText("2 edits, not saved").waitFor();
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("2 edits, all saved").waitFor();
  const path = /in (.*window_lob\S*)/.exec(await page.locator(".edit > .kept").innerText())[1];
  assert.ok(path.startsWith(folder) && existsSync(path), path);
  assert.ok(readFileSync(path, "utf8").split("\n").length > 2);
  assert.equal(await page.evaluate(count), spots.length + 1);
  // The next match has it.
  await page.close();
  await server.stop();
  const next = await serveIn(context, surroundings, ...match);
  const { page: later } = await open(context, next.address, { hash: "tab=edit" });
  await later.getByText("2 edits, all saved").waitFor();
  assert.equal(await later.evaluate(count), spots.length + 1);
});

test("the match is counted: score, weapons, heat map, CSV and JSON", async (context) => {
  const server = await serve(context, "replay", "short.rec");
  const { page } = await open(context, server.address, { hash: "tab=stats" });
  await until(page, () => document.querySelectorAll(".stats tbody tr").length === 8);
  assert.equal(await page.locator(".team-score").count(), 2);
  const json = await downloaded(page, () => page.getByRole("button", { name: "JSON" }).click());
  assert.equal(JSON.parse(json.text).players.length, 8);
  const csv = await downloaded(page, () => page.getByRole("button", { name: "CSV" }).click());
  assert.ok(csv.name.endsWith(".csv") && csv.text.split("\n").length > 8, csv.text);
  await page.getByRole("button", { name: "Heat map" }).click();
  await until(page, () => window.__fireteam.layers.has("heat"));
});

test("a recording is certified honest", async (context) => {
  const server = await serve(context, "replay", "short.rec");
  const { page } = await open(context, server.address, { hash: "tab=verify" });
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  await page.getByRole("heading", { name: "Honest", exact: true }).waitFor();
  assert.equal(await page.locator(".proofs .is-bad").count(), 0);
  const { text } = await downloaded(page, () => page.getByRole("button", { name: "JSON" }).click());
  const certificate = JSON.parse(text);
  assert.ok(certificate.is_honest && certificate.commands > 1000 && certificate.differing === 0, text.slice(0, 300));
});

test("what cannot be done here is said, not hidden", async (context) => {
  const server = await serve(context, "replay", "short.rec");
  const { page } = await open(context, server.address.replace(/\?.*/, ""), { hash: "tab=tune" });
  await page.getByText("This show cannot be tuned").waitFor();
  for (const name of ["Fork", "Edit", "Verify"]) {
    await page.getByRole("tab", { name }).click();
    await page.locator("#tool-panel .refusal", { hasText: "may watch only" }).waitFor();
  }
});
