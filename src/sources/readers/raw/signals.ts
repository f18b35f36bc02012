/**
 * Values of the raw stats types as signals `RAW::TYPE:KEY`; values of single processes are left
 * out.
 *
 * If a type's device is a CPU or a package, the signal has that domain; all other devices are added
 * up to the board. Values are in SI units; counters come unwrapped by their declared width,
 * energies in joules by the unit register, while the raw columns keep the raw counts.
 * @module
 */
import { Counters } from "../../../core/machine/counter.ts";
import type { Domain } from "../../../core/machine/domain.ts";
import type { Host, Reader } from "../../../core/machine/host.ts";
import { ScopedHost } from "../../../core/machine/scoped_host.ts";
import type { OfferedSignal, SignalReading, SignalRow, Unit } from "../../../core/signal.ts";
import { RawMachine } from "../../../os/raw_machine.ts";
import { lookAt } from "../offers.ts";
import { keyMeaning } from "./key_meanings.ts";
import { keyNote } from "./key_notes.ts";
import { RAW_TYPES } from "./all.ts";
import { identifyProcessor, PROCESSOR_FILES, type RawProcessor } from "./processor.ts";
import { accessOf, keyNames, type RawCollector, RawRow, type RawStatsType } from "./raw_type.ts";

const PREFIX = "RAW::";
/** Types whose device is the number of a CPU, or of a package. */
const PER_CPU = new Set(["cpu", "amd64_pmc", "intel_8pmc3", "intel_4pmc3", "intel_knl"]);
const PER_PACKAGE = new Set(["amd64_rapl", "intel_rapl", "intel_pcu", "intel_uncore"]);
/** Weight of the upper half of a 64-bit value. */
const HIGH_WEIGHT = 4294967296;

const UNITS: Readonly<Record<string, readonly [unit: Unit, scale: number]>> = {
  KB: ["B", 1024],
  kB: ["B", 1024],
  B: ["B", 1],
  "4B": ["B", 4],
  "512B": ["B", 512],
  cs: ["s", 0.01],
  ms: ["s", 0.001],
  us: ["s", 1e-6],
  mW: ["W", 0.001],
  mJ: ["J", 1],
};

/** One key of one type. */
interface RawColumn {
  readonly row: SignalRow;
  readonly type: RawStatsType;
  readonly key: number;
  readonly keyName: string;
  readonly scale: number;
  readonly kind: "event" | "gauge" | "control";
  readonly widthBits: number;
}

function domainOf(type: string): Domain {
  return PER_CPU.has(type) ? "cpu" : PER_PACKAGE.has(type) ? "package" : "board";
}

function columnOf(type: RawStatsType, text: string, key: number): RawColumn {
  const [keyName, ...options] = text.split(",");
  const declared = options.find((o) => o.startsWith("U="))?.slice(2) ?? "";
  const width = options.find((o) => o.startsWith("W="))?.slice(2) ?? "64";
  const kind = options.includes("E") ? "event" : options.includes("C") ? "control" : "gauge";
  const [unit, scale] = UNITS[declared] ?? ["", 1];
  const row: SignalRow = {
    name: `${PREFIX}${type.name}:${keyName}`,
    domain: domainOf(type.name),
    unit,
    behavior: kind === "event" ? "monotone" : kind === "gauge" ? "variable" : "label",
    agg: kind === "control" ? "expect_same" : "sum",
    ...kind === "control" ? { format: "hex" as const } : {},
    about: keyMeaning(type.name, keyName) ?? `Key ${keyName} of the raw stats type ${type.name}`,
    source: type.needs.files[0] ?? type.needs.libraries[0],
    quirks: keyNote(type.name, keyName),
  };
  return { row, type, key, keyName, scale, kind, widthBits: Number(width) };
}

/**
 * Types without signals: single processes, of whose user numbers a sum over devices means nothing,
 * and what sends datagrams through the fabric, which a monitor does only for a type requested by name.
 */
const NO_SIGNALS: readonly string[] = ["proc", "ib_sw"];
const TYPES = RAW_TYPES.filter((type) => !NO_SIGNALS.includes(type.name));

const COLUMNS: readonly RawColumn[] = TYPES.flatMap((type) =>
  (type.trueKeys ?? type.keys).split(" ").map((text, key) => columnOf(type, text, key))
);
const BY_NAME = new Map(COLUMNS.map((column) => [column.row.name, column]));

function openType(type: RawStatsType, machine: RawMachine): RawCollector | undefined {
  const opened = type.open(accessOf(type, machine, processorOf(machine)));
  if (opened?.keys === undefined) return opened;
  opened[Symbol.dispose]?.();
  return undefined;
}

/** Identifying a processor reads every CPU: once per machine. */
const processors = new WeakMap<RawMachine, RawProcessor>();

function processorOf(machine: RawMachine): RawProcessor {
  return processors.getOrInsertComputed(machine, ({ host }) => identifyProcessor(host));
}

/** The types have needs of their own, which their own scopes hold them to. */
function machineOf(host: Host): RawMachine {
  return new RawMachine(host instanceof ScopedHost ? host.inner : host);
}

