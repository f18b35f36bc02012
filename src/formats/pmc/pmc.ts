/**
 * Logs of pm_mpi_lib (PMC files): power and energy of a job, a line per step. M. Bareford,
 * "Monitoring the Cray XC30 Power Management Hardware Counters" (2015), appendix A, for 2.0; the
 * later versions as measured from the library, docs/reference/formats/pmc.md.
 *
 * ```
 * pm_mpi_lib v4.3.0: time (s), step, substep, average power (W), energy used (J)
 * 0.000000 -1 1 282.666667 0
 * 0.170045 1 2 298.000000 897
 * ```
 * 2.0 to 4.4 are text: seconds since open, power as mean over nodes, energy since open summed over
 * nodes. 5.0 and 6.0 are binary, one record per node and call with raw readings: binary.ts; a
 * script of theirs makes text of it, the third form here.
 * @module
 */
import { unparsed } from "../../core/errors.ts";
import { formatF } from "../../core/number_format.ts";
import { parseAscii, stringifyAscii } from "./ascii.ts";
import { decodeRecords, encodeRecords, EXPECTED, RECORD_BYTES } from "./binary.ts";
import { isPmcVersion, PMC_VERSIONS, type PmcLog, type PmcRecord, type PmcVersion } from "./log.ts";

export { isPmcVersion, PMC_VERSIONS, type PmcLog, type PmcRecord, type PmcVersion };

/** Facts that a reader cannot see in the file itself. */
export interface PmcParseOptions {
  /** For messages. @default "PMC" */
  path?: string;
  /** Version of a binary log, which does not name it. @default "6.0" */
  version?: "5.0" | "6.0";
}

/** A number of a line, and its name in the header. */
type Column = readonly [name: string, field: Exclude<keyof PmcRecord, "restsJ" | "headed">];

const STEP: readonly Column[] = [["time (s)", "timeS"], ["step", "step"], ["substep", "substep"]];
const USUAL: readonly Column[] = [
  ...STEP,
  ...[["average power (W)", "powerW"], ["energy used (J)", "energyJ"]] as const,
];
/** Columns of the versions that are text. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  "2.0": USUAL.filter(([, field]) => field !== "substep"),
  "3.1": USUAL,
  "4.0": USUAL,
  "4.3": USUAL,
  "4.4": [
    ...STEP,
    ...[["power avg (W)", "powerW"], ["cpu power avg (W)", "cpuPowerW"]] as const,
    ...[["mem power avg (W)", "memoryPowerW"], ["energy (J)", "energyJ"]] as const,
    ...[["cpu energy (J)", "cpuEnergyJ"], ["mem energy (J)", "memoryEnergyJ"]] as const,
  ],
};
const HEADER = /^pm_mpi_lib v([0-9]+\.[0-9]+)(?:\.[0-9]+)?:/;
const ASCII_HEADER = "rank, time (s),";

/** Does a file begin like a PMC text log? */
export function looksLikePmc(text: string): boolean {
  return HEADER.test(text) || text.startsWith(ASCII_HEADER);
}

/**
 * Reads a log of any version; the first bytes identify it.
 *
 * @throws {FormatError} With path and line, if it is none. A file cut in its last line or record is
 * read up to there, and `cut` is set.
 */
export function parsePmc(data: string | Uint8Array, options: PmcParseOptions = {}): PmcLog {
  const path = options.path ?? "PMC";
  if (typeof data !== "string") {
    const start = new TextDecoder().decode(data.subarray(0, 64));
    if (!looksLikePmc(start)) return parseBinary(data, path, options.version ?? "6.0");
    data = new TextDecoder().decode(data);
  }
  if (data.startsWith(ASCII_HEADER)) return parseAscii(data, path, options.version ?? "6.0");
  return parseText(data, path);
}

/** Writes a log: text, or bytes for the binary form. @throws {TypeError} If a field is missing. */
export function stringifyPmc(log: PmcLog): string | Uint8Array<ArrayBuffer> {
  if (log.form === "binary") return encodeRecords(log.records);
  if (log.form === "ascii") return stringifyAscii(log.records);
  const columns = COLUMNS[log.version];
  if (columns === undefined) throw new TypeError(`PMC ${log.version} has no text form`);
  const header = `pm_mpi_lib v${log.version}.0: ${columns.map(([name]) => name).join(", ")}`;
  const lines = [header];
  for (const record of log.records) {
    if (record.headed) lines.push(header);
    lines.push(columns.map(([, field]) => cellOf(record, field, log.version)).join(" "));
  }
  return lines.join("\n") + "\n";
}

/** A number of a line. Energies of an odd half are rounded to the even joule; 4.0 rounds none. */
function cellOf(record: PmcRecord, field: Column[1], version: PmcVersion): string {
  if (field === "step" || field === "substep") return String(record[field] ?? 1);
  const value = record[field] ?? NaN;
  return field.endsWith("EnergyJ") || field === "energyJ" && version !== "4.0"
    ? whole(value)
    : formatF(value);
}

/** C's `%ld` of what is left of a sum of readings. */
function whole(joules: number): string {
  if (!Number.isFinite(joules)) return "0";
  const floor = Math.floor(joules);
  const rest = joules - floor;
  const rounded = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
  return rounded === 0 ? "0" : BigInt(rounded).toString();
}

function parseBinary(bytes: Uint8Array, path: string, version: "5.0" | "6.0"): PmcLog {
  if (bytes.length < RECORD_BYTES) {
    const found = bytes.length === 0 ? "an empty file" : `${bytes.length} bytes`;
    throw unparsed(path, 0, EXPECTED, found);
  }
  const records = decodeRecords(bytes, path);
  const cut = bytes.length % RECORD_BYTES !== 0;
  return { version, form: "binary", records, ...(cut ? { cut } : {}) };
}

function parseText(text: string, path: string): PmcLog {
  const lines = text.split(/\r?\n/);
  const last = lines.pop()!;
  const found = HEADER.exec(lines[0] ?? "");
  const version = found?.[1] ?? "", columns = COLUMNS[version];
  if (columns === undefined) {
    const expected = `"pm_mpi_lib v2.0.0:" or another of its versions (${PMC_VERSIONS.join(", ")})`;
    throw unparsed(path, 1, expected, found === null ? "no such header" : `version ${version}`);
  }
  const records: PmcRecord[] = [];
  let headed = false;
  for (let i = 1; i < lines.length; i++) {
    if (HEADER.test(lines[i])) {
      headed = true;
      continue;
    }
    const record = parseLine(lines[i], columns);
    if (record === undefined) {
      const expected = `${columns.length} numbers between blanks`;
      throw unparsed(path, i + 1, expected, JSON.stringify(lines[i].slice(0, 80)));
    }
    records.push(headed ? { ...record, headed } : record);
    headed = false;
  }
  const cut = last === "" ? {} : { cut: true };
  return { version: version as PmcVersion, form: "text", records, ...cut };
}

const NUMBER = /^-?(?:[0-9]+(?:\.[0-9]+)?|nan|inf)$/;

function parseLine(line: string, columns: readonly Column[]): PmcRecord | undefined {
  const words = line.split(" ");
  const isSound = words.length === columns.length && words.every((word) => NUMBER.test(word));
  if (!isSound) return undefined;
  const record = {} as Record<Column[1], number>;
  columns.forEach(([, field], i) => {
    record[field] = words[i].endsWith("inf") ? Infinity : Number(words[i]);
  });
  return Number.isInteger(record.step) ? record : undefined;
}
