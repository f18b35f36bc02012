/**
 * Every sample of raw stats for programs: rows as they come, or one document of what fits in memory.
 *
 * @module
 */
import type { FormatError } from "../../../core/errors.ts";
import { NodeSeries, SeriesBudget } from "../series.ts";
import { analyseRawFiles, type RawAnalysis } from "../stats.ts";
import { jsonDocument, type JsonNode } from "./print_json.ts";
import { NodeRows, ROW_FORMATS, RowWriter } from "./print_rows.ts";
import type { RawTableRequest } from "./table.ts";

/** Formats of every sample. */
export type SeriesFormat = "csv" | "jsonl" | "json";

/** The output of one run. */
export interface SeriesRequest extends Omit<RawTableRequest, "devices"> {
  readonly format: SeriesFormat;
  error(error: FormatError): void;
  /** All is read; may throw. */
  check(analysis: RawAnalysis): void;
  write(bytes: Uint8Array): void;
}

/** Reads all files and writes their samples. */
export async function writeSeries(request: SeriesRequest): Promise<void> {
  const { format, files, job, types, energyUnits, error, check, write } = request;
  const wants = (type: string) => types === undefined || types.includes(type);
  const input = { files, job, energyUnits, error };
  if (format !== "json") {
    const out = new RowWriter(ROW_FORMATS[format], write);
    const listen = () => new NodeRows(out, wants);
    check(await analyseRawFiles({ ...input, metrics: false, listen }));
    out.flush();
    return;
  }
  const budget = new SeriesBudget();
  const nodes: JsonNode[] = [];
  const analysis = await analyseRawFiles({
    ...input,
    listen(node) {
      const series = new NodeSeries(node.host, budget, wants);
      nodes.push({ node, series });
      return series;
    },
  });
  check(analysis);
  const encoder = new TextEncoder();
  for (const piece of jsonDocument(nodes, analysis)) write(encoder.encode(piece));
}
