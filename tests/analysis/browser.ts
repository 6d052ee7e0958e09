/** Opens pages in a headless browser, where the machine has one, and moves the pointer and presses keys there. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
/** Why pages are not opened; false when they are. */
export const skip = program === undefined && "no Chromium on this machine (Debian: apt-get install chromium)";
if (skip) console.log(`pages are not opened: ${skip}`);

const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--hide-scrollbars",
  "--remote-debugging-pipe",
];
/** A page that does not answer for so long is broken. */
const PATIENCE_MS = 120_000;

/** An open page. Texts that the browser writes to its console, errors and violations of the policy are in `messages`. */
export interface Page {
  readonly messages: readonly string[];
  /** The value of an expression in the page. */
  evaluate(expression: string): Promise<any>;
  /** Moves the pointer to a place in the window; pressed while `button` is `left`. */
  mouse(type: "mouseMoved" | "mousePressed" | "mouseReleased", x: number, y: number, clicks?: number): Promise<void>;
  key(key: string): Promise<void>;
  /** Size of the window, and the colours that the system asks for. */
  show(width: number, height: number, scheme: "light" | "dark"): Promise<void>;
  /** A part of the page as a PNG, from `top` to `bottom`. */
  screenshot(top: number, bottom: number): Promise<Uint8Array>;
}

/** Opens a page in a browser of its own, and closes it. */
export async function inBrowser(html: string, work: (page: Page) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-"));
  const file = join(folder, "page.html");
  writeFileSync(file, html);
  const child = spawn(program!, [...ARGUMENTS, `--user-data-dir=${join(folder, "profile")}`, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  try {
    const call = connect(child.stdio[3], child.stdio[4]);
    await work(await openPage(call, `file://${file}`));
    await call("Browser.close");
  } finally {
    child.kill();
    await ended;
    await removed(folder);
  }
}

/** Removes a folder of the browser: parts of it that have not ended yet may still write there. */
async function removed(folder: string): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

type Call = ((method: string, parameters?: object, session?: string) => Promise<any>) & {
  onEvent?: (method: string, parameters: any) => void;
};

/** The browser's debugging protocol: JSON texts with a zero byte after each. */
function connect(input: any, output: any): Call {
  const waiting = new Map<number, { resolve: (value: any) => void; reject: (problem: Error) => void }>();
  const decoder = new TextDecoder();
  let text = "", last = 0;
  const call: Call = (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      const timer = setTimeout(() => reject(new Error(`${method} has no answer`)), PATIENCE_MS);
      const settled = <V>(settle: (value: V) => void) => (value: V) => (clearTimeout(timer), settle(value));
      waiting.set(id, { resolve: settled(resolve), reject: settled(reject) });
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  output.on("data", (piece: Uint8Array) => {
    const parts = (text + decoder.decode(piece, { stream: true })).split("\0");
    text = parts.pop()!;
    for (const { id, result, error, method, params } of parts.map((part) => JSON.parse(part))) {
      if (id === undefined) call.onEvent?.(method, params);
      else if (error === undefined) waiting.get(id)?.resolve(result);
      else waiting.get(id)?.reject(new Error(error.message));
      waiting.delete(id);
    }
  });
  return call;
}

async function openPage(call: Call, url: string): Promise<Page> {
  const { targetId } = await call("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await call("Target.attachToTarget", { targetId, flatten: true });
  const send = (method: string, parameters?: object) => call(method, parameters, sessionId);
  const messages: string[] = [];
  let loaded = () => {};
  const loading = new Promise<void>((resolve) => loaded = resolve);
  call.onEvent = (method, parameters) => {
    if (method === "Page.loadEventFired") loaded();
    if (method === "Runtime.consoleAPICalled") messages.push(JSON.stringify(parameters.args));
    if (method === "Runtime.exceptionThrown") messages.push(JSON.stringify(parameters.exceptionDetails));
    if (method === "Log.entryAdded") messages.push(parameters.entry.text);
  };
  await Promise.all(["Page.enable", "Runtime.enable", "Log.enable"].map((method) => send(method)));
  await send("Page.navigate", { url });
  await loading;
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  return {
    messages,
    evaluate,
    async mouse(type, x, y, clicks = 1) {
      const button = type === "mouseMoved" ? "none" : "left";
      await send("Input.dispatchMouseEvent", { type, x, y, button, clickCount: clicks, pointerType: "mouse" });
    },
    async key(key) {
      const text = key.length === 1 ? { text: key } : {};
      await send("Input.dispatchKeyEvent", { type: "keyDown", key, ...text });
      await send("Input.dispatchKeyEvent", { type: "keyUp", key });
    },
    async show(width, height, scheme) {
      await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
      await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
      // Two frames: one lays the page out, the next one follows what its script changed then.
      await evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    },
    async screenshot(top, bottom) {
      const clip = { x: 0, y: top, width: await evaluate("innerWidth"), height: bottom - top, scale: 1 };
      const { data } = await send("Page.captureScreenshot", {
        captureBeyondViewport: bottom - top > await evaluate("innerHeight"),
        clip,
      });
      return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    },
  };
}
