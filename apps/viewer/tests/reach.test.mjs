// Who can use the page: by keys alone, by a screen reader, on a phone.
import assert from "node:assert/strict";
import { open, serve, test, until } from "./harness.mjs";

const MATCH = ["--bots", "4", "--gametype", "team", "--minutes", "100"];

test("Tab reaches every part of the page, and shows where it is", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address);
  await page.locator(".roster-row").nth(7).waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  const reached = new Set();
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    const on = await page.evaluate(() => {
      const element = document.activeElement;
      const part = element?.closest(".bar, .camera-bar, .tabs, .players, .journal, .transport, .strip")?.classList[0];
      const outline = element === null ? "" : getComputedStyle(element).outlineStyle + getComputedStyle(element).boxShadow;
      return { part: element?.tagName === "CANVAS" ? "canvas" : part, isShown: !/^nonenone$/.test(outline), what: element?.outerHTML.slice(0, 90) };
    });
    if (on.part === undefined) continue;
    assert.ok(on.isShown, `the focus cannot be seen on ${on.what}`);
    reached.add(on.part);
  }
  assert.deepEqual([...reached].sort(), ["bar", "camera-bar", "canvas", "journal", "players", "strip", "tabs", "transport"]);
});

test("keys do what the help says", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address);
  await page.locator(".roster-row").nth(7).waitFor();
  const press = async (key, condition, argument) => {
    await page.keyboard.press(key);
    await until(page, condition, argument);
  };
  await press("2", () => window.__fireteam.state.selected.value !== null);
  const second = await page.evaluate(() => window.__fireteam.state.selected.value);
  await press("]", (was) => window.__fireteam.state.selected.value !== was, second);
  await press("[", (was) => window.__fireteam.state.selected.value === was, second);
  await press("f", () => window.__fireteam.state.camera.value === "follow");
  await press("v", () => window.__fireteam.state.camera.value === "first");
  await press("o", () => window.__fireteam.state.camera.value === "orbit");
  await press("c", () => window.__fireteam.state.cutFollows.value);
  await press("0", () => !window.__fireteam.state.cutFollows.value && window.__fireteam.state.cut.value === null);
  await press("PageDown", () => window.__fireteam.state.cut.value !== null);
  for (const [key, layer] of Object.entries({ g: "grid", a: "areas", w: "links" })) {
    await press(key, (id) => window.__fireteam.state.layersOn.value.has(id), layer);
    await press(key, (id) => !window.__fireteam.state.layersOn.value.has(id), layer);
  }
  await press("Space", () => window.__fireteam.state.simulation.value.paused);
  await until(page, () => window.__fireteam.head() === window.__fireteam.frames - 1);
  const frames = await page.evaluate(() => window.__fireteam.frames);
  await press(".", (was) => window.__fireteam.frames === was + 1, frames);
  await until(page, () => window.__fireteam.head() === window.__fireteam.frames - 1);
  await press(",", (was) => window.__fireteam.head() === was - 1, frames);
  await press("l", () => window.__fireteam.head() === window.__fireteam.frames - 1);
  await press("+", () => window.__fireteam.state.simulation.value.speed === 2);
  await press("-", () => window.__fireteam.state.simulation.value.speed === 1);
  await press("Escape", () => window.__fireteam.state.selected.value === null);
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // Letters that are typed are letters.
  await page.getByLabel("Filter the journal").fill("");
  await page.getByLabel("Filter the journal").press("f");
  assert.equal(await page.evaluate(() => window.__fireteam.state.camera.value), "orbit");
});

test("everything that can be pressed or filled in has a name", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address);
  await page.locator(".roster-row").first().click();
  await page.locator(".goal").first().waitFor();
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    const nameless = await page.evaluate(findNameless);
    assert.deepEqual(nameless, [], `in ${await tab.innerText()}`);
  }
  await page.keyboard.press("?");
  assert.deepEqual(await page.evaluate(findNameless), []);
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
  assert.equal(await page.locator("h1").count(), 1);
  assert.equal(await page.locator("main").count(), 1);
});

/** What a screen reader would call "button" and nothing else. */
function findNameless() {
  const nameOf = (element) => {
    const by = element.getAttribute("aria-labelledby");
    const labels = [...(element.labels ?? [])].map((label) => label.textContent);
    const said = [element.getAttribute("aria-label"), by && document.getElementById(by)?.textContent, ...labels];
    if (!(element instanceof HTMLInputElement || element instanceof HTMLSelectElement)) said.push(element.textContent);
    return said.map((text) => (text ?? "").trim()).find((text) => text !== "");
  };
  const all = document.querySelectorAll("button, input, select, textarea, a[href], summary, [role=slider], [role=tab], canvas:not([aria-hidden])");
  return [...all].filter((element) => nameOf(element) === undefined).map((element) => element.outerHTML.slice(0, 160));
}

test("a phone shows all of it without scrolling sideways", async (context) => {
  const server = await serve(context, ...MATCH);
  const { page } = await open(context, server.address, { width: 390, height: 844 });
  await page.locator(".roster-row").first().click();
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    if ((await tab.getAttribute("aria-selected")) !== "true") await tab.click();
    const sizes = await page.evaluate(() => {
      const pane = document.getElementById("tool-panel");
      const wide = [...document.querySelectorAll("body *")].filter((each) => {
        const box = each.getBoundingClientRect();
        return box.width > 0 && box.right > innerWidth + 1 && each.closest(".tabs, .stage, pre") === null;
      });
      return {
        page: document.documentElement.scrollWidth - innerWidth,
        pane: pane === null ? 0 : pane.scrollWidth - pane.clientWidth,
        wide: wide.map((each) => each.outerHTML.slice(0, 120)),
      };
    });
    assert.deepEqual(sizes, { page: 0, pane: 0, wide: [] }, `in ${await tab.innerText()}`);
  }
  // The match is still to be seen above the sheet, and the buttons are large enough for a thumb.
  const stage = await page.locator("main.stage").boundingBox();
  assert.ok(stage.height > 250, `${stage.height} pixels of stage`);
  const play = await page.locator(".transport .main").boundingBox();
  assert.ok(play.height >= 32 && play.width >= 32, `${play.width} by ${play.height}`);
});
