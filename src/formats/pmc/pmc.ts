/**
 * Logs of pm_mpi_lib (PMC files): power and energy of a job, a line per step. M. Bareford,
 * "Monitoring the Cray XC30 Power Management Hardware Counters" (2015), appendix A, for 2.0; the
 * later versions as measured from the library, docs/formats/pmc.md.
 *
 * ```
 * pm_mpi_lib v4.3.0: time (s), step, substep, average power (W), energy used (J)
 * 0.000000 -1 1 282.666667 0
 * 0.170045 1 2 298.000000 897
 * ```
 * 2.0 to 4.4 are text: seconds since open, power as mean over nodes, energy since open summed over
 * nodes. 5.0 and 6.0 are binary, one record per node and call with raw readings: pmc_binary.ts; a
 * script of theirs makes text of it, the third form here.
 * @module
 */
import { unparsed } from "../../core/errors.ts";
import { formatF } from "../../core/number_format.ts";
import { parseAscii, stringifyAscii } from "./ascii.ts";
import { decodeRecords, encodeRecords, EXPECTED, RECORD_BYTES } from "./binary.ts";
import { isPmcVersion, PMC_VERSIONS, type PmcLog, type PmcRecord, type PmcVersion } from "./log.ts";

export { isPmcVersion, PMC_VERSIONS, type PmcLog, type PmcRecord, type PmcVersion };

/** What a reader cannot see in the file itself. */
export interface PmcParseOptions {
  /** For messages. @default "PMC" */
  path?: string;
  /** Of a binary log, which has no version. @default "6.0" */
  version?: "5.0" | "6.0";
}

const NAMES: Record<PmcVersion, string> = {
  "2.0": "time (s), step, average power (W), energy used (J)",
  "3.1": "time (s), step, substep, average power (W), energy used (J)",
  "4.0": "time (s), step, substep, average power (W), energy used (J)",
  "4.3": "time (s), step, substep, average power (W), energy used (J)",
  "4.4":
    "time (s), step, substep, power avg (W), cpu power avg (W), mem power avg (W), energy (J), cpu energy (J), mem energy (J)",
  "5.0": "",
  "6.0": "",
};
const FIELDS: Record<string, number> = { "2.0": 4, "3.1": 5, "4.0": 5, "4.3": 5, "4.4": 9 };
const HEADER = /^pm_mpi_lib v([0-9]+\.[0-9]+)(?:\.[0-9]+)?:/;
const ASCII_HEADER = "rank, time (s),";

/** Does a file begin like a PMC text log? */
export function looksLikePmc(text: string): boolean {
  return HEADER.test(text) || text.startsWith(ASCII_HEADER);
}

/** The first line of a text log, without LF; empty for the binary versions. */
export function pmcHeader(version: PmcVersion): string {
  return NAMES[version] === "" ? "" : `pm_mpi_lib v${version}.0: ${NAMES[version]}`;
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
  if (!(log.version in FIELDS)) throw new TypeError(`PMC ${log.version} has no text form`);
  const header = pmcHeader(log.version);
  const lines = [header];
  for (const record of log.records) {
    if (record.headed) lines.push(header);
    lines.push(pmcLine(log.version, record));
  }
  return lines.join("\n") + "\n";
}

/** One line of a text log, without LF. Energies of an odd half are rounded to the even joule. */
export function pmcLine(version: PmcVersion, r: PmcRecord): string {
  const start = version === "2.0"
    ? `${formatF(r.timeS)} ${r.step} `
    : `${formatF(r.timeS)} ${r.step} ${r.substep ?? 1} `;
  const energy = (joules: number | undefined) => whole(joules ?? NaN);
  switch (version) {
    case "2.0":
    case "3.1":
    case "4.3":
      return `${start}${formatF(r.powerW)} ${energy(r.energyJ)}`;
    case "4.0":
      return `${start}${formatF(r.powerW)} ${formatF(r.energyJ)}`;
    case "4.4": {
      const powers = [r.powerW, r.cpuPowerW, r.memoryPowerW].map((w) => formatF(w ?? NaN));
      const energies = [r.energyJ, r.cpuEnergyJ, r.memoryEnergyJ].map(energy);
      return start + [...powers, ...energies].join(" ");
    }
    default:
      throw new TypeError(`PMC ${version} has no text form`);
  }
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
  const version = found?.[1] ?? "";
  if (!(version in FIELDS)) {
    const expected = `"pm_mpi_lib v2.0.0:" or another of its versions (${PMC_VERSIONS.join(", ")})`;
    throw unparsed(path, 1, expected, found === null ? "no such header" : `version ${version}`);
  }
  const known = version as PmcVersion;
  const records: PmcRecord[] = [];
  let headed = false;
  for (let i = 1; i < lines.length; i++) {
    if (HEADER.test(lines[i])) {
      headed = true;
      continue;
    }
    const record = parseLine(lines[i], FIELDS[version]);
    if (record === undefined) {
      const expected = `${FIELDS[version]} numbers between blanks`;
      throw unparsed(path, i + 1, expected, JSON.stringify(lines[i].slice(0, 80)));
    }
    records.push(headed ? { ...record, headed } : record);
    headed = false;
  }
  return { version: known, form: "text", records, ...(last === "" ? {} : { cut: true }) };
}

const NUMBER = /^-?(?:[0-9]+(?:\.[0-9]+)?|nan|inf)$/;

function parseLine(line: string, count: number): PmcRecord | undefined {
  const words = line.split(" ");
  if (words.length !== count || !words.every((word) => NUMBER.test(word))) return undefined;
  const n = words.map((word) => word.endsWith("inf") ? Infinity : Number(word));
  if (!Number.isInteger(n[1])) return undefined;
  if (count === 4) return { timeS: n[0], step: n[1], powerW: n[2], energyJ: n[3] };
  const start = { timeS: n[0], step: n[1], substep: n[2], powerW: n[3] };
  if (count === 5) return { ...start, energyJ: n[4] };
  return {
    ...start,
    energyJ: n[6],
    cpuPowerW: n[4],
    memoryPowerW: n[5],
    cpuEnergyJ: n[7],
    memoryEnergyJ: n[8],
  };
}
