/**
 * Every sample of raw stats in one of the formats for programs, by one process or in turns by several.
 *
 * @module
 */
import { jsonText } from "../../core/printable.ts";
import type { FormatError } from "../../core/errors.ts";
import type { RawNode } from "../node.ts";
import { JsonSeriesWriter, MetricsSeriesWriter } from "../packed_series.ts";
import type { RawSeriesWriter } from "../packed_series.ts";
import type { Shares } from "../shares.ts";
import { analyseRawFiles, type RawAnalysis } from "../stats.ts";
import type { Turns } from "../turns.ts";
import { CSV_HEADER, CsvRows } from "./print_csv.ts";
import { jsonNumber } from "./print_json.ts";
import type { RawTableRequest } from "./table.ts";
import { metricValues } from "./tables.ts";

/** Formats of every sample. */
export type SeriesFormat = "csv" | "json" | "openmetrics";

/** What is to be written. */
export interface SeriesRequest extends Omit<RawTableRequest, "devices"> {
  readonly format: SeriesFormat;
}

/** How it is written. */
export interface SeriesWriting {
  readonly turns: Turns;
  readonly shares: Shares;
  error(error: FormatError): void;
  /** All is read, not all is written: may throw. */
  check(analysis: RawAnalysis): void;
}

/** Reads all files and writes them; the number of devices without series. */
export async function writeSeries(
  request: SeriesRequest,
  { turns, shares, error, check }: SeriesWriting,
): Promise<number> {
  const { format, files, job, energyUnits } = request;
  const printer = printerOf(request, turns, shares);
  const metrics = format === "json" && turns.index === 0;
  const analysis = await analyseRawFiles({
    ...{ files, job, energyUnits, metrics, error },
    listen: (node) => printer.listen(node),
    finish: (node) => printer.finish?.(node),
  });
  check(analysis);
  const leftOut = printer.end(analysis);
  turns.end();
  return leftOut;
}

interface Printer extends Omit<RawSeriesWriter, "finish" | "end"> {
  finish?(node: RawNode): void;
  /** @returns Devices without series. */
  end(analysis: RawAnalysis): number;
}

function printerOf({ format, job, types }: SeriesRequest, turns: Turns, shares: Shares): Printer {
  const wants = (type: string) => types === undefined || types.includes(type);
  if (format === "openmetrics") return new MetricsSeriesWriter({ job, wants, turns, shares });
  if (format === "csv") {
    turns.out.text(CSV_HEADER);
    return { listen: () => new CsvRows(turns, wants), end: () => 0 };
  }
  const series = new JsonSeriesWriter({ job, wants, turns, shares });
  return {
    listen: (node) => series.listen(node),
    finish: (node) => series.finish(node),
    end(analysis) {
      const leftOut = series.end();
      turns.to(0);
      if (turns.isOwn) turns.out.text(jsonEnd(analysis));
      return leftOut;
    },
  };
}

/** What is behind the series: metrics and jobs. */
function jsonEnd(analysis: RawAnalysis): string {
  const values = metricValues(analysis.inputs);
  const units = Object.fromEntries(values.map(({ name, unit }) => [name, unit]));
  const jobs = [...analysis.jobs.values()].map((seen) =>
    `${jsonText(seen.id)}:{"hosts":${jsonText(seen.inputs.map((input) => input.host))},"begin":${
      Math.min(...seen.inputs.map((i) => i.firstUs)) / 1e6
    },"end":${Math.max(...seen.inputs.map((i) => i.lastUs)) / 1e6},"whole":${
      seen.cut.length === 0
    },"metrics":${metricsJson(metricValues(seen.inputs))}}`
  );
  return `,"metrics":${metricsJson(values)},"metric_units":${jsonText(units)},"jobs":{` +
    `${jobs.join(",")}}}\n`;
}

function metricsJson(values: readonly { name: string; value: number }[]): string {
  return `{${values.map(({ name, value }) => `"${name}":${jsonNumber(value)}`).join(",")}}`;
}
