/**
 * Order that a channel needs: every visit in its order, or visits aggregated by path. Channels that
 * sum by path, as `runtime-report` and all profiles do, need no order.
 * @module
 */
import type { ChannelSpec } from "../model/config/channel_spec.ts";
import { isTrue, wordsOf } from "../model/config_words.ts";
import { parseQuery } from "../query/parser.ts";
import { QueryError } from "../query/query_error.ts";

/** Services that can do with visits folded by path. */
const BY_PATH = new Set([
  ...["event", "timer", "timestamp", "aggregate", "report", "mpireport", "mpi", "ompt", "pthread"],
  ...["joulemark", "perf", "papi"],
]);

/** Variables that choose among events: what is left out changes the time of others. */
const CHOOSING = [
  ...["CALI_EVENT_TRIGGER", "CALI_EVENT_INCLUDE_REGIONS", "CALI_EVENT_EXCLUDE_REGIONS"],
  "CALI_EVENT_INCLUDE_BRANCHES",
];

/** The keys of rows: what a path or its process and thread have. */
const KEYS = new Set([
  ...["path", "prop:nested", "region", "loop", "phase", "comm.region", "function", "annotation"],
  ...["mpi.function", "omp.parallel", "mpi.rank", "process.id", "pthread.id", "cali.channel"],
]);

/** Attributes other than keys in sums by path: results, and values that are added up. */
const SUMMED = /#|^(count|region\.count|time\..*|pthread\.is_master)$/;

/** Does a channel need every visit in its order? */
export function needsOrder({ variables, loops, spot }: ChannelSpec): boolean {
  const services = wordsOf(variables.CALI_SERVICES_ENABLE);
  // Without events there is nothing to emit.
  if (loops !== undefined || (spot?.series ?? null) !== null) return true;
  if (services.some((name) => !BY_PATH.has(name)) || !services.includes("aggregate")) return true;
  if (isTrue(variables.CALI_EVENT_ENABLE_SNAPSHOT_INFO ?? "true")) return true;
  if (CHOOSING.some((name) => (variables[name] ?? "") !== "")) return true;
  if (!/^0?$/.test(variables.CALI_EVENT_REGION_LEVEL ?? "")) return true;
  // A stack that all threads of a process share is in no thread's paths.
  if (variables.CALI_CALIPER_ATTRIBUTE_DEFAULT_SCOPE === "process") return true;
  if (/process_scope/.test(variables.CALI_CALIPER_ATTRIBUTE_PROPERTIES ?? "")) return true;
  if (wordsOf(variables.CALI_AGGREGATE_KEY).some((name) => !KEYS.has(name))) return true;
  const queries = [
    ...Object.values(variables),
    spot?.profile.local ?? "",
    spot?.profile.cross ?? "",
  ];
  return queries.some((text) => needsSnapshots(text));
}

/** Does a query need values of single snapshots, or group rows by other values? */
function needsSnapshots(query: string): boolean {
  if (/\b(min|max|avg)#time\.(inclusive\.)?duration/i.test(query)) return true;
  for (const [, keys] of query.matchAll(/\bgroup\s+by\s+((?:[^\s,]+\s*,\s*)*[^\s,]+)/gi)) {
    if (keys.split(",").some((key) => !KEYS.has(key.trim()))) return true;
  }
  return /\b(where|if)\b/i.test(query) && choosesSnapshots(query);
}

/** Do its conditions ask for what a visit alone has, as `if omp.work` does? */
function choosesSnapshots(text: string): boolean {
  try {
    const { lets, where } = parseQuery(text);
    const made = new Set(lets.map(({ target }) => target));
    return [...where, ...lets.map(({ condition }) => condition)].some((term) =>
      term !== null && !KEYS.has(term.attribute) && !SUMMED.test(term.attribute) &&
      !made.has(term.attribute)
    );
  } catch (error) {
    // Not a query, or one that will be refused.
    if (error instanceof QueryError) return false;
    throw error;
  }
}
