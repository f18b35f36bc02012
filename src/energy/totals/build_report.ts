/**
 * Puts one host's section of a report together: geopm_report(7).
 * @module
 */
import type { Agent } from "../../core/agent.ts";
import { HASH_APPLICATION, HASH_EPOCH, HASH_UNMARKED, regionHash } from "../../core/hash.ts";
import type {
  Nested,
  RegionTotal,
  ReportFields,
  ReportHost,
  ReportRegion,
} from "../../core/report.ts";
import type { ReportSignals } from "./report_signals.ts";

/** The blocking start of MPI, whose time the application's totals name. */
const MPI_INIT = regionHash("MPI_Init_thread");

/** Input of a section. Times in seconds. */
export interface HostResults {
  readonly host: string;
  /** Every registered region, exact. */
  readonly regions: readonly RegionTotal[];
  readonly signals: ReportSignals;
  /** EPOCH_COUNT at the board; NaN or 0: no epochs. */
  readonly epochCount: number;
  /** First start to last stop of the application. */
  readonly runtimeS: number;
  /** First start of a process to the first sample. */
  readonly startupS: number;
  /** Own time of the marker library, mean over processes. */
  readonly overheadS: number;
  /** High-water mark of the monitor's memory, in KiB, which GEOPM prints under the unit B. */
  readonly memoryKib: number;
  /** Sent between monitors. */
  readonly networkBytes: number;
  readonly agent: Agent;
  readonly joulemark?: { [key: string]: Nested };
  /** The regions listed there; the others are counted. @default all */
  readonly pick?: (all: readonly RegionTotal[]) => RegionTotal[];
  /** Adds keys of others to the fields of a region, whenever they are made. */
  readonly addToRegion?: (fields: ReportFields, region: RegionTotal) => void;
}

/** Maximum number of regions with fields in memory: 100,000 would take a third of a gigabyte. */
const MAX_REGIONS_WITH_FIELDS = 4096;

/** A region whose fields are made whenever they are asked for. */
class RegionOnDemand implements ReportRegion {
  readonly region: string;
  readonly hash: number;
  readonly #total: RegionTotal;
  readonly #results: HostResults;

  constructor(total: RegionTotal, results: HostResults) {
    this.region = total.name;
    this.hash = total.hash;
    this.#total = total;
    this.#results = results;
  }

  get fields(): ReportFields {
    const { signals, agent, addToRegion } = this.#results;
    const { hash, runtimeS, count } = this.#total;
    const fields = signals.fields(hash, runtimeS, count);
    if (agent.reportRegion !== undefined) Object.assign(fields, agent.reportRegion(hash));
    signals.addKnown(fields, hash);
    addToRegion?.(fields, this.#total);
    return fields;
  }
}

/**
 * Makes the fields of regions, when all that adds to them is known. Those of very many are made whenever they
 * are asked for, out of what is known then.
 */
export function makeFields(host: ReportHost): void {
  if (host.regions === undefined || host.regions.length > MAX_REGIONS_WITH_FIELDS) return;
  host.regions = host.regions.map(({ region, hash, fields }) => ({ region, hash, fields }));
}

/** The section of one host, before {@linkcode makeFields}; calling it changes nothing. */
export function buildReportHost(results: HostResults): ReportHost {
  const { signals, agent, runtimeS } = results;
  const all = results.regions.filter((region) => region.count > 0);
  const ran = (results.pick?.(all) ?? [...all]).sort(byRuntime);
  const marked = ran.length === all.length ? ran : all;
  const markedS = marked.reduce((sum, region) => sum + region.runtimeS * (region.part ?? 1), 0);
  const host: ReportHost = {
    host: results.host,
    agent: agent.reportHost?.() ?? {},
    application: { ...signals.fields(HASH_APPLICATION, runtimeS, 0), ...ownFields(results) },
  };
  if (results.regions.length > 0) {
    host.regions = ran.map((region) => new RegionOnDemand(region, results));
  }
  if (markedS !== 0) {
    host.unmarked = {
      ...signals.fields(HASH_UNMARKED, unmarkedS(runtimeS, markedS), 0),
      ...agent.reportRegion?.(HASH_UNMARKED),
    };
  }
  if (!Number.isNaN(results.epochCount) && results.epochCount !== 0) {
    const count = Math.trunc(results.epochCount);
    host.epoch = signals.fields(HASH_EPOCH, signals.epochRuntimeS(), count);
  }
  signals.addKnown(host.application, HASH_APPLICATION);
  if (host.unmarked !== undefined) signals.addKnown(host.unmarked, HASH_UNMARKED);
  if (host.epoch !== undefined) signals.addKnown(host.epoch, HASH_EPOCH);
  if (results.joulemark !== undefined) host.joulemark = results.joulemark;
  if (host.joulemark !== undefined && ran.length < all.length) {
    host.joulemark["regions left out here"] = all.length - ran.length;
  }
  return host;
}

/** Difference of two sums of as many seconds that is none. */
const ROUNDING = 1e-12;

/** Time outside of regions; NaN: the regions of several threads of a process add up to more than its time. */
function unmarkedS(runtimeS: number, markedS: number): number {
  const restS = runtimeS - markedS;
  return Math.abs(restS) < ROUNDING * runtimeS ? 0 : restS < 0 ? NaN : restS;
}

/** Longest first; equal ones by name, so that no order of processes shows. */
function byRuntime(a: RegionTotal, b: RegionTotal): number {
  return b.runtimeS - a.runtimeS || (a.name < b.name ? -1 : 1);
}

function ownFields(results: HostResults): ReportFields {
  const mpi = results.regions.find((region) => region.hash === MPI_INIT)?.runtimeS ?? 0;
  return {
    ...(mpi === 0 ? {} : { "MPI startup (s)": mpi }),
    "GEOPM startup (s)": results.startupS,
    "GEOPM overhead (s)": results.overheadS,
    "geopmctl memory HWM (B)": results.memoryKib,
    "geopmctl network BW (B/s)": results.runtimeS > 0 ? results.networkBytes / results.runtimeS : 0,
  };
}
