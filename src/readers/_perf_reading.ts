/**
 * The hot part of the perf reader: one read per counter, 64 bits, no wrap to care for.
 *
 * @module
 */
import { Counters, HIGH, LOW, STEP, TAKEN, TIME_S, TOTAL } from "../core/counter.ts";
import type { SignalReading } from "../core/signal.ts";
import { Troubles } from "../core/troubles.ts";
import { openPerfEvent, PerfCounter, type PerfEventSpec } from "../os/perf_event.ts";

/** One instance of a wanted row. */
export interface PerfColumn {
  readonly name: string;
  readonly scale: number;
  /** `undefined`: there is nothing to count at this instance. */
  readonly spec: PerfEventSpec | undefined;
}

interface Open extends PerfColumn {
  readonly at: number;
  readonly counter: PerfCounter | undefined;
}

/** See the module. */
export class PerfReading implements SignalReading {
  readonly #open: Open[];
  readonly #counters: Counters;
  readonly #troubles = new Troubles();

  constructor(columns: readonly PerfColumn[]) {
    this.#counters = new Counters(columns.length, { range: Infinity });
    this.#open = columns.map((column, at) => {
      const fd = column.spec === undefined ? -1 : openPerfEvent(column.spec);
      if (fd < 0 && column.spec !== undefined) {
        const where = `CPU ${column.spec.cpu}`;
        this.#troubles.add(column.name, "error", `${where} cannot be counted: errno ${-fd}`);
      }
      return { ...column, at, counter: fd < 0 ? undefined : new PerfCounter(fd) };
    });
  }

  get troubles() {
    return this.#troubles.list;
  }

  readInto(out: Float64Array, timeS: number): void {
    TAKEN[TIME_S] = timeS;
    for (let i = 0; i < this.#open.length; i++) {
      const { at, counter, scale, name } = this.#open[i];
      if (counter === undefined) {
        out[at] = NaN;
        continue;
      }
      const errno = counter.read();
      // An event that never got a hardware counter has counted nothing, which is not 0.
      if (errno !== 0 || counter.share === 0) {
        out[at] = NaN;
        if (this.#troubles.again(name, "error")) continue;
        const why = errno === 0 ? "has had no turn on a hardware counter" : `errno ${errno}`;
        this.#troubles.add(name, "error", why);
        continue;
      }
      TAKEN[HIGH] = counter.high;
      TAKEN[LOW] = counter.low;
      this.#counters.take(i);
      if (this.#counters.step === STEP.RESET) {
        this.#troubles.add(name, "reset", "went backwards; nothing was added over the gap");
      }
      out[at] = (TAKEN[TOTAL] / counter.share) * scale;
    }
  }

  [Symbol.dispose](): void {
    for (const { counter } of this.#open) counter?.[Symbol.dispose]();
  }
}
