/**
 * The table of `stats`: what one node's counters add up to, as plain data.
 *
 * @module
 */
import type { FormatError } from "../../../core/errors.ts";
import type { RawAnalysisTable } from "./tables.ts";
import { tableRows } from "./tables.ts";
import { NodeTotals } from "../totals.ts";
import type { EnergyUnits } from "../energy_units.ts";
import type { RawFile } from "../files.ts";
import { analyseRawNode, type RawNodeAnalysis } from "../stats.ts";

/** Request for a table. */
export interface RawTableRequest {
  readonly files: readonly RawFile[];
  /** @default every sample */
  readonly job: string | undefined;
  /** @default all */
  readonly types: readonly string[] | undefined;
  /** A row per device, not the sum over devices. */
  readonly devices: boolean;
  /** The user's units for energies whose files have none. */
  readonly energyUnits?: EnergyUnits;
}

/** One node's part of the table, and of the metrics. */
export interface RawTablePart {
  readonly analysis: RawNodeAnalysis;
  /** `undefined`: nothing of the job was seen there. */
  readonly table: RawAnalysisTable["nodes"][number] | undefined;
}

/** Reads the files of one node. */
export async function readRawTable(
  request: RawTableRequest,
  error: (error: FormatError) => void,
): Promise<RawTablePart> {
  const { files, job, types, devices, energyUnits } = request;
  const wants = (type: string) => types === undefined || types.includes(type);
  const totals = new NodeTotals(files[0].host, { wants, perDevice: devices });
  const analysis = await analyseRawNode({ files, job, energyUnits, error, listen: () => totals });
  if (totals.samples === 0) return { analysis, table: undefined };
  totals.end();
  const rows = tableRows(totals);
  const { host, samples, seconds, lastUs } = totals;
  return { analysis, table: { host, samples, seconds, lastUs, rows } };
}
