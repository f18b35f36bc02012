/**
 * The batch: which signals are requested, one reading of each per tick, and their values at any domain.
 *
 * Push, then per tick `read` (the counters, at one moment) and `settle` (what depends on the
 * application's events up to that moment, and what is calculated), then `sample`. The two are
 * apart because events up to a tick's time are all known only a moment later. Nothing allocates
 * after the first tick. Rules: geopm::PlatformIO(3).
 * @module
 */
import { aggregate } from "../../core/agg.ts";
import { type Domain, DOMAINS, isInside } from "../../core/machine/domain.ts";
import { UnknownNameError, UsageError } from "../../core/errors.ts";
import type {
  Behavior,
  OfferedSignal,
  SignalProvider,
  SignalReading,
  SignalSource,
} from "../../core/signal.ts";
import type { PlatformTopology } from "../../core/machine/topology.ts";
import type { DerivedSignal } from "./derived.ts";

/** Source of names for a batch: see `catalogue.ts`. */
export interface NameTable {
  /** Follows aliases to the one source chosen on this node; `undefined`: known but absent here. */
  resolve(name: string): ResolvedName;
  /** All names, for "did you mean". */
  names(): Iterable<string>;
}

/** Meaning of a name on this node. */
export type ResolvedName =
  | { kind: "offered"; provider: SignalProvider; signal: OfferedSignal; phase: "read" | "settle" }
  | { kind: "derived"; signal: OfferedSignal; derived: DerivedSignal }
  | { kind: "absent"; domain: Domain; behavior: Behavior; reason: string }
  | { kind: "unknown" };

/** The signal that a name stands for on this node; `undefined`: none does. */
export function signalOf(table: NameTable, name: string): OfferedSignal | undefined {
  const found = table.resolve(name);
  return "signal" in found ? found.signal : undefined;
}

/** One signal in its own domain: a stretch of the row of native values. */
export interface NativeColumn {
  /** The name that was asked for. */
  readonly name: string;
  /** Name, domain, unit and source of the signal. */
  readonly signal: OfferedSignal;
  /** Index of its first instance in `values`. */
  readonly offset: number;
  /** Instances of its domain. */
  readonly count: number;
}

interface Part {
  readonly provider: SignalProvider;
  readonly wanted: OfferedSignal[];
  readonly offsets: number[];
  readonly phase: "read" | "settle";
  /**
   * True if its values belong to single CPUs or cores: many, and read less often when time is
   * short.
   */
  readonly perCpu: boolean;
  reading?: SignalReading;
  view?: Float64Array;
}

interface Calculation {
  readonly derived: DerivedSignal;
  readonly inputs: NativeColumn[];
  readonly column: NativeColumn;
  run?: (timeS: number) => void;
}

/** A pushed (signal, domain, index). */
interface Request {
  readonly column: NativeColumn | undefined;
  readonly kind: OfferedSignal["row"]["agg"];
  readonly indices: Int32Array;
  /** A sum of energies or powers: of some of its parts it would be wrong. */
  readonly ofAll: boolean;
  /** An energy that is counted. */
  readonly isEnergy: boolean;
}

/**
 * The signals of one run and their values.
 *
 * @example
 * ```ts
 * import { Batch, buildCatalogue, openHost, READERS } from "joulemark";
 *
 * const host = openHost("");
 * using batch = new Batch(host.topology, buildCatalogue({ host, readers: READERS }));
 * const handle = batch.pushSignal("MEMINFO::MEM_TOTAL", "board", 0);
 * batch.read(0);
 * batch.settle();
 * console.log(batch.sample(handle));
 * ```
 */
export class Batch implements SignalSource {
  readonly #topology: PlatformTopology;
  readonly #table: NameTable;
  readonly #handles = new Map<string, number>();
  readonly #requests: Request[] = [];
  readonly #columns = new Map<string, NativeColumn>();
  readonly #parts: Part[] = [];
  readonly #calculations: Calculation[] = [];
  /** Columns by signal rather than by name: aliases of one source share a reading. */
  readonly #bySignal = new Map<OfferedSignal, NativeColumn>();
  #width = 0;
  #values = new Float64Array(0);
  #samples = new Float64Array(0);
  /** Highest values that {@linkcode shown} returned. */
  #highest = new Float64Array(0);
  #frozen = false;
  #timeS = NaN;
  #tick = 0;
  /** Counters of single CPUs are read every so many ticks; in between they keep their value. */
  cpuStride = 1;
  /** True when signals that skip ticks are read all the same: totals end here. */
  readsAll = false;
  /** True if no source will have another value. Known when the sources are open. */
  readsNothing = false;

