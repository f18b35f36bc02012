/**
 * Steps of many nodes into one PMC log, as pm_mpi_lib's monitors would have collated them: power as
 * mean over nodes, energy as sum since open. M. Bareford (2015), section 3 and appendix A.
 *
 * The library collates with a collective call inside the application's loop. Here each node keeps
 * its own readings, and they meet at the end: by call number, checked by the labels of the steps.
 * @module
 */
import type { PmcLog, PmcRecord, PmcVersion } from "../../formats/pmc/pmc.ts";

/** Records of one node: raw readings, as records of the binary log. */
export interface NodeSteps {
  readonly host: string;
  /** Lowest rank on the node; the lowest of all keeps the time. */
  readonly rank: number;
  /** From open (step −1) on, in order of time. */
  readonly records: readonly PmcRecord[];
}

/** A job's log, and what was wrong with its parts, a line each. */
export interface CollatedSteps {
  readonly log: PmcLog;
  readonly troubles: readonly string[];
}

/** Collates the steps of nodes. Nodes may come in any order; those without a record are named and left out. */
export function collateSteps(nodes: readonly NodeSteps[], version: PmcVersion): CollatedSteps {
  const troubles: string[] = [];
  const usable = nodes.filter(({ host, records }) => {
    if (records.length > 0) return true;
    troubles.push(`${host}: left out of the PMC log, because it has no steps`);
    return false;
  }).sort((a, b) => a.rank - b.rank || (a.host < b.host ? -1 : 1));
  const binary = version === "5.0" || version === "6.0";
  const calls = matched(usable, troubles);
  const kept = upToRestart(usable, calls, troubles);
  const records = binary
    ? rawRecords(usable, kept)
    : meanRecords(withoutGaps(usable, kept, troubles), version);
  const cut = usable.some(({ records }, i) => kept.at(-1)?.[i] !== records.at(-1));
  const form = binary ? "binary" : "text";
  return { log: { version, form, records, ...(cut ? { cut } : {}) }, troubles };
}

/** The records of one call, in the order of the nodes. */
type Call = readonly PmcRecord[];

/** Calls that every node has, identified by their labels; a label may come more than once. */
function matched(nodes: readonly NodeSteps[], troubles: string[]): Call[] {
  if (nodes.length === 0) return [];
  const keyed = nodes.map(({ records }) => {
    const seen = new Map<string, number>();
    const byKey = new Map<string, PmcRecord>();
    for (const record of records) {
      const label = `${record.step} ${record.substep ?? 1}`;
      const n = seen.get(label) ?? 0;
      seen.set(label, n + 1);
      byKey.set(`${label} ${n}`, record);
    }
    return byKey;
  });
  const all = new Set(keyed.flatMap((byKey) => [...byKey.keys()]));
  nodes.forEach(({ host }, i) => {
    const missing = [...all].filter((key) => !keyed[i].has(key));
    if (missing.length === 0) return;
    const step = missing[0].split(" ")[0];
    troubles.push(
      `${host} lacks ${missing.length} of ${all.size} steps (the first: ${step}); ` +
        "these steps are left out for all nodes",
    );
  });
  return [...keyed[0].keys()].filter((key) => keyed.every((byKey) => byKey.has(key)))
    .map((key) => keyed.map((byKey) => byKey.get(key)!));
}

/** A counter that fell was restarted: what follows cannot be compared with the baseline. */
function upToRestart(
  nodes: readonly NodeSteps[],
  calls: readonly Call[],
  troubles: string[],
): readonly Call[] {
  for (let k = 1; k < calls.length; k++) {
    const at = calls[k].findIndex((record, i) => grownJ(calls[k - 1][i], record, "energyJ") < 0);
    if (at < 0) continue;
    troubles.push(
      `${nodes[at].host}: energy fell from ${calls[k - 1][at].energyJ} J to ` +
        `${calls[k][at].energyJ} J at step ${calls[k][at].step}, the counter was restarted; ` +
        "the PMC log ends there",
    );
    return calls.slice(0, k);
  }
  return calls;
}

