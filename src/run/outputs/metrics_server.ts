/**
 * Answers scrapes over HTTP/1.1 from inside a loop that never waits for a client: slow clients keep
 * what they have not taken yet, and only so many of them are served at a time.
 * @module
 */
import { AccessError } from "../../core/errors.ts";
import { OPENMETRICS_TYPE, PROMETHEUS_TYPE } from "../../formats/metrics.ts";
import { monotonicNanoseconds, sleepUntil } from "../../os/clock.ts";
import { clearSocket, type Connection, Listener } from "../../os/socket.ts";
import type { MetricsAddress } from "./metrics_address.ts";

const CLIENTS_MAX = 16;
/**
 * Limits on accepted connections, at once and per second: a client that reconnects in a loop takes
 * a few percent of a core.
 */
const ACCEPTS_MAX = 64, ACCEPTS_PER_S = 200;
/** Maximum number of connections that wait to be accepted. */
const BACKLOG = 128;
const REQUEST_BYTES_MAX = 8192;
/** A client that neither sends nor receives for this long is closed. */
const CLIENT_S = 5;
/** Answers to scrapes that come close together are the same; making them takes so much of the time. */
const SAME_S = 0.5;
const MAKING_SHARE = 0.03;
const BUSY_MS = 20;
/** After the application's end: a request on its way gets one such pause, a reader many while it reads. */
const LAST_STEP_NS = 2e6;
const LAST_STEPS = 100;

interface Client {
  readonly connection: Connection;
  readonly origin: string;
  activeS: number;
  request: string;
  answer?: Uint8Array<ArrayBuffer>;
}

/** The metrics as text. @param isOpen As OpenMetrics, else in Prometheus' own format. */
export type MetricsText = (isOpen: boolean) => string;

/** Serves one address. */
export class MetricsServer implements Disposable {
  readonly #listener: Listener;
  readonly #text: MetricsText;
  readonly #clients: Client[] = [];
  readonly #made: { text: string; untilS: number }[] = [];
  readonly #decoder = new TextDecoder();
  readonly #bytes = new Uint8Array(REQUEST_BYTES_MAX);
  /** Connections that may be accepted, and when that was counted. */
  #accepts = ACCEPTS_MAX;
  #acceptsS = NaN;

  /** @throws {AccessError} If another process listens there, or it cannot be made. */
  constructor(address: MetricsAddress, name: string, text: MetricsText) {
    this.#text = text;
    const inUse = typeof address === "string" ? clearSocket(address) : undefined;
    if (inUse !== undefined) {
      throw new AccessError({
        action: "listen on",
        target: `unix:${address}`,
        expected: "an address that is not in use",
        found: inUse === "file" ? "a file" : "another one that answers",
      });
    }
    this.#listener = new Listener(address, name, BACKLOG);
  }

  /**
   * Descriptors for poll(2). Clients that send more than the request which has its answer are left
   * out.
   */
  get descriptors(): number[] {
    const asking = this.#clients.filter(({ answer }) => answer === undefined);
    const listening = this.#accepts < 1 ? [] : [this.#listener.descriptor];
    return [...listening, ...asking.map((c) => c.connection.descriptor)];
  }

  /** Time until it must be served without a new request: a client receives slowly, or waits to be accepted. */
  get waitMs(): number {
    return this.#clients.length > 0 || this.#accepts < 1 ? BUSY_MS : Infinity;
  }

