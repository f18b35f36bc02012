/**
 * The binary log of pm_mpi_lib 5.0 and 6.0: no header, records of twelve little-endian binary64 as
 * the monitors of all nodes appended them, by call, then by rank.
 *
 * ```
 * rank  MPI_Wtime  step  substep  node W  CPU W  memory W  node J  CPU J  memory J  cpu0 °C  cpu1 °C
 * ```
 * @module
 */
import { unparsed } from "../../core/errors.ts";
import type { PmcRecord } from "./log.ts";

/** Twelve binary64. */
export const RECORD_BYTES = 96;

/** In errors. */
export const EXPECTED = "a PMC log (the header of pm_mpi_lib, or binary records of 96 bytes)";

/** In the file's order. */
export const RECORD_FIELDS = [
  "rank",
  "timeS",
  "step",
  "substep",
  "powerW",
  "cpuPowerW",
  "memoryPowerW",
  "energyJ",
  "cpuEnergyJ",
  "memoryEnergyJ",
  "cpu0TempC",
  "cpu1TempC",
] as const satisfies readonly (keyof PmcRecord)[];

/** @param unknown What stands for a figure that the node does not report. @default 0, as in the library */
export function encodeRecords(
  records: readonly PmcRecord[],
  unknown = 0,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(records.length * RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const record of records) {
    for (const field of RECORD_FIELDS) {
      const value = record[field] ?? (field === "substep" ? 1 : field === "rank" ? 0 : NaN);
      view.setFloat64(at, value === value ? value : unknown, true);
      at += 8;
    }
  }
  return bytes;
}

/** Reads all whole records. @throws {FormatError} If one cannot be a record. */
export function decodeRecords(bytes: Uint8Array, path: string): PmcRecord[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: PmcRecord[] = [];
  for (let at = 0; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
    const record = {} as Record<typeof RECORD_FIELDS[number], number>;
    for (let i = 0; i < RECORD_FIELDS.length; i++) {
      record[RECORD_FIELDS[i]] = view.getFloat64(at + 8 * i, true);
    }
    const { rank, timeS, step, substep } = record;
    // Text and other binary files fail here in their first record.
    if (
      !Number.isInteger(rank) || rank < 0 || rank > 2 ** 31 || !Number.isFinite(timeS) ||
      !Number.isInteger(step) || !Number.isInteger(substep)
    ) {
      throw unparsed(path, 0, EXPECTED, `other data at byte ${at}`);
    }
    records.push(record);
  }
  return records;
}
