// The server goes away and comes back: the page says so, waits, and shows what is on then.
import assert from "node:assert/strict";
import { open, serve, test, until } from "./harness.mjs";

test("the page survives a server that is killed and started again", async (context) => {
  const first = await serve(context, "--bots", "2", "--seed", "1");
  const forgives = (text) => /ERR_CONNECTION_|ERR_EMPTY_RESPONSE|WebSocket|403.*api.control/.test(text);
  const { page } = await open(context, first.address, { forgives });
  await until(page, () => window.__fireteam.frames > 10);
  const shown = await page.evaluate(() => window.__fireteam.state.show.value.id);
  await first.stop();
  await page.getByText("server gone, trying again").waitFor();
  // What has come can still be looked at.
  await page.locator(".strip").press("Home");
  await until(page, () => window.__fireteam.head() === 0 && window.__fireteam.stage.figures.count === 4);
  const second = await serve(context, "--bots", "3", "--seed", "2", "--port", String(first.port));
  assert.equal(second.port, first.port);
  await until(
    page,
    (before) => {
      const { state, frames } = window.__fireteam;
      return state.connection.value === "open" && state.show.value.id !== before && frames > 10 && state.terrain.value !== null;
    },
    shown,
  );
  await page.getByText("live match").waitFor();
  await until(page, () => document.querySelectorAll(".roster-row").length === 6 && window.__fireteam.stage.figures.count === 6);
  // The new server has a token of its own: this tab has to say that it can only watch.
  await page.getByText("watching only").waitFor();
});