  /** An empty batch over a node and its names. */
  constructor(topology: PlatformTopology, table: NameTable) {
    this.#topology = topology;
    this.#table = table;
  }

  /**
   * Requests a signal at a domain instance.
   *
   * @returns Handle for `sample`, numbered from 0; the same triple gives the same handle.
   * @throws {UnknownNameError} If no reader knows the name.
   * @throws {UsageError} If the domain cannot hold the signal, the index is out of range, or the
   * first tick has passed.
   */
  pushSignal(name: string, domain: Domain, index: number): number {
    const key = `${name}@${domain}-${index}`;
    const known = this.#handles.get(key);
    if (known !== undefined) return known;
    const wrong = (expected: string, found?: string) =>
      new UsageError({ action: "read", target: key, expected, found });
    if (this.#frozen) throw wrong("a push before the first tick");
    const resolved = this.#resolve(name);
    const native = resolved.kind === "absent" ? resolved.domain : resolved.signal.row.domain;
    if (!isInside(native, domain)) {
      const outer = DOMAINS.filter((one) => isInside(native, one));
      throw wrong(`one of the domains ${outer.join(", ")}`, domain);
    }
    const instances = this.#topology.count(domain);
    // A node without GPUs has no GPU signal either: that is the reason which the caller reports.
    const most = resolved.kind === "absent" && instances === 0 ? Infinity : instances;
    if (!Number.isInteger(index) || index < 0 || index >= most) {
      throw wrong(`an index below ${instances}`, String(index));
    }
    const column = resolved.kind === "absent" ? undefined : this.#column(name, resolved);
    const handle = this.#requests.length;
    this.#requests.push({
      column,
      kind: column?.signal.row.agg ?? "select_first",
      ofAll: column !== undefined && needsAll(column.signal.row),
      isEnergy: column !== undefined && isEnergy(column.signal.row),
      indices: Int32Array.from(
        this.#topology.nested(native, domain, index),
        (i) => i + (column?.offset ?? 0),
      ),
    });
    this.#handles.set(key, handle);
    return handle;
  }

  /**
   * Requests a signal at each instance of its own domain inside a domain instance.
   *
   * @returns Handles, ascending by instance; none if the signal is absent here.
   */
  pushParts(name: string, domain: Domain, index: number): number[] {
    const resolved = this.#resolve(name);
    if (resolved.kind === "absent") return [];
    const native = resolved.signal.row.domain;
    return Array.from(
      this.#topology.nested(native, domain, index),
      (part) => this.pushSignal(name, native, part),
    );
  }

  /** Behavior of a signal over time. @throws {UnknownNameError} If no reader knows the name. */
  behavior(name: string): Behavior {
    const resolved = this.#resolve(name);
    return resolved.kind === "absent" ? resolved.behavior : resolved.signal.row.behavior;
  }

  /** Seconds between two changes of a signal's counter; `undefined`: not known. */
  updatePeriodS(name: string): number | undefined {
    const resolved = this.#resolve(name);
    if (resolved.kind === "derived") return this.updatePeriodS(resolved.derived.inputs[0]);
    return resolved.kind === "absent" ? undefined : resolved.signal.updatePeriodS;
  }

  /** Is it calculated from other signals, as the integral of a power? */
  isDerived(name: string): boolean {
    const { kind } = this.#table.resolve(name);
    return kind === "derived" || signalOf(this.#table, name)?.quality === "derived";
  }

  /** The native domain of a name, also of one that is absent here. */
  nativeDomain(name: string): Domain {
    const resolved = this.#resolve(name);
    return resolved.kind === "absent" ? resolved.domain : resolved.signal.row.domain;
  }

  /** Names of the sources that are read. */
  get sources(): ReadonlySet<string> {
    return new Set(this.#parts.map(({ provider }) => provider.name));
  }

  /**
   * Opens the sources and ends pushing. A run does so before it starts the command, whose counters
   * must be there by then; without it the first `read` opens them.
   */
  open(): void {
    if (!this.#frozen) this.#freeze();
  }

  /** Reads the counters: every source once. */
  read(timeS: number): void {
    this.open();
    this.#timeS = timeS;
    this.#readParts("read");
    this.#tick++;
  }

  /** A step at which the counters have the values of the one before. */
  hold(timeS: number): void {
    this.open();
    this.#timeS = timeS;
    this.#tick++;
  }

  /** A sample whose counters were not read in time: they are not available. */
  lose(timeS: number): void {
    this.open();
    this.#timeS = timeS;
    for (const { phase, wanted, offsets } of this.#parts) {
      if (phase !== "read") continue;
      wanted.forEach(({ row }, k) => {
        this.#values.fill(NaN, offsets[k], offsets[k] + this.#topology.count(row.domain));
      });
    }
    this.#tick++;
  }

  /** Fills in what comes from events up to the time of `read`, calculates, and aggregates. */
  settle(): void {
    this.#readParts("settle");
    for (let i = 0; i < this.#calculations.length; i++) this.#calculations[i].run!(this.#timeS);
    for (let i = 0; i < this.#requests.length; i++) {
      const r = this.#requests[i];
      // Three stores, not one of a choice: a number that might come from a call is allocated.
      if (r.column === undefined) this.#samples[i] = NaN;
      else if (r.indices.length === 1) this.#samples[i] = this.#values[r.indices[0]];
      else if (r.ofAll && isAnyMissing(this.#values, r.indices)) this.#samples[i] = NaN;
      else this.#samples[i] = aggregate(r.kind, this.#values, r.indices);
    }
  }

  /** Part of a whole count beyond 2^53 that the value of a handle lacks; 0 for sums of several. */
  rest(handle: number): number {
    const { column, indices } = this.#requests[handle];
    return column === undefined || indices.length !== 1 ? 0 : this.restAt(indices[0]);
  }

  /** Part of a native value beyond 2^53 that is lacking, by its index in `values`. */
  restAt(place: number): number {
    if (!(Math.abs(this.#values[place]) > Number.MAX_SAFE_INTEGER)) return 0;
    for (const { wanted, offsets, reading } of this.#parts) {
      let at = 0;
      for (let k = 0; k < wanted.length; k++) {
        const n = this.#topology.count(wanted[k].row.domain);
        const within = place - offsets[k];
        if (within >= 0 && within < n) return reading?.restAt?.(at + within) ?? 0;
        at += n;
      }
    }
    return 0;
  }

  /** Value of a handle at the last settled tick; NaN: not available. */
  sample(handle: number): number {
    const value = this.#samples[handle];
    return value === undefined ? NaN : value;
  }

  /**
   * Value of a handle for people and other programs: an energy never falls. In a recording a step
   * back by one unit marks a counter that started again.
   */
  shown(handle: number): number {
    const value = this.sample(handle);
    if (this.#requests[handle]?.isEnergy !== true || value !== value) return value;
    if (!(value < this.#highest[handle])) this.#highest[handle] = value;
    return this.#highest[handle];
  }

  /** Time of the last `read`. */
  get timeS(): number {
    return this.#timeS;
  }

  /** The native columns in the order they were first asked for: what a recording keeps. */
  get columns(): NativeColumn[] {
    return [...this.#columns.values()];
  }

  /** The row of native values of the last tick; reused from tick to tick. */
  get values(): Float64Array {
    return this.#values;
  }

  /** The open sources, for their troubles. */
  get readings(): { provider: SignalProvider; reading: SignalReading }[] {
    return this.#parts.flatMap((p) =>
      p.reading ? [{ provider: p.provider, reading: p.reading }] : []
    );
  }

  /** Closes the sources. */
  [Symbol.dispose](): void {
    for (const part of this.#parts) part.reading?.[Symbol.dispose]();
  }

  #resolve(name: string): Exclude<ResolvedName, { kind: "unknown" }> {
    const resolved = this.#table.resolve(name);
    if (resolved.kind === "unknown") {
      throw new UnknownNameError("signal", name, this.#table.names(), 'see "joulemark read"');
    }
    return resolved;
  }

  #column(
    name: string,
    resolved: Exclude<ResolvedName, { kind: "unknown" | "absent" }>,
  ): NativeColumn {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    const shared = this.#bySignal.get(resolved.signal);
    if (shared !== undefined) {
      const alias = { ...shared, name };
      this.#columns.set(name, alias);
      return alias;
    }
    if (resolved.kind === "derived") {
      const inputs = resolved.derived.inputs.map((input) => {
        const source = this.#resolve(input);
        if (source.kind === "absent") throw new Error(`derived ${name} lacks ${input}`);
        return this.#column(input, source);
      });
      const column = this.#reserve(name, resolved.signal);
      this.#calculations.push({ derived: resolved.derived, inputs, column });
      return column;
    }
    const column = this.#reserve(name, resolved.signal);
    const { domain } = resolved.signal.row;
    const perCpu = resolved.phase === "read" && (domain === "cpu" || domain === "core");
    let part = this.#parts.find((p) => p.provider === resolved.provider && p.perCpu === perCpu);
    if (part === undefined) {
      const { provider, phase } = resolved;
      part = { provider, wanted: [], offsets: [], phase, perCpu };
      this.#parts.push(part);
    }
    part.wanted.push(resolved.signal);
    part.offsets.push(column.offset);
    return column;
  }

  #reserve(name: string, signal: OfferedSignal): NativeColumn {
    const count = this.#topology.count(signal.row.domain);
    const column = { name, signal, offset: this.#width, count };
    this.#width += count;
    this.#columns.set(name, column);
    this.#bySignal.set(signal, column);
    return column;
  }

  #freeze(): void {
    this.#frozen = true;
    this.#values = new Float64Array(this.#width).fill(NaN);
    this.#samples = new Float64Array(this.#requests.length).fill(NaN);
    this.#highest = new Float64Array(this.#requests.length).fill(NaN);
    for (const part of this.#parts) {
      const width = part.wanted.reduce((n, s) => n + this.#topology.count(s.row.domain), 0);
      part.view = new Float64Array(width).fill(NaN);
      part.reading = part.provider.open(part.wanted);
    }
    this.readsNothing = this.#parts.every(({ phase, reading }) => {
      return phase === "settle" || reading?.isConstant === true;
    });
    for (const c of this.#calculations) {
      const slice = (column: NativeColumn) =>
        this.#values.subarray(column.offset, column.offset + column.count);
      const periodS = this.updatePeriodS(c.derived.inputs[0]);
      c.run = c.derived.make(c.inputs.map(slice), slice(c.column), periodS);
    }
  }

  #readParts(phase: "read" | "settle"): void {
    for (let i = 0; i < this.#parts.length; i++) {
      const part = this.#parts[i];
      if (part.phase !== phase) continue;
      if (part.perCpu && !this.readsAll && this.#tick % this.cpuStride !== 0) continue;
      const view = part.view!;
      part.reading!.readInto(view, this.#timeS, this.readsAll);
      let at = 0;
      for (let k = 0; k < part.wanted.length; k++) {
        const n = this.#topology.count(part.wanted[k].row.domain);
        const offset = part.offsets[k];
        for (let j = 0; j < n; j++) this.#values[offset + j] = view[at + j];
        at += n;
      }
    }
  }
}

function isEnergy({ unit, behavior }: OfferedSignal["row"]): boolean {
  return unit === "J" && behavior === "monotone";
}

function needsAll(row: OfferedSignal["row"]): boolean {
  return row.agg === "sum" && (isEnergy(row) || row.unit === "W");
}

function isAnyMissing(values: Float64Array, indices: Int32Array): boolean {
  for (let i = 0; i < indices.length; i++) {
    if (values[indices[i]] !== values[indices[i]]) return true;
  }
  return false;
}
