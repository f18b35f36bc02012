/**
 * What the job assembler of 2012–2020 makes of raw stats, its mistakes included.
 *
 * Counters are rebased to their first value, on a common axis of whole seconds. An oracle of the
 * tests; docs/reference/job-metrics.md lists its differences from the product.
 * @module
 */
import type { RawStats } from "../../../../src/rawstats/format/rawstats.ts";
import {
  parseRawSchema,
  parseRawUnit,
  type RawKey,
  type RawSchema,
} from "../../../../src/rawstats/format/schema.ts";
import {
  FAMILY10H_CORE,
  FAMILY10H_EVENTS,
  FAMILY10H_SOCKET,
  isFamily10h,
} from "../../../../src/rawstats/analysis/family10h.ts";
import { family10hSocket } from "../../../../src/rawstats/analysis/family10h.ts";
import { type JobTables, nameControls2018 } from "./job2018_controls.ts";

export type { JobTables };

const MODULUS_BITS = 64;

/** One job as that assembler stored it. */
export interface Job2018 {
  readonly times: number[];
  /** By host. */
  readonly hosts: Map<string, JobTables>;
}

/** Widths that the schemas of the time lacked, and the assembler put in before reading. */
function assumedWidth(type: string, key: RawKey): number {
  if (key.widthBits !== 64) return key.widthBits;
  if (type === "ib" || type === "irq") return 32;
  if (type === "block" && /_ticks$|^in_flight$|^time_in_queue$/.test(key.name)) return 32;
  if (type === "sched" && key.name !== "pcount") return 32;
  return 64;
}

/** The assembler's factor: it has `KB` and leading digits, but not the `kB` of proc. */
function factorOf({ unit }: RawKey): bigint {
  const { scale } = parseRawUnit(unit.replace(/kB$/, ""));
  return Number.isFinite(scale) ? BigInt(scale) : 1n;
}

/**
 * Assembles one job.
 *
 * @param nodes Raw stats by host, each with the records of the job alone.
 */
export function assembleJob2018(nodes: ReadonlyMap<string, RawStats>): Job2018 {
  const byCount = [...nodes.values()].sort((a, b) => a.records.length - b.records.length);
  const times: number[] = [];
  const median = byCount[byCount.length >> 1]?.records ?? [];
  const seconds = median.map(({ timeUs }) => Math.floor(timeUs / 1e6));
  for (const second of seconds.sort((a, b) => a - b)) {
    times.push(Math.max(second, (times.at(-1) ?? -Infinity) + 1));
  }
  const hosts = new Map([...nodes].map(([host, stats]) => [host, assembleHost(stats, times)]));
  const schemas = new Map<string, RawSchema>();
  for (const stats of nodes.values()) {
    for (const [type, schema] of stats.schemas) if (!schemas.has(type)) schemas.set(type, schema);
  }
  nameControls2018(hosts, schemas);
  return { times, hosts };
}

function assembleHost(stats: RawStats, times: readonly number[]): JobTables {
  const rows = new Map<string, { timeUs: number; values: BigUint64Array }[]>();
  for (const record of stats.records) {
    for (const { type, device, values } of record.lines) {
      // The first schema of a type holds; a line that does not fit it is dropped.
      if (values.length !== stats.schemas.get(type)!.keys.length) continue;
      const key = `${type} ${device}`;
      rows.getOrInsertComputed(key, () => []).push({ timeUs: record.timeUs, values });
    }
  }
  // by entries: a file may call a device anything, "__proto__" too
  const tables = new Map<string, [device: string, Record<string, bigint[]>][]>();
  for (const [name, samples] of rows) {
    const blank = name.indexOf(" ");
    const type = name.slice(0, blank);
    const chosen = nearest(samples.map((s) => s.timeUs / 1e6), times);
    const columns = stats.schemas.get(type)!.keys.map((key, k): [string, bigint[]] => {
      const raw = chosen.map((i) => samples[i].values[k]);
      const column = key.kind === "event" ? rebase(type, key, raw) : raw;
      const factor = factorOf(key);
      return [key.name, column.map((v) => BigInt.asUintN(MODULUS_BITS, v * factor))];
    });
    const table = Object.fromEntries(columns);
    tables.getOrInsertComputed(type, () => []).push([name.slice(blank + 1), table]);
  }
  const schema = stats.schemas.get("amd64_pmc");
  if (schema !== undefined && isFamily10h(schema)) deriveFamily10h(tables, times.length);
  return Object.fromEntries(
    [...tables].map(([type, devices]) => [type, Object.fromEntries(devices)]),
  );
}

