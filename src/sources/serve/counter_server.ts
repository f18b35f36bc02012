/**
 * The collector's side of its socket: many clients, none of them waited for.
 *
 * Who connects is known by the kernel's credentials. A client sends a number of ids and gets as many
 * cells (src/core/machine/served_values.ts). Each turn serves one request of each client, so that none keeps
 * others waiting; one that does not finish its request, or does not take its answer, is dropped after a
 * second. One that waits between its samples is left in peace.
 * @module
 */
import { cellBytes, MAX_IDS, printTable } from "../../core/machine/served_values.ts";
import { monotonicNanoseconds } from "../../os/clock.ts";
import type { Connection, Listener } from "../../os/socket.ts";
import type { CounterTable } from "./counter_table.ts";

/** At one time, and of one user; root comes in beside them. */
const CLIENTS_MAX = 64, CLIENTS_OF_USER = 8, CLIENTS_OF_ROOT = 8;
/**
 * Limits on accepted connections, at once and per second: a client that reconnects in a loop takes
 * at most a twentieth of a core.
 */
const ACCEPTS_MAX = 64, ACCEPTS_PER_S = 2000;
/** Until some more are accepted. */
const CROWDED_MS = 10;
const PATIENCE_NS = 1e9;
/** Requests of a client: so many at once, as when it looks at registers one by one, then a rate. */
const BURST = 4096;
const REQUESTS_PER_S = 4000;
const IDLE_MS = 60_000;

interface Client {
  readonly connection: Connection;
  readonly uid: number;
  readonly request: Uint8Array<ArrayBuffer>;
  length: number;
  /** Bytes that the client did not take yet. */
  rest: Uint8Array<ArrayBuffer> | undefined;
  /** Since when it owes us something; NaN: it does not. */
  owesNs: number;
  /** Requests that it may make, and when that was counted. */
  credit: number;
  creditNs: number;
}

/** Admission check for a user. @returns The reason for a refusal, or nothing. */
export type Admission = (uid: number) => string | undefined;

/** Serves a table. */
export class CounterServer implements Disposable {
  readonly #table: CounterTable;
  readonly #listener: Listener;
  readonly #admit: Admission;
  readonly #clients = new Set<Client>();
  readonly #greeting: Uint8Array<ArrayBuffer>;
  /** Connections that may be accepted, and when that was counted. */
  #accepts = ACCEPTS_MAX;
  #acceptsNs = monotonicNanoseconds();

  constructor(table: CounterTable, listener: Listener, admit: Admission) {
    this.#table = table;
    this.#listener = listener;
    this.#admit = admit;
    this.#greeting = new TextEncoder().encode(printTable(table.table));
  }

