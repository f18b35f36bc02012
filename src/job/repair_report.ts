/**
 * The whole part of a report that was cut: what a killed program or a full disk left.
 * @module
 */
import { FormatError } from "../core/errors.ts";
import type { Report } from "../core/report.ts";
import { parseReport } from "../formats/report.ts";

/** A host that was cut before it has no totals: its regions are kept. */
const NO_TOTALS = ["    Application Totals:", "      runtime (s): nan"];
/** Each try leaves at least a line away. */
const MAX_TRIES = 200;

/**
 * Reads what is whole, and states in the header where the rest is missing.
 *
 * @throws {FormatError} The first one, where nothing of a report can be kept.
 */
export function repairReport(text: string, path: string, first: FormatError): Report {
  // The last line may be cut in the middle of a number.
  let lines = text.split("\n").slice(0, -1);
  for (let i = 0; i < MAX_TRIES && lines.includes("Hosts:"); i++) {
    const host = lines.findLastIndex((line) => /^ {2}\S/.test(line));
    if (host < 0) break;
    const isTotal = lines.indexOf(NO_TOTALS[0], host) >= 0;
    const tried = isTotal ? lines : [...lines, ...NO_TOTALS];
    try {
      const report = parseReport(`${tried.join("\n")}\n`, path);
      const partial = `${path} is cut or damaged, read up to line ${lines.length}`;
      return { ...report, joulemark: { ...report.joulemark, partial } };
    } catch (error) {
      if (!(error instanceof FormatError) || error.line < 1) throw error;
      lines = lines.slice(0, Math.min(lines.length - 1, error.line - 1));
    }
  }
  throw first;
}