  /** Serves all who ask. @param nowS Of a steady clock. */
  serve(nowS: number): void {
    const gained = Math.max(0, nowS - this.#acceptsS) * ACCEPTS_PER_S;
    this.#accepts = Math.min(ACCEPTS_MAX, this.#accepts + (gained || 0));
    this.#acceptsS = nowS;
    for (; this.#accepts >= 1; this.#accepts--) {
      const connection = this.#listener.accept();
      if (connection === undefined) break;
      const client = { connection, origin: connection.origin, activeS: nowS, request: "" };
      this.#clients.push(client);
      // One whose request is there already needs no place.
      this.#turn(client, nowS);
      if (this.#clients.length > CLIENTS_MAX) this.#end(findCrowding(this.#clients));
    }
    for (let i = this.#clients.length - 1; i >= 0; i--) this.#turn(this.#clients[i], nowS);
  }

  /**
   * The last answers: a client with a request gets a whole one, if it receives it at once. Clients without a request
   * are closed, so that none of them delays the end of a run.
   *
   * @param pause Called between looks at the clients.
   */
  finish(nowS: number, pause = () => sleepUntil(monotonicNanoseconds() + LAST_STEP_NS)): void {
    this.#made.length = 0;
    this.serve(nowS);
    for (let step = 0; step < LAST_STEPS && this.#clients.length > 0; step++) {
      const before = this.#unsentBytes();
      pause();
      this.serve(nowS);
      for (const client of [...this.#clients]) if (client.answer === undefined) this.#end(client);
      if (step > 0 && this.#unsentBytes() === before) break;
    }
  }

  #unsentBytes(): number {
    return this.#clients.reduce((sum, { answer }) => sum + (answer?.length ?? 0), 0);
  }

  [Symbol.dispose](): void {
    for (const client of [...this.#clients]) this.#end(client);
    this.#listener[Symbol.dispose]();
  }

  #turn(client: Client, nowS: number): void {
    if (client.answer === undefined) {
      const n = client.connection.readNow(this.#bytes);
      if (n > 0) {
        client.activeS = nowS;
        client.request += this.#decoder.decode(this.#bytes.subarray(0, n));
      }
      if (/\r?\n\r?\n/.test(client.request)) client.answer = this.#answer(client.request, nowS);
      else if (n < 0 || client.request.length > REQUEST_BYTES_MAX) return this.#end(client);
    }
    if (client.answer !== undefined) {
      const sent = client.connection.sendNow(client.answer);
      if (sent < 0) return this.#end(client);
      if (sent > 0) client.activeS = nowS;
      client.answer = client.answer.subarray(sent);
      if (client.answer.length === 0) return this.#end(client);
    }
    if (nowS - client.activeS > CLIENT_S) this.#end(client);
  }

  #answer(request: string, nowS: number): Uint8Array<ArrayBuffer> {
    const [method, target] = request.split("\n", 1)[0].trim().split(" ");
    const path = (target ?? "").split("?", 1)[0];
    if (method !== "GET") return response("405 Method Not Allowed", "text/plain", "GET only\n");
    if (path !== "/metrics" && path !== "/") {
      return response("404 Not Found", "text/plain", "see /metrics\n");
    }
    const isOpen = /^accept:.*application\/openmetrics-text/im.test(request);
    const type = isOpen ? OPENMETRICS_TYPE : PROMETHEUS_TYPE;
    return response("200 OK", type, this.#current(isOpen, nowS));
  }

  #current(isOpen: boolean, nowS: number): string {
    const at = isOpen ? 1 : 0;
    const made = this.#made[at];
    if (made !== undefined && nowS < made.untilS) return made.text;
    const beganMs = performance.now();
    const text = this.#text(isOpen);
    const tookS = (performance.now() - beganMs) / 1000;
    this.#made[at] = { text, untilS: nowS + Math.max(SAME_S, tookS / MAKING_SHARE) };
    return text;
  }

  #end(client: Client): void {
    client.connection[Symbol.dispose]();
    this.#clients.splice(this.#clients.indexOf(client), 1);
  }
}

/**
 * Client to close if there are too many: one from the origin with the most clients, so that one
 * origin does not crowd out others. It is the oldest one, preferably one that has sent no request.
 *
 * @param clients In the order in which they came.
 */
export function findCrowding<T extends Pick<Client, "origin" | "answer">>(
  clients: readonly T[],
): T {
  const all = [...Map.groupBy(clients, ({ origin }) => origin).values()];
  const most = all.reduce((most, some) => some.length > most.length ? some : most);
  return most.find(({ answer }) => answer === undefined) ?? most[0];
}

function response(status: string, type: string, text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const body = encoder.encode(text);
  const head = encoder.encode(
    `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n` +
      "Connection: close\r\n\r\n",
  );
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}
