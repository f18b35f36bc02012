/**
 * Values that this user may not read, read by the node's collector: src/core/machine/served_values.ts has the protocol.
 *
 * Readers ask for one value after another, and a round trip takes longer than a read. So what has been
 * asked for before is fetched together: the first value that is asked for a second time fetches all, and
 * the others of that time answer from there. Nothing is allocated then.
 * @module
 */
import type { KeptFile, Registers } from "../core/machine/host.ts";
import {
  cellBytes,
  FILE_CELL,
  MAX_IDS,
  MAX_TABLE_BYTES,
  MAX_TEXT_BYTES,
  parseTable,
  printRequest,
  registerId,
  type ServedTable,
} from "../core/machine/served_values.ts";
import { isHumanError } from "../core/errors.ts";
import { monotonicNanoseconds } from "./clock.ts";
import { bindNeeded } from "./bind.ts";
import { ERRNO } from "./libc.ts";
import { connectTo } from "./socket.ts";
import type { Connection, PeerCredentials } from "./socket.ts";

/** Default socket of a collector. */
export const COLLECTOR_SOCKET = "/run/joulemark-collector.sock";

const SYMBOLS = {
  send: { parameters: ["i32", "buffer", "u32", "i32"], result: "i32" },
  recv: { parameters: ["i32", "buffer", "u32", "i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

const MSG_NOSIGNAL = 0x4000;
/** Before the first sample there is time: a loaded node may be slow. */
const FIRST_SECONDS = 2;
/** An answer that takes longer has failed: a sample must not wait. */
const ANSWER_SECONDS = 0.25;
const ANSWER_NS = ANSWER_SECONDS * 1e9;
const AGAIN_NS = 1e9;
/** Values fetched together belong to one time: the next one fetches again. */
const FRESH_NS = 2e6;

/** State of the collector. */
export type CollectorState =
  | { readonly ok: true; readonly table: ServedTable; readonly peer: PeerCredentials | undefined }
  | { readonly ok: false; readonly reason: string };

/**
 * The collector to ask.
 *
 * @param root Of the node; a tree has a collector only if one is named.
 * @param asked Path of its socket, or "off". @default where a collector listens by itself
 */
export function collectorFor(root: string, asked: string | undefined): CollectorClient | undefined {
  const path = asked ?? (root === "" ? COLLECTOR_SOCKET : "off");
  return path === "off" ? undefined : new CollectorClient(path);
}

/** One value that is asked for again and again. */
interface Cell {
  /** A path, or `CPU/REGISTER`. */
  readonly key: string;
  /** −1: this collector does not have it. */
  id: number;
  /** True if the cell was requested before, and comes with the others. */
  known: boolean;
  /** Index of the cell in the values fetched together. */
  at: number;
  fresh: boolean;
}

/** Ids of one request, and where its answer goes. */
interface Part {
  readonly request: Uint8Array<ArrayBuffer>;
  readonly answer: Uint8Array<ArrayBuffer>;
}

/** Bytes that hold cells. */
interface Cells {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView;
}

function cellsOf(length: number): Cells {
  const bytes = new Uint8Array(length);
  return { bytes, view: new DataView(bytes.buffer) };
}

const FETCHED = 0, RETRY = 1;

/** The node's collector, connected to when it is first asked. */
export class CollectorClient implements Disposable {
  /** Place of the value that {@linkcode read} returned. */
  cells: Cells;
  at = 0;
  #state: CollectorState | undefined;
  #connection: Connection | undefined;
  #calls: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | undefined;
  readonly #known = new Set<Cell>();
  /** Cells came or went since the parts were made. */
  #changed = false;
  #parts: Part[] = [];
  #together = cellsOf(0);
  readonly #alone = cellsOf(FILE_CELL);
  readonly #request = printRequest([0]);
  readonly #requestView = new DataView(this.#request.buffer);
  /** Moments of the last fetch, and of the next attempt to connect, ns. */
  readonly #times = new Float64Array([-Infinity, -Infinity]);

  constructor(readonly path: string) {
    this.cells = this.#alone;
  }

  /** Identity and table of the collector; connects at the first call. */
  get state(): CollectorState {
    return this.#state ??= this.#connect();
  }

  /** Does it read that file? */
  hasFile(path: string): boolean {
    return this.state.ok && this.state.table.files.includes(path);
  }

  /** Does it read registers of that CPU? */
  hasRegisters(cpu: number): boolean {
    return this.state.ok && this.state.table.cpus.includes(cpu);
  }

  /** A file that is read again and again. */
  keep(path: string): KeptFile {
    return new ServedFile(path, this.cell(path), this);
  }

  /** The registers of a CPU; those that it does not read answer EACCES. */
  registers(cpu: number): Registers {
    return new ServedRegisters(cpu, this);
  }

  /** A value to ask for. */
  cell(key: string): Cell {
    return { key, id: this.#idOf(key), known: false, at: 0, fresh: false };
  }

  /** Reads a cell. @returns 0, the value is at `at` of `cells`; or an errno: there is no answer. */
  read(cell: Cell): number {
    if (this.#connection === undefined && !this.#reconnected()) return ERRNO.ETIMEDOUT;
    if (cell.id < 0) return ERRNO.EACCES;
    if (!cell.known) return this.#readAlone(cell);
    const age = monotonicNanoseconds() - this.#times[FETCHED];
    if ((!cell.fresh || age > FRESH_NS) && !this.#fetch()) return ERRNO.ETIMEDOUT;
    cell.fresh = false;
    this.cells = this.#together;
    this.at = cell.at;
    return 0;
  }

  /** Ends the requests for a cell. */
  forget(cell: Cell): void {
    if (this.#known.delete(cell)) this.#changed = true;
  }

  [Symbol.dispose](): void {
    this.#connection?.[Symbol.dispose]();
    this.#connection = undefined;
  }

  #idOf(key: string): number {
    const state = this.state;
    if (!state.ok) return -1;
    if (key.startsWith("/")) return state.table.files.indexOf(key);
    const [cpu, register] = key.split("/").map(Number);
    const cpuPlace = state.table.cpus.indexOf(cpu);
    const registerPlace = state.table.registers.indexOf(register);
    return cpuPlace < 0 || registerPlace < 0 ? -1 : registerId(cpuPlace, registerPlace);
  }

  #connect(): CollectorState {
    try {
      const patience = this.#state === undefined ? FIRST_SECONDS : ANSWER_SECONDS;
      const connection = connectTo(this.path, patience);
      if (connection === undefined) {
        return { ok: false, reason: `no collector listens on ${this.path}` };
      }
      this.#calls ??= bindNeeded(SYMBOLS, true);
      const text = readTable(connection, patience);
      const table = text === undefined ? "it did not answer" : parseTable(text);
      if (typeof table === "string") {
        connection[Symbol.dispose]();
        return { ok: false, reason: `${this.path}: ${table}` };
      }
      connection.setTimeouts(ANSWER_SECONDS);
      this.#connection = connection;
      return { ok: true, table, peer: connection.peer };
    } catch (error) {
      if (!isHumanError(error)) throw error;
      return { ok: false, reason: error.message };
    }
  }

  /** A collector that was started again may have another table. */
  #reconnected(): boolean {
    const now = monotonicNanoseconds();
    if (now < this.#times[RETRY]) return false;
    this.#times[RETRY] = now + AGAIN_NS;
    const state = this.#connect();
    if (!state.ok) return false;
    this.#state = state;
    for (const cell of this.#known) cell.id = this.#idOf(cell.key);
    this.#changed = true;
    return true;
  }

  #readAlone(cell: Cell): number {
    this.#requestView.setUint32(4, cell.id, true);
    if (!this.#ask(this.#request, this.#alone.bytes, cellBytes(cell.id))) return ERRNO.ETIMEDOUT;
    cell.known = true;
    this.#known.add(cell);
    this.#changed = true;
    this.cells = this.#alone;
    this.at = 0;
    return 0;
  }

  /** All that has been asked for before. */
  #fetch(): boolean {
    if (this.#changed) this.#arrange();
    for (let i = 0; i < this.#parts.length; i++) {
      const { request, answer } = this.#parts[i];
      if (!this.#ask(request, answer, answer.length)) return false;
    }
    for (const cell of this.#known) cell.fresh = true;
    this.#times[FETCHED] = monotonicNanoseconds();
    return true;
  }

  #arrange(): void {
    this.#changed = false;
    const cells = [...this.#known].filter(({ id }) => id >= 0);
    let length = 0;
    for (const cell of cells) {
      cell.at = length;
      length += cellBytes(cell.id);
    }
    this.#together = cellsOf(length);
    this.#parts = [];
    for (let first = 0; first < cells.length; first += MAX_IDS) {
      const some = cells.slice(first, first + MAX_IDS);
      const end = cells[first + MAX_IDS]?.at ?? length;
      this.#parts.push({
        request: printRequest(some.map(({ id }) => id)),
        answer: this.#together.bytes.subarray(some[0].at, end),
      });
    }
  }

  /** A request and its whole answer; a connection that fails in between is given up. */
  #ask(request: Uint8Array<ArrayBuffer>, answer: Uint8Array<ArrayBuffer>, size: number): boolean {
    const fd = this.#connection!.descriptor;
    const calls = this.#calls!;
    const until = monotonicNanoseconds() + ANSWER_NS;
    let isWhole = calls.send(fd, request, request.length, MSG_NOSIGNAL) === request.length;
    for (let length = 0; isWhole && length < size;) {
      // The rest of an answer that came in parts: rare, so that a view may be made.
      const into = length === 0 ? answer : answer.subarray(length);
      const n = calls.recv(fd, into, size - length, 0);
      length += n;
      isWhole = n > 0 && (length === size || monotonicNanoseconds() < until);
    }
    if (isWhole) return true;
    this.#connection![Symbol.dispose]();
    this.#connection = undefined;
    this.#times[RETRY] = monotonicNanoseconds() + AGAIN_NS;
    return false;
  }
}

function readTable(connection: Connection, patienceS: number): string | undefined {
  const bytes = new Uint8Array(MAX_TABLE_BYTES);
  const until = monotonicNanoseconds() + patienceS * 1e9;
  let length = 0;
  while (length < MAX_TABLE_BYTES && monotonicNanoseconds() < until) {
    // An error is one line, after which the collector is gone.
    const n = connection.readNow(bytes.subarray(length));
    if (n < 0 && length === 0) return undefined;
    length += Math.max(0, n);
    const isWhole = length > 1 && bytes[length - 1] === 10 && bytes[length - 2] === 10;
    if (isWhole || n < 0) return new TextDecoder().decode(bytes.subarray(0, length));
  }
  return undefined;
}

/** A file that the collector reads. */
class ServedFile implements KeptFile {
  readonly bytes = new Uint8Array(MAX_TEXT_BYTES);
  readonly #cell: Cell;
  readonly #client: CollectorClient;

  constructor(readonly path: string, cell: Cell, client: CollectorClient) {
    this.#cell = cell;
    this.#client = client;
  }

  read(): number {
    const failed = this.#client.read(this.#cell);
    if (failed !== 0) return -failed;
    const { cells, at } = this.#client;
    const length = cells.view.getInt32(at, true);
    if (length > MAX_TEXT_BYTES) return -ERRNO.EIO;
    for (let i = 0; i < length; i++) this.bytes[i] = cells.bytes[at + 4 + i];
    return length;
  }

  [Symbol.dispose](): void {
    this.#client.forget(this.#cell);
  }
}

/** The registers of a CPU, those that the collector's list has. */
class ServedRegisters implements Registers {
  low = 0;
  high = 0;
  readonly #cpu: number;
  readonly #client: CollectorClient;
  readonly #cells = new Map<number, Cell>();

  constructor(cpu: number, client: CollectorClient) {
    this.#cpu = cpu;
    this.#client = client;
  }

  read(register: number): number {
    let cell = this.#cells.get(register);
    if (cell === undefined) {
      cell = this.#client.cell(`${this.#cpu}/${register}`);
      this.#cells.set(register, cell);
    }
    const failed = this.#client.read(cell);
    if (failed !== 0) return failed;
    const { cells: { view }, at } = this.#client;
    this.low = view.getInt32(at + 4, true);
    this.high = view.getInt32(at + 8, true);
    return view.getInt32(at, true);
  }

  [Symbol.dispose](): void {
    for (const cell of this.#cells.values()) this.#client.forget(cell);
    this.#cells.clear();
  }
}
