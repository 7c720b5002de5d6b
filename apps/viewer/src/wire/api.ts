// Asking the server over HTTP: the token, refusals in words, and nothing else.
import { signal } from "@preact/signals";

/** A refusal with what the server said of it. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const TOKEN_KEY = "fireteam-token";
const FORBIDDEN = 403;
const token = signal<string | null>(null);

/**
 * Takes the token out of the address, so that an address copied from the bar never carries it, and keeps it for this tab.
 */
export function takeToken(): void {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given !== null) {
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
    store(given);
  }
  token.value = given ?? recall();
}

export function hasToken(): boolean {
  return token.value !== null;
}

/** A server that started again has another token: ours is good for nothing then, and panels must not pretend. */
export async function tryToken(): Promise<void> {
  if (token.peek() === null) return;
  try {
    await post("control", {});
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== FORBIDDEN) return;
    token.value = null;
    store(null);
  }
}

export function liveAddress(): string {
  const address = new URL("api/live", document.baseURI);
  address.hash = "";
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  if (token.peek() !== null) address.searchParams.set("token", token.peek()!);
  return address.href;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask(path, { signal: signal ?? null })).json() as Promise<T>;
}

export async function getBytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer> {
  return (await ask(path, { signal: signal ?? null })).arrayBuffer();
}

export async function getText(path: string): Promise<string> {
  return (await ask(path, {})).text();
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const answer = await ask(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer.json() as Promise<T>;
}

async function ask(path: string, options: RequestInit): Promise<Response> {
  const headers = new Headers(options.headers);
  if (token.peek() !== null) headers.set("x-fireteam-token", token.peek()!);
  const answer = await fetch(new URL(`api/${path}`, document.baseURI), { ...options, headers });
  if (!answer.ok) throw new Refused(answer.status, await refusal(answer));
  return answer;
}

async function refusal(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const said: unknown = JSON.parse(text);
    if (said !== null && typeof said === "object" && "error" in said) return String(said.error);
  } catch {
    // Not JSON: what stands there is the best there is.
  }
  return text.slice(0, 200) || `the server answered ${answer.status}`;
}

function store(given: string | null): void {
  try {
    if (given === null) sessionStorage.removeItem(TOKEN_KEY);
    else sessionStorage.setItem(TOKEN_KEY, given);
  } catch {
    // No storage here: the token lasts until the page is loaded again.
  }
}

function recall(): string | null {
  try {
    return sessionStorage.getItem(TOKEN_KEY);
  } catch {
    return null;
  }
}