/** The node that the assembler takes every one of family 10h for: four sockets of four cores. */
const CORES = 16, SOCKETS = 4;
/** Control words of the four cores of a socket. */
const CONTROLS = [
  [0x4307e0, 0x410076, 0x430142, 0x437f03],
  [0x410076, 0x4337f6, 0x430142, 0x437f03],
  [0x410076, 0x430142, 0x4337f7, 0x437f03],
  [0x410076, 0x430142, 0x437f03, 0x4337f8],
];

/** Puts amd64_core and amd64_sock in the place of amd64_pmc, where every word is as it must be. */
function deriveFamily10h(
  tables: Map<string, [device: string, Record<string, bigint[]>][]>,
  count: number,
): void {
  const cpus = tables.get("amd64_pmc") ?? [];
  const fits = cpus.every(([cpu, table]) =>
    /^\d+$/.test(cpu) && Number(cpu) < CORES &&
    CONTROLS[Number(cpu) % CONTROLS.length].every((word, i) =>
      table[`CTL${i}`].every((control) => control === BigInt(word))
    )
  );
  if (cpus.length === 0 || !fits) return;
  const empty = (line: string, devices: number) => {
    const names = parseRawSchema(line)!.keys.map((key) => key.name);
    const table = () =>
      Object.fromEntries(names.map((name) => [name, new Array<bigint>(count).fill(0n)]));
    return Object.fromEntries(Array.from({ length: devices }, (_, i) => [String(i), table()]));
  };
  const derived = {
    amd64_core: empty(FAMILY10H_CORE, CORES),
    amd64_sock: empty(FAMILY10H_SOCKET, SOCKETS),
  };
  for (const [cpu, table] of cpus) {
    CONTROLS[Number(cpu) % CONTROLS.length].forEach((word, i) => {
      const { type, column, scale } = FAMILY10H_EVENTS.get(word)!;
      const device = type === "amd64_core" ? cpu : String(family10hSocket(Number(cpu)));
      const columns = derived[type][device];
      columns[Object.keys(columns)[column]] = table[`CTR${i}`].map((v) =>
        BigInt.asUintN(MODULUS_BITS, v * BigInt(scale))
      );
    });
  }
  tables.delete("amd64_pmc");
  for (const [type, devices] of Object.entries(derived)) tables.set(type, Object.entries(devices));
}

/** Of each time the sample nearest to it; first and last are kept. */
function nearest(samples: readonly number[], times: readonly number[]): number[] {
  let i = 0;
  return times.map((time, n) => {
    if (n === 0) return 0;
    if (n === times.length - 1) return samples.length - 1;
    while (
      i + 1 < samples.length && Math.abs(samples[i + 1] - time) <= Math.abs(samples[i] - time)
    ) i++;
    return i;
  });
}

/** A counter as the assembler unrolls it: modulo 2^64, zero at its first value. */
function rebase(type: string, key: RawKey, raw: readonly bigint[]): bigint[] {
  const width = assumedWidth(type, key);
  const restarts = type === "ib_ext" || type === "ib_sw" ||
    (type === "cpu" && key.name === "iowait");
  let previous = raw[0];
  let base = raw[0];
  let out = 0n;
  return raw.map((v) => {
    if (v < previous) {
      if (width < 64) base -= 1n << BigInt(width);
      else if (v === 0n || restarts) base = -out;
    }
    previous = v;
    return out = BigInt.asUintN(MODULUS_BITS, v - base);
  });
}
