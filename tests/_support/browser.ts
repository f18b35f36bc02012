/**
 * A headless Chromium that tests look at pages with, by the DevTools protocol. Tests that need one are
 * skipped where there is none.
 */

const NAMES = ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"];

/** The browser's name, or nothing. */
export const BROWSER = NAMES.find((name) => {
  try {
    return new Deno.Command(name, { args: ["--version"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
});

if (BROWSER === undefined) console.log("skipped: no Chromium for the tests of pages");

const SHIFT = 8;
const KEY_CODES: Readonly<Record<string, number>> = {
  Enter: 13,
  Tab: 9,
  Escape: 27,
  " ": 32,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};

type Answer = Record<string, unknown>;

/** One page in a browser of its own. */
export class Browser implements AsyncDisposable {
  /** Errors that the page logged or threw. */
  readonly errors: string[] = [];
  /** Addresses that the page asked for, itself included. */
  readonly requests: string[] = [];
  readonly #process: Deno.ChildProcess;
  readonly #socket: WebSocket;
  readonly #profile: string;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #events = new Map<string, () => void>();
  #id = 0;

  private constructor(process: Deno.ChildProcess, socket: WebSocket, profile: string) {
    [this.#process, this.#socket, this.#profile] = [process, socket, profile];
    socket.addEventListener("message", ({ data }) => this.#hear(JSON.parse(data)));
  }

  /** Starts it. @param dark The user prefers dark pages. */
  static async open({ dark = false, width = 1200, height = 900 } = {}): Promise<Browser> {
    const profile = Deno.makeTempDirSync({ prefix: "joulemark-browser-" });
    const process = new Deno.Command(BROWSER!, {
      args: [
        ...["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"],
        ...["--remote-debugging-port=0", `--user-data-dir=${profile}`, "--no-first-run"],
        ...[`--window-size=${width},${height}`, "about:blank"],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const port = await portOf(process.stderr);
    const targets: { type: string; webSocketDebuggerUrl: string }[] =
      await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
    const socket = new WebSocket(targets.find(({ type }) => type === "page")!.webSocketDebuggerUrl);
    await new Promise((opened) => socket.addEventListener("open", opened, { once: true }));
    const browser = new Browser(process, socket, profile);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) {
      await browser.send(`${domain}.enable`);
    }
    await browser.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
    });
    return browser;
  }

  /** One command of the protocol. */
  async send(method: string, params: Answer = {}): Promise<Answer> {
    const id = ++this.#id;
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answer as { result?: Answer; error?: { message: string } };
    if (result === undefined) throw new Error(`${method}: ${error?.message}`);
    return result;
  }

  /** Opens a file. @returns Milliseconds until it was loaded and drawn. */
  async show(path: string): Promise<number> {
    const loaded = new Promise<void>((resolve) => this.#events.set("Page.loadEventFired", resolve));
    const start = performance.now();
    await this.send("Page.navigate", { url: `file://${path}` });
    await loaded;
    await this.run(`new Promise((done) => {
      const look = () => "ready" in document.documentElement.dataset ? done() : setTimeout(look, 2);
      look();
    })`);
    return performance.now() - start;
  }

  /** The value of an expression in the page. */
  async run<T>(expression: string): Promise<T> {
    const answer = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    }) as { result: { value: T }; exceptionDetails?: { exception?: { description?: string } } };
    const { exceptionDetails } = answer;
    if (exceptionDetails === undefined) return answer.result.value;
    throw new Error(exceptionDetails.exception?.description ?? "the page threw");
  }

  /** A key, pressed and let go. */
  async press(key: string, shift = false): Promise<void> {
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    const event = {
      key,
      text,
      windowsVirtualKeyCode: KEY_CODES[key],
      modifiers: shift ? SHIFT : 0,
    };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  /** The whole page as a picture. */
  async screenshot(): Promise<Uint8Array> {
    const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: true });
    return Uint8Array.from(atob(data as string), (c) => c.charCodeAt(0));
  }

  /** The page on paper. */
  async pdf(): Promise<Uint8Array> {
    const { data } = await this.send("Page.printToPDF", { printBackground: true });
    return Uint8Array.from(atob(data as string), (c) => c.charCodeAt(0));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#socket.addEventListener("close", resolve));
    this.#socket.close();
    await closed;
    this.#process.kill("SIGKILL");
    await this.#process.status;
    await this.#process.stderr.cancel().catch(() => {});
    // Its helpers go a moment later, and write until then.
    for (let i = 0; i < 50; i++) {
      try {
        return Deno.removeSync(this.#profile, { recursive: true });
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  #hear(message: { id?: number; method?: string; params?: Answer }): void {
    if (message.id !== undefined) {
      this.#waiting.get(message.id)?.(message as Answer);
      this.#waiting.delete(message.id);
      return;
    }
    const { method = "", params = {} } = message;
    this.#events.get(method)?.();
    if (method === "Runtime.exceptionThrown") this.errors.push(JSON.stringify(params));
    if (method === "Runtime.consoleAPICalled" && params.type === "error") {
      this.errors.push(JSON.stringify(params.args));
    }
    if (method === "Log.entryAdded") this.errors.push(JSON.stringify(params.entry));
    if (method === "Network.requestWillBeSent") {
      this.requests.push((params.request as { url: string }).url);
    }
  }
}

/** The port that it tells on stderr. */
async function portOf(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stderr.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the browser ended: ${text}`);
    text += decoder.decode(value);
    const port = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(text)?.[1];
    if (port === undefined) continue;
    reader.releaseLock();
    return port;
  }
}
