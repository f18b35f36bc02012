/**
 * Reports over loops: of all loops a row, and of each loop its iterations in blocks. The rows of
 * every process come first, then what they are together.
 * @module
 */
import {
  iterationsPerBlock,
  type LoopReport,
  type LoopSeries,
  type QueryPair,
} from "../model/config/channel_spec.ts";
import { query, readCali } from "../query/library.ts";

/** A loop, as its summary describes it. */
interface Loop {
  readonly name: string;
  readonly iterations: number;
  readonly records: number;
}

/** The text of a `loop-report`. @param processes A stream of each process. */
export function loopReport(report: LoopReport, processes: readonly string[]): string {
  let text = report.printSummary ? `\nLoop summary:\n------------\n\n` : "";
  if (report.printSummary) text += both(report.summary, processes);
  const { series } = report;
  if (series === null) return text;
  for (const loop of loopsIn(report.summary, processes)) {
    text += `\nIteration summary (${loop.name}):\n-----------------\n\n`;
    text += both(blocksOf(series, loop), processes);
  }
  return text;
}

/** Streams with the blocks of every loop that a summary finds. */
export function loopSeries(
  summary: QueryPair,
  series: LoopSeries,
  processes: readonly string[],
): string[] {
  return loopsIn(summary, processes).map((loop) => {
    return both(blocksOf(series, loop), processes, true);
  });
}

/** The local query over each process, then the cross query over all rows. */
export function both(
  { local, cross }: QueryPair,
  processes: readonly string[],
  asStream = false,
): string {
  return query(cross, processes.map((one) => query(local, [one])), { asStream });
}

function blocksOf(series: LoopSeries, loop: Loop): QueryPair {
  return series.blocks(loop.name, iterationsPerBlock(series, loop));
}

function loopsIn(summary: QueryPair, processes: readonly string[]): Loop[] {
  const { records } = readCali(both(summary, processes, true));
  return records.flatMap((row) => {
    const name = [row.loop].flat().at(-1);
    const iterations = Number(row["max#sum#loop.iterations"] ?? 0);
    if (typeof name !== "string" || !(iterations > 0)) return [];
    return [{ name, iterations, records: Number(row["max#count"] ?? 0) }];
  });
}
