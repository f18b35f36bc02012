/**
 * The summary of a report on standard error: after a run, a replay and a merge.
 * @module
 */
import type { Report } from "../core/report.ts";
import { summary } from "../show/analysis/summary.ts";
import { summaryFacts } from "../show/analysis/summary_facts.ts";
import type { Look } from "../show/analysis/text_layout.ts";
import { writeTerminal } from "./io.ts";

/**
 * Prints the summary below the lines so far.
 *
 * @param reportPath Where the report is; `undefined`: nowhere.
 * @param isVerbose With all notes.
 */
export function writeSummary(
  report: Report,
  reportPath: string | undefined,
  look: Look,
  isVerbose = false,
): void {
  writeTerminal(`\n${summary(summaryFacts(report), { look, reportPath, isVerbose })}`);
}
