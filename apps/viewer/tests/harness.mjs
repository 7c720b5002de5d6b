// What the tests stand on: the real command, a real browser, and waiting for things instead of for time.
//
// FIRETEAM_BINARY names the command, FIRETEAM_CHROMIUM another browser than Debian's, FIRETEAM_PAGE a folder with a page to be
// used instead of the one in the command, which saves compiling while one works on it. Everything that is started here is
// ended here, whatever becomes of the tests, and nothing waits for ever.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test as nodeTest } from "node:test";
import { chromium } from "playwright-core";

const BINARY = process.env.FIRETEAM_BINARY;
if (BINARY === undefined) throw new Error("FIRETEAM_BINARY has to name the command that is tested");

/** Longest that anything awaited may take: machines that test are busy, and software draws the pictures. */
export const PATIENCE_MS = 30_000;
/** The server's word for "not worked out yet": the page asks again, and a test that never gets its answer fails by that. */
const ASK_AGAIN = /status of 503/;
const TEST_MS_MAX = 90_000;
const FILE_MS_MAX = 300_000;

/** Where the commands run and write. */
export const folder = mkdtempSync(join(tmpdir(), "fireteam-viewer-"));
const children = new Set();
let browser = null;

function endChildren() {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  rmSync(folder, { recursive: true, force: true });
}
process.on("exit", endChildren);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));
setTimeout(() => {
  console.error(`not done after ${FILE_MS_MAX / 1000} s`);
  process.exit(1);
}, FILE_MS_MAX).unref();

after(async () => {
  await browser?.close();
  endChildren();
});

export function test(name, work) {
  nodeTest(name, { timeout: TEST_MS_MAX }, work);
}

const endings = new WeakMap();

/** Last begun, first ended: Node would stop a server before the page that asks it, and the page would rightly complain. */
function atEnd(context, work) {
  const begun = endings.get(context);
  if (begun !== undefined) return void begun.push(work);
  const works = [work];
  endings.set(context, works);
  context.after(async () => {
    const faults = [];
    for (const each of works.reverse()) await each().catch((fault) => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  });
}

/** Runs the command to its end. */
export function command(...words) {
  const done = spawnSync(BINARY, words, { cwd: folder, encoding: "utf8", timeout: PATIENCE_MS });
  if (done.status !== 0) throw new Error(`fireteam ${words.join(" ")}: ${done.status ?? done.signal}\n${done.stderr}`);
  return done.stdout;
}

/** A server for one test. */
export function serve(context, ...words) {
  return serveIn(context, {}, ...words);
}

/** The same, with other settings around it. */
export async function serveIn(context, environment, ...words) {
  const child = spawn(BINARY, [...words, "--no-open", ...(words.includes("--port") ? [] : ["--port", "0"])], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  const server = { child, said: "", address: "", port: 0 };
  const whenGone = new Promise((gone) => child.once("exit", gone));
  child.once("exit", () => children.delete(child));
  server.stop = async () => {
    child.kill("SIGKILL");
    await whenGone;
  };
  atEnd(context, server.stop);
  await within(
    new Promise((done, fail) => {
      const hear = (bytes) => {
        server.said += bytes;
        const found = /watch it at\s+(http:\/\/127\.0\.0\.1:(\d+)\/\?token=\w+)/.exec(server.said);
        if (found === null) return;
        [server.address, server.port] = [found[1], Number(found[2])];
        done();
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.once("error", fail);
      child.once("exit", (code) => fail(new Error(`fireteam ended with ${code}\n${server.said}`)));
    }),
    () => `fireteam said no address:\n${server.said}`,
  );
  return server;
}

function within(promise, explain) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(explain())), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function openBrowser() {
  browser ??= await chromium.launch({
    executablePath: process.env.FIRETEAM_CHROMIUM ?? "/usr/bin/chromium",
    // Nobody has a graphics card here, and nothing but the page is to be talked to.
    args: [
      "--no-sandbox",
      "--no-first-run",
      "--disable-quic",
      "--disable-sync",
      "--disable-component-update",
      "--disable-background-networking",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
    ],
    timeout: PATIENCE_MS,
  });
  return browser;
}

/**
 * A tab that shows `address`, with everything it complained of and asked for. When the test is over, what it complained
 * of fails it, unless `forgives` says otherwise, and so does anything that was asked of another machine.
 */
export async function open(context, address, options = {}) {
  const { width = 960, height = 640, hash = "", forgives = () => false } = options;
  const of = await openBrowser();
  // A quarter of the pixels each way: software draws them, and must not take the time of the page that is measured.
  const surroundings = await of.newContext({
    viewport: { width, height },
    deviceScaleFactor: 0.25,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await surroundings.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  if (process.env.FIRETEAM_PAGE !== undefined) await serveFrom(page, process.env.FIRETEAM_PAGE);
  const complaints = [];
  const requests = [];
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    const text = `${message.text()} (${message.location().url})`;
    if (!ASK_AGAIN.test(text) && !forgives(text)) complaints.push(text);
  });
  page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
  page.on("request", (request) => requests.push(request.url()));
  page.on("websocket", (socket) => requests.push(socket.url()));
  atEnd(context, async () => {
    await surroundings.close();
    const strangers = requests.filter((url) => !/^(data|blob):/.test(url) && new URL(url).hostname !== "127.0.0.1");
    if (strangers.length > 0) throw new Error(`the page asked somebody else:\n${strangers.join("\n")}`);
    if (complaints.length > 0) throw new Error(`the page complained:\n${complaints.join("\n")}`);
  });
  await page.goto(hash === "" ? address : `${address}#${hash}`);
  try {
    await until(page, () => window.__fireteam?.state.terrain.value != null && window.__fireteam.counters.drawn > 0);
  } catch (error) {
    throw new Error(`${error.message}\n${complaints.join("\n")}`);
  }
  return { page, complaints, requests };
}

function serveFrom(page, pages) {
  // Not the document: one that came from nowhere may not talk to loopback.
  return page.route(/\/[\w-]+\.(js|css)$/, (route) => route.fulfill({ path: join(pages, new URL(route.request().url()).pathname) }));
}

/** Waits until something is true in the page. */
export async function until(page, condition, argument = null) {
  try {
    await page.waitForFunction(condition, argument, { polling: 50 });
  } catch (error) {
    throw new Error(`never came true: ${condition}\n${error.message}`);
  }
}

/** What a click makes the page save, as text. */
export async function downloaded(page, click) {
  const [file] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
}

/** Where a place of the map is drawn, on the page. */
export async function spotOf(page, place) {
  return page.evaluate((at) => {
    const { stage } = window.__fireteam;
    const [box, spot] = [stage.canvas.getBoundingClientRect(), stage.project(at)];
    return { x: box.left + spot.x, y: box.top + spot.y };
  }, place);
}
