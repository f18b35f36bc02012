/**
 * The text that pm_mpi_lib's script makes of a binary log: by rank, times in full, all else cut to
 * whole numbers.
 *
 * ```
 * rank, time (s), step, substep, node (W), cpu (W), mem (W), node (J), cpu (J), mem (J), cpu0 (C), cpu1 (C)
 * 0 1253.495130563 -1 1 286 176 60 767219 383609 153443 41 43
 * ```
 * @module
 */
import { unparsed } from "../../core/errors.ts";
import type { PmcLog, PmcRecord } from "./log.ts";
import { RECORD_FIELDS } from "./binary.ts";

const HEADER =
  "rank, time (s), step, substep, node (W), cpu (W), mem (W), node (J), cpu (J), mem (J), cpu0 (C), cpu1 (C)";

/** The conversion of a binary log's records. */
export function stringifyAscii(records: readonly PmcRecord[]): string {
  const byRank = Map.groupBy(records, (record) => record.rank ?? 0);
  const lines = [HEADER];
  for (const rank of [...byRank.keys()].sort((a, b) => a - b)) {
    for (const record of byRank.get(rank)!) {
      lines.push(
        RECORD_FIELDS.map((field) => {
          if (field === "timeS") return formatRepr(record.timeS);
          const value = Math.trunc(record[field] ?? (field === "substep" ? 1 : 0));
          return value === value ? BigInt(value).toString() : "0";
        }).join(" "),
      );
    }
  }
  return lines.join("\n") + "\n";
}

/** Reads it back. @throws {FormatError} With path and line. */
export function parseAscii(text: string, path: string, version: "5.0" | "6.0"): PmcLog {
  const lines = text.split(/\r?\n/);
  const last = lines.pop()!;
  const records: PmcRecord[] = [];
  const check = (isSound: boolean, i: number, expected: string) => {
    if (!isSound) throw unparsed(path, i + 1, expected, JSON.stringify(lines[i].slice(0, 80)));
  };
  for (let i = 1; i < lines.length; i++) {
    check(lines[0] === HEADER, 0, `the header "${HEADER}"`);
    const words = lines[i].split(" ");
    const numbers = words.map(Number);
    const isSound = words.length === RECORD_FIELDS.length && !words.includes("") &&
      !numbers.some(Number.isNaN);
    check(isSound, i, "twelve numbers between blanks");
    const record = {} as Record<typeof RECORD_FIELDS[number], number>;
    RECORD_FIELDS.forEach((field, k) => record[field] = numbers[k]);
    records.push(record);
  }
  return { version, form: "ascii", records, ...(last === "" ? {} : { cut: true }) };
}

/** Python's `repr` of a float: the shortest decimal that reads back, always with a point. */
export function formatRepr(value: number): string {
  if (value !== value) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [mantissa, exponent] = value.toExponential().split("e");
    const digits = exponent.slice(1).padStart(2, "0");
    return `${mantissa}e${exponent[0]}${digits}`;
  }
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes(".") ? text : `${text}.0`;
}