  /** Waits until a client has a request, and serves all clients once. */
  turn(): void {
    const before = monotonicNanoseconds();
    const waiting = [...this.#clients].filter((client) => mayAsk(client, before));
    const isBusy = waiting.length < this.#clients.size;
    const owed = [...this.#clients].map(({ owesNs }) => (owesNs + PATIENCE_NS - before) / 1e6);
    const isCrowded = this.#accepts < 1;
    const mostMs = isBusy ? 1 : isCrowded ? CROWDED_MS : IDLE_MS;
    const until = Math.min(mostMs, ...owed.filter((ms) => ms === ms));
    const ready = this.#listener.waitHere(
      Math.max(0, until),
      waiting.map(({ connection, rest }) => ({
        descriptor: connection.descriptor,
        sends: rest !== undefined,
      })),
      !isCrowded,
    );
    const now = monotonicNanoseconds();
    for (const client of waiting) {
      const isReady = ready.has(client.connection.descriptor);
      if (isReady && !this.#serve(client, now)) this.#drop(client);
    }
    for (const client of this.#clients) {
      if (now - client.owesNs > PATIENCE_NS) this.#drop(client);
    }
    const gained = (now - this.#acceptsNs) * 1e-9 * ACCEPTS_PER_S;
    this.#accepts = Math.min(ACCEPTS_MAX, this.#accepts + gained);
    this.#acceptsNs = now;
    for (; this.#accepts >= 1; this.#accepts--) {
      const connection = this.#listener.accept();
      if (connection === undefined) break;
      this.#greet(connection, now);
    }
  }

  [Symbol.dispose](): void {
    for (const client of this.#clients) this.#drop(client);
  }

  #greet(connection: Connection, now: number): void {
    const uid = connection.peer?.uid;
    const refused = uid === undefined
      ? "the kernel does not say who you are"
      : this.#admit(uid) ?? this.#crowded(uid);
    if (uid === undefined || refused !== undefined) {
      connection.sendNow(new TextEncoder().encode(`error ${refused}\n`));
      connection[Symbol.dispose]();
      return;
    }
    const client: Client = {
      connection,
      uid,
      request: new Uint8Array(4 + 4 * MAX_IDS),
      length: 0,
      rest: undefined,
      owesNs: NaN,
      credit: BURST,
      creditNs: now,
    };
    this.#clients.add(client);
    if (!send(client, this.#greeting, now)) this.#drop(client);
  }

  #crowded(uid: number): string | undefined {
    const all = [...this.#clients];
    const own = all.filter((client) => client.uid === uid).length;
    if (own >= (uid === 0 ? CLIENTS_OF_ROOT : CLIENTS_OF_USER)) {
      return "too many clients of this user";
    }
    return uid !== 0 && all.length >= CLIENTS_MAX ? "too many clients" : undefined;
  }

  /** @returns false: its connection is over. */
  #serve(client: Client, now: number): boolean {
    if (client.rest !== undefined) return send(client, client.rest, now);
    const { connection, request } = client;
    const n = connection.readNow(request.subarray(client.length));
    if (n < 0) return false;
    client.length += n;
    const size = wanted(client);
    // No ids, too many, or a second request before the first was answered.
    const isWrong = size === 4 && client.length >= 4 || size > request.length;
    if (isWrong || client.length > size) return false;
    if (client.length < size) {
      if (client.owesNs !== client.owesNs) client.owesNs = now;
      return true;
    }
    client.length = 0;
    client.owesNs = NaN;
    client.credit--;
    const answer = this.#answer(new DataView(request.buffer, 4, size - 4), now);
    return answer !== undefined && send(client, answer, now);
  }

  /** @returns `undefined`: an id is not in the table. */
  #answer(ids: DataView, now: number): Uint8Array<ArrayBuffer> | undefined {
    let size = 0;
    for (let i = 0; i < ids.byteLength; i += 4) size += cellBytes(ids.getUint32(i, true));
    const cells = new DataView(new ArrayBuffer(size));
    let at = 0;
    for (let i = 0; i < ids.byteLength; i += 4) {
      const n = this.#table.read(ids.getUint32(i, true), cells, at, now);
      if (n < 0) return undefined;
      at += n;
    }
    return new Uint8Array(cells.buffer);
  }

  #drop(client: Client): void {
    client.connection[Symbol.dispose]();
    this.#clients.delete(client);
  }
}

/** Bytes that its request has, as far as that is known. */
function wanted({ request, length }: Client): number {
  if (length < 4) return 4;
  return 4 + 4 * new DataView(request.buffer).getUint32(0, true);
}

function mayAsk(client: Client, now: number): boolean {
  const gained = (now - client.creditNs) * 1e-9 * REQUESTS_PER_S;
  client.credit = Math.min(BURST, client.credit + gained);
  client.creditNs = now;
  return client.credit >= 1;
}

function send(client: Client, bytes: Uint8Array<ArrayBuffer>, now: number): boolean {
  const n = client.connection.sendNow(bytes);
  if (n < 0) return false;
  client.rest = n < bytes.length ? bytes.subarray(n) : undefined;
  if (client.rest === undefined) client.owesNs = NaN;
  else if (client.owesNs !== client.owesNs) client.owesNs = now;
  return true;
}
