/**
 * The counters of AMD family 10h, per core and per socket.
 *
 * Such a core has four counters, and events of the northbridge may be counted by one core of a
 * socket only: monitors up to 2.3.4 give each core of four another set, so that the columns of type
 * amd64_pmc mean something else on each CPU. Two types have what was counted: amd64_core has cycles
 * in user mode, cache fills from beyond the L2 and floating-point operations of each core; amd64_sock
 * the DRAM accesses and the traffic of three HyperTransport links of each socket.
 *
 * Events: AMD BKDG for family 10h, "Performance event-select registers": E0h DRAM accesses (of the
 * first controller), 42h data cache refills from the system, F6h to F8h link transmissions without
 * NOPs, 76h cycles, 03h retired SSE operations.
 * @module
 */
import { EXACT_BELOW, RawColumns, type RawDevice, RawValues } from "../format/columns.ts";
import { parseRawSchema, type RawSchema } from "../format/schema.ts";

/** Cores that share a northbridge. */
const CORES = 4;
const COUNTERS = 4;

/** Target of a control word: a column of the core's type or of the socket's. */
export interface Family10hEvent {
  readonly type: "amd64_core" | "amd64_sock";
  readonly column: number;
  /** Bytes of one count; 1 for others. */
  readonly scale: number;
}

/** Words with user and kernel mode and enable; cycles count in user mode alone. */
export const FAMILY10H_EVENTS: ReadonlyMap<number, Family10hEvent> = new Map([
  [0x410076, { type: "amd64_core", column: 0, scale: 1 }],
  [0x430142, { type: "amd64_core", column: 1, scale: 64 }],
  [0x437f03, { type: "amd64_core", column: 2, scale: 1 }],
  [0x4307e0, { type: "amd64_sock", column: 0, scale: 64 }],
  [0x4337f6, { type: "amd64_sock", column: 1, scale: 4 }],
  [0x4337f7, { type: "amd64_sock", column: 2, scale: 4 }],
  [0x4337f8, { type: "amd64_sock", column: 3, scale: 4 }],
]);

/** The columns of the derived types, in counts of 48 bits. */
export const FAMILY10H_CORE = "!amd64_core USER,E,W=48 DCSF,E,U=64B,W=48 SSE_FLOPS,E,W=48";
export const FAMILY10H_SOCKET =
  "!amd64_sock DRAM,E,U=64B,W=48 HT0,E,U=4B,W=48 HT1,E,U=4B,W=48 HT2,E,U=4B,W=48";

/** Is it the older form of the type, CTL0 to CTL3 and CTR0 to CTR3? */
export function isFamily10h({ type, keys }: RawSchema): boolean {
  if (type !== "amd64_pmc" || keys.length !== 2 * COUNTERS) return false;
  return keys.every(({ name }, i) => name === (i < COUNTERS ? `CTL${i}` : `CTR${i - COUNTERS}`));
}

/** Socket of a logical CPU: CPUs are numbered socket by socket. */
export function family10hSocket(cpu: number): number {
  return Math.floor(cpu / CORES);
}

/** Values of one device in the sample at hand. */
interface Row {
  readonly device: RawDevice;
  readonly values: RawValues;
}

/** Takes the lines of a sample, and gives those of the types that they stand for. */
export class Family10h {
  // numbers below zero: these schemas are in no file
  readonly #core = new RawColumns(parseRawSchema(FAMILY10H_CORE)!, -1);
  readonly #socket = new RawColumns(parseRawSchema(FAMILY10H_SOCKET)!, -2);
  readonly #rows = new Map<RawDevice, Row>();
  readonly #known = new Map<RawColumns, boolean>();

  /** Takes a line of type amd64_pmc. */
  take({ columns, name }: RawDevice, values: RawValues): void {
    let fits = this.#known.get(columns);
    if (fits === undefined) this.#known.set(columns, fits = isFamily10h(columns.schema));
    if (!fits || !/^\d{1,5}$/.test(name)) return;
    const cpu = Number(name);
    for (let i = 0; i < COUNTERS; i++) {
      const event = FAMILY10H_EVENTS.get(values.numbers[i]);
      if (event === undefined) continue;
      const row = event.type === "amd64_core"
        ? this.#rowOf(this.#core, name)
        : this.#rowOf(this.#socket, String(family10hSocket(cpu)));
      const count = values.numbers[COUNTERS + i];
      if (count < EXACT_BELOW) row.values.numbers[event.column] = count;
      else row.values.setWide(event.column, values.exact(COUNTERS + i));
    }
  }

  /** Hands over the derived lines of the sample. */
  flush(emit: (device: RawDevice, values: RawValues) => void): void {
    if (this.#rows.size === 0) return;
    for (const { device, values } of this.#rows.values()) emit(device, values);
    this.#rows.clear();
  }

  #rowOf(columns: RawColumns, name: string): Row {
    const device = columns.device(name);
    let row = this.#rows.get(device);
    if (row === undefined) {
      row = { device, values: new RawValues(columns.schema.keys.length) };
      // a value without a line is missing, not zero
      row.values.numbers.fill(NaN);
      this.#rows.set(device, row);
    }
    return row;
  }
}
