/**
 * `--idle SECONDS` or `--idle FILE`: what the word means, and the forms of the file.
 *
 * A file is a report whose hosts have `joulemark:` → `idle:`, or the same mapping as JSON:
 * `{"package (W)": 92.1, "dram (W)": 11.8, "length (s)": 5}`.
 * @module
 */
import { unusable, type UsageError } from "../../core/errors.ts";
import type { EnergyKind } from "../../core/region_tree.ts";
import { isMapping, type Nested, numberOf } from "../../core/report.ts";
import { parseWholeReport } from "../../formats/report.ts";
import { loadYaml } from "../../formats/yaml.ts";
import { readTextSoon } from "../../os/user_file.ts";

/** Kinds with a baseline, in the order of the report. */
export const IDLE_KINDS: readonly EnergyKind[] = ["package", "dram", "gpu", "node"];

/** Shortest and longest time that an idle node is watched. */
const LENGTH_RANGE_S = [0.1, 3600] as const;

/** Powers that a file holds. */
export interface IdlePowers {
  /** In W. */
  readonly powers: ReadonlyMap<EnergyKind, number>;
  /** Duration of their measurement; NaN: not in the file. */
  readonly lengthS: number;
}

/** A file with a baseline. */
export interface BaselineFile {
  readonly path: string;
  /** The powers of a host; a file of one host serves all. */
  of(hostName: string): IdlePowers;
}

/** Baseline: seconds to measure, or a file. */
export interface Baseline {
  readonly seconds?: number;
  readonly file?: BaselineFile;
}

/**
 * Reads the option.
 *
 * @throws {UsageError} If it is neither a time in range nor a file with a baseline.
 */
export async function parseBaseline(text: string): Promise<Baseline> {
  const value = Number(text);
  if (text.trim() !== "" && !Number.isNaN(value)) {
    if (value >= LENGTH_RANGE_S[0] && value <= LENGTH_RANGE_S[1]) return { seconds: value };
    throw unusable(`--idle=${text}`, `${LENGTH_RANGE_S[0]} to ${LENGTH_RANGE_S[1]} seconds`, text);
  }
  let content: string;
  try {
    content = readTextSoon(text);
  } catch (error) {
    throw unusable(
      `--idle=${text}`,
      "seconds, or a file that can be read",
      (error as Error).message,
      "give seconds, or a report or JSON file with idle powers",
    );
  }
  await loadYaml();
  return { file: baselineFile(text, content) };
}

/**
 * Reads the file's text.
 *
 * @throws {UsageError} If it holds no baseline.
 */
export function baselineFile(path: string, content: string): BaselineFile {
  // A report may be JSON too.
  const isMapping = content.trimStart().startsWith("{") && !content.includes("GEOPM Version");
  const hosts = isMapping
    ? [{ host: "", powers: powersOf(fromJson(path, content)) }]
    : fromReport(path, content);
  const held = hosts.flatMap(({ host, powers }) => powers === undefined ? [] : [{ host, powers }]);
  if (held.length === 0) throw noBaseline(path, "none");
  return {
    path,
    of(hostName) {
      const match = held.length === 1 ? held[0] : held.find((h) => h.host === hostName);
      if (match !== undefined) return match.powers;
      throw noBaseline(path, `those of ${held.length} hosts without ${hostName}`);
    },
  };
}

function fromJson(path: string, content: string): Nested {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw noBaseline(path, (error as Error).message);
  }
}

function fromReport(path: string, content: string) {
  try {
    return parseWholeReport(content, path).report.hosts.map(({ host, joulemark }) => ({
      host,
      powers: powersOf(joulemark?.idle),
    }));
  } catch (error) {
    throw noBaseline(path, `neither JSON nor a report (${(error as Error).message})`);
  }
}

/** `undefined` where there is no power; what is no number, such as an absence, is passed over. */
function powersOf(mapping: Nested | undefined): IdlePowers | undefined {
  if (!isMapping(mapping)) return undefined;
  const powers = new Map<EnergyKind, number>();
  for (const kind of IDLE_KINDS) {
    const value = numberOf(mapping[`${kind} (W)`]);
    if (value >= 0 && value < Infinity) powers.set(kind, value);
  }
  return powers.size === 0 ? undefined : { powers, lengthS: numberOf(mapping["length (s)"]) };
}

function noBaseline(path: string, found: string): UsageError {
  const expected = 'a report or JSON with idle powers such as "package (W)"';
  return unusable(`--idle=${path}`, expected, found);
}