/** The reader of raw stats types as signals. */
export const raw: Reader = {
  name: "RAW",
  about: "Counters of raw stats, the files of the monitoring program hpcperfstats. " +
    "A *type* is one kind of device, and a *key* is one of its counters.",
  needs: {
    files: [...new Set([...PROCESSOR_FILES, ...TYPES.flatMap((type) => type.needs.files)])],
    libraries: [...new Set(TYPES.flatMap((type) => type.needs.libraries))],
    capabilities: [...new Set(TYPES.flatMap((type) => type.needs.capabilities))],
  },
  signals: COLUMNS.map((column) => column.row),
  probe(host) {
    using machine = machineOf(host);
    const probed = new Map(TYPES.map((type) => {
      const opened = openType(type, machine);
      const row = new RawRow(keyNames(type.keys).length, () => {});
      opened?.collect(row);
      opened?.[Symbol.dispose]?.();
      return [type, { isOpen: opened !== undefined, seen: row.seen }];
    }));
    return lookAt(raw.signals, (row, i) => {
      const { type, key, keyName } = COLUMNS[i];
      const { isOpen, seen } = probed.get(type)!;
      if (seen[key] === 1) return { source: row.source ?? type.name };
      const reason = isOpen
        ? `no source of ${keyName} of ${type.name}`
        : `this node has no ${type.name}`;
      return { kind: "absent", reason };
    });
  },
  open: (host, wanted) => new RawReading(host, wanted),
};

/** One requested row: where its values go, and its counters by device. */
interface Wanted {
  readonly column: RawColumn;
  readonly first: number;
  readonly count: number;
  readonly scale: number;
  /** By device: its counter, and what it added up to last. */
  readonly counters: Map<string, Counters>;
  readonly totals: Map<string, number>;
}

class RawReading implements SignalReading {
  readonly #machine: RawMachine;
  readonly #types: { opened: RawCollector; row: RawRow; wanted: Wanted[] }[] = [];
  #timeS = 0;
  #out: Float64Array = new Float64Array();

  constructor(host: Host, wanted: readonly OfferedSignal[]) {
    this.#machine = machineOf(host);
    const byType = new Map<RawStatsType, Wanted[]>();
    let first = 0;
    for (const { row } of wanted) {
      const column = BY_NAME.get(row.name)!;
      const count = host.topology.count(row.domain);
      const own = { column, first, count, counters: new Map(), totals: new Map() };
      byType.set(column.type, [...byType.get(column.type) ?? [], { ...own, scale: column.scale }]);
      first += count;
    }
    for (const [type, list] of byType) {
      const opened = openType(type, this.#machine);
      if (opened === undefined) continue;
      const units = joulesOf(opened);
      const scaled = list.map((w) => ({ ...w, scale: units.get(w.column.keyName) ?? w.scale }));
      const row: RawRow = new RawRow(keyNames(type.keys).length, (device) => {
        for (const w of scaled) this.#take(w, device, row);
      });
      this.#types.push({ opened, row, wanted: scaled });
    }
  }

  readInto(out: Float64Array, timeS: number): void {
    this.#timeS = timeS;
    this.#out = out;
    out.fill(NaN);
    for (const { opened, row, wanted } of this.#types) {
      row.begin();
      opened.collect(row);
      // A device that went away keeps what it had counted: a sum must not fall.
      for (const { column, first, totals } of wanted) {
        if (column.kind !== "event" || column.row.domain !== "board" || totals.size === 0) continue;
        let sum = 0;
        for (const total of totals.values()) sum += total;
        out[first] = sum;
      }
    }
  }

  #take(w: Wanted, device: string, row: RawRow): void {
    if (row.seen[w.column.key] === 0) return;
    const low = row.halves[2 * w.column.key];
    const high = row.halves[2 * w.column.key + 1];
    const isBoard = w.column.row.domain === "board";
    const index = isBoard ? 0 : Number(device);
    if (!(index < w.count)) return;
    if (w.column.kind === "event") {
      let counters = w.counters.get(device);
      if (counters === undefined) {
        counters = new Counters(1, { range: rangeOf(w.column, high) });
        w.counters.set(device, counters);
      }
      const total = counters.update(0, high, low, this.#timeS) * w.scale;
      if (isBoard) w.totals.set(device, total);
      else this.#out[w.first + index] = total;
      return;
    }
    const value = (high * HIGH_WEIGHT + low) * w.scale;
    const before = this.#out[w.first + index];
    this.#out[w.first + index] = isBoard && before === before ? before + value : value;
  }

  [Symbol.dispose](): void {
    for (const { opened } of this.#types) opened[Symbol.dispose]?.();
    this.#machine[Symbol.dispose]();
  }
}

/** Counts after which a counter starts again; one that shows more than it declares never does. */
function rangeOf({ widthBits }: RawColumn, high: number): number {
  if (widthBits >= 64 || (widthBits === 32 && high > 0)) return Infinity;
  return 2 ** widthBits;
}

/** Joules of one count by key, from the mark that the type writes. */
function joulesOf(collector: RawCollector): Map<string, number> {
  const units = new Map<string, number>();
  for (const mark of collector.marks?.() ?? []) {
    for (const pair of mark.split(" ").slice(2)) {
      const at = pair.indexOf("=");
      units.set(pair.slice(0, at), Number(pair.slice(at + 1)));
    }
  }
  return units;
}