/**
 * Calls whose energies are all known: a reading that is missing is the one before, as if the counter
 * did not change, and at open the first known one. A counter that a node never has stays away.
 */
function withoutGaps(
  nodes: readonly NodeSteps[],
  calls: readonly Call[],
  troubles: string[],
): readonly Call[] {
  const filled = calls.map((call) => call.map((record) => ({ ...record })));
  nodes.forEach(({ host }, i) => {
    ENERGIES.forEach((field, at) => {
      const known = filled.findIndex((call) => isKnown(call[i][field]));
      if (known < 0) return;
      let missing = 0;
      let last = filled[known][i];
      for (const call of filled) {
        const record = call[i];
        if (isKnown(record[field])) last = record;
        else {
          missing++;
          record[field] = last[field]!;
          const rests: [number, number, number] = [...record.restsJ ?? [0, 0, 0]];
          rests[at] = last.restsJ?.[at] ?? 0;
          record.restsJ = rests;
        }
      }
      if (missing === 0) return;
      troubles.push(
        `${host}: ${missing} of ${calls.length} readings of the ${
          WHOSE[at]
        }'s energy are not known; ` +
          "the PMC log has the reading before each of them" +
          (known > 0 ? ", and begins with the first that there is" : ""),
      );
    });
  });
  return filled;
}

function isKnown(value: number | undefined): boolean {
  return value !== undefined && value === value;
}

function rawRecords(nodes: readonly NodeSteps[], calls: readonly Call[]): PmcRecord[] {
  return calls.flatMap((call) => call.map((record, i) => ({ ...record, rank: nodes[i].rank })));
}

function meanRecords(calls: readonly Call[], version: PmcVersion): PmcRecord[] {
  if (calls.length === 0) return [];
  const [open] = calls;
  const domains = version === "4.4";
  const used = (call: Call, field: Energy) =>
    version === "4.0"
      // That library keeps its baseline in binary64.
      ? total(call, field) - total(open, field)
      : call.reduce((sum, record, i) => sum + (grownJ(open[i], record, field) || 0), 0);
  const lines = version === "2.0" ? calls.slice(1) : calls;
  return lines.map((call): PmcRecord => ({
    timeS: call[0].timeS - open[0].timeS,
    step: call[0].step,
    ...(version === "2.0" ? {} : { substep: call[0].substep ?? 1 }),
    powerW: total(call, "powerW") / call.length,
    energyJ: used(call, "energyJ"),
    ...(domains
      ? {
        cpuPowerW: total(call, "cpuPowerW") / call.length,
        memoryPowerW: total(call, "memoryPowerW") / call.length,
        cpuEnergyJ: used(call, "cpuEnergyJ"),
        memoryEnergyJ: used(call, "memoryEnergyJ"),
      }
      : {}),
  }));
}

const ENERGIES = ["energyJ", "cpuEnergyJ", "memoryEnergyJ"] as const;
type Energy = typeof ENERGIES[number];
/** Owners of the readings. */
const WHOSE = ["node", "processor", "memory"] as const;

/** Growth of a node's counter, exact beyond 2^53 too, J; NaN if it has none. */
function grownJ(from: PmcRecord, to: PmcRecord, field: Energy): number {
  const at = ENERGIES.indexOf(field);
  const rest = (to.restsJ?.[at] ?? 0) - (from.restsJ?.[at] ?? 0);
  return (to[field] ?? NaN) - (from[field] ?? NaN) + rest;
}

/** Sum over nodes; a counter that a node does not have counts 0, as in the library. */
function total(call: Call, field: keyof PmcRecord & `${string}${"W" | "J"}`): number {
  let sum = 0;
  for (const record of call) {
    const value = record[field] as number | undefined;
    if (value !== undefined && value === value) sum += value;
  }
  return sum;
}
