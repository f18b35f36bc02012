/**
 * What the ingest of 2021–2025 makes of raw stats, its mistakes included: every value is taken for
 * a counter, summed over devices, in binary64.
 *
 * An oracle of the tests; docs/reference/job-metrics.md lists its differences from the product.
 * @module
 */
import type { RawStats } from "../../../../src/rawstats/format/rawstats.ts";
import type { RawSchema } from "../../../../src/rawstats/format/schema.ts";
import { CONTROL_EVENTS, FIXED_EVENTS } from "../../../../src/rawstats/analysis/events.ts";

/** Types that the ingest leaves out. */
const SKIPPED = new Set(["ib", "ib_sw", "intel_skx_cha", "ps", "sysv_shm", "tmpfs", "vfs", "proc"]);
/** Types whose counters get their names from control registers. */
const MAPPED = new Set(["amd64_pmc", "amd64_df", "intel_8pmc3", "intel_skx_imc"]);

/** Sums over devices, an entry for each time; null where the event has no row. */
export interface IngestSeries {
  readonly unit: string;
  readonly value: (number | null)[];
  readonly delta: (number | null)[];
  readonly rate: (number | null)[];
}

/** The rows of one job as that ingest stored them. */
export interface Ingest2021 {
  /** Seconds since the epoch, without the first sample. */
  readonly times: number[];
  readonly series: Record<string, Record<string, IngestSeries>>;
  readonly processes: { jid: string; host: string; proc: string }[];
}

interface Event {
  readonly name: string;
  readonly unit: string;
  readonly widthBits: number;
}

/** Ingests the files of one node. */
export function ingest2021(stats: RawStats): Ingest2021 {
  // Since March 2024 the ingest stops at a file's first time line without a job.
  const idle = stats.records.findIndex(({ jobs }) => jobs === "-");
  const records = idle < 0 ? stats.records : stats.records.slice(0, idle);
  const times = records.map((r) => r.timeUs / 1e6);
  const types = new Map<string, Sums>();
  const processes = new Map<string, { jid: string; host: string; proc: string }>();
  records.forEach((record, at) => {
    for (const { type, device, values, schema: own } of record.lines) {
      if (type === "proc") {
        const proc = device.split("/")[0];
        const row = { jid: record.jobs, host: record.host, proc };
        processes.set(Object.values(row).join(" "), row);
      }
      const schema = own ?? stats.schemas.get(type)!;
      if (SKIPPED.has(type)) continue;
      // also a line of another schema, which a file may have before its last one
      if (own === undefined && values.length !== schema.keys.length) continue;
      types.getOrInsertComputed(type, () => new Sums(times)).add(
        at,
        device,
        eventsOf(schema, values),
        values,
      );
    }
  });
  // by entries: a file may call a key anything, "__proto__" too
  const series = Object.fromEntries(
    [...types.keys()].sort().map((type) => [type, types.get(type)!.series()]),
  );
  return { times: times.slice(1), series, processes: [...processes.values()] };
}

/** Events by column; nothing for columns that are dropped. */
function eventsOf(schema: RawSchema, values: BigUint64Array): (Event | undefined)[] {
  return schema.keys.map(({ name, kind, unit, widthBits }, _, keys) => {
    if (!MAPPED.has(schema.type)) return { name, unit, widthBits };
    if (kind === "control") return undefined;
    const fixed = /^FIXED_CTR(\d)$/.exec(name);
    if (fixed !== null) return { name: FIXED_EVENTS[Number(fixed[1])] ?? name, unit, widthBits };
    const counter = /^CTR(\d)$/.exec(name);
    // Of what has no event the ingest keeps the name alone: a count of 64 bits.
    if (counter === null) return { name, unit: "", widthBits: 64 };
    const control = keys.findIndex((key) => key.name === `CTL${counter[1]}`);
    const event = CONTROL_EVENTS.get(Number(values[control]));
    if (event === undefined) return { name: "OTHER", unit: "", widthBits: 64 };
    return { name: event.name, unit: event.unit, widthBits };
  });
}

/** One event over time, summed over the devices that count it. */
interface Sum {
  readonly event: Event;
  readonly value: Float64Array;
  readonly delta: Float64Array;
  readonly has: Uint8Array;
}

class Sums {
  readonly #times: readonly number[];
  readonly #events = new Map<string, Sum>();
  /** By device and event: the value before. */
  readonly #before = new Map<string, number>();

  constructor(times: readonly number[]) {
    this.#times = times;
  }

  add(
    at: number,
    device: string,
    events: readonly (Event | undefined)[],
    values: BigUint64Array,
  ): void {
    // Of columns with one event the last one counts. A line may have fewer values than its schema:
    // those that it has count.
    const columns = new Map<string, number>();
    events.forEach((event, k) => {
      if (event !== undefined && k < values.length) columns.set(event.name, k);
    });
    for (const k of columns.values()) {
      const event = events[k]!;
      const value = Number(values[k]);
      const key = `${event.name} ${device}`;
      const before = this.#before.get(key);
      this.#before.set(key, value);
      // A device's first value counts among the values, with no delta.
      let delta = before === undefined ? 0 : value - before;
      // 2^64 overflows to 0 in the integers that the ingest uses, so a 64-bit step back stays.
      if (delta < 0 && event.widthBits < 64) delta += 2 ** event.widthBits;
      const sum = this.#sumOf(event);
      const digits = /^\d+/.exec(event.unit);
      sum.value[at] += value;
      sum.delta[at] += delta * (digits === null ? 1 : Number(digits[0]));
      sum.has[at] = 1;
    }
  }

  #sumOf(event: Event): Sum {
    const n = this.#times.length;
    return this.#events.getOrInsertComputed(event.name, () => ({
      event,
      value: new Float64Array(n),
      delta: new Float64Array(n),
      has: new Uint8Array(n),
    }));
  }

  series(): Record<string, IngestSeries> {
    const out: [string, IngestSeries][] = [];
    for (const name of [...this.#events.keys()].sort()) {
      const { event, value, delta, has } = this.#events.get(name)!;
      const unit = event.unit === "" ? "#" : event.unit.replace(/^\d+/, "");
      const series: IngestSeries = { unit, value: [], delta: [], rate: [] };
      // No time has passed before the event's first sample, which is therefore dropped.
      let before = has.indexOf(1);
      for (let i = 1; i < has.length; i++) {
        const isRow = has[i] === 1 && i > before;
        series.value.push(isRow ? value[i] : null);
        series.delta.push(isRow ? delta[i] : null);
        series.rate.push(isRow ? delta[i] / (this.#times[i] - this.#times[before]) : null);
        if (isRow) before = i;
      }
      out.push([name, series]);
    }
    return Object.fromEntries(out);
  }
}
