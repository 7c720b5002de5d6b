// Takes pictures of the page: `node dev/shoot.mjs ADDRESS FOLDER`. For looking at, and for the papers.
import { chromium } from "playwright-core";

const [address, folder] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
async function open(width, height, hash) {
  const page = await browser.newPage({ viewport: { width, height } });
  page.on("console", (message) => { if (message.type() === "error" || message.type() === "warning") console.log(message.type(), message.text()); });
  page.on("pageerror", (error) => console.log("page error", error.message));
  await page.goto(`${address}#${hash}`);
  await page.waitForFunction(() => window.__fireteam?.state.terrain.value !== null && window.__fireteam?.counters.drawn > 3, null, { timeout: 20000 });
  await page.waitForTimeout(1500);
  return page;
}
for (const [name, width, height, hash] of JSON.parse(process.argv[4] ?? "[]")) {
  const page = await open(width, height, hash);
  const { counters, frames } = await page.evaluate(() => ({ counters: { ...window.__fireteam.counters }, frames: window.__fireteam.frames }));
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(name, frames, "frames", (counters.script_ms_sum / counters.drawn).toFixed(2), "ms script", counters.draw_calls, "calls", counters.triangles, "triangles");
  await page.close();
}
await browser.close();
