/**
 * The summary of a report on standard error: after a run, a replay and a merge.
 * @module
 */
import type { Report } from "../core/report.ts";
import { summary, type SummaryOptions } from "../show/analysis/summary.ts";
import { summaryFacts } from "../show/analysis/summary_facts.ts";
import { writeTerminal } from "./io.ts";

/** Prints the summary below the lines so far. */
export function writeSummary(report: Report, options: SummaryOptions): void {
  writeTerminal(`\n${summary(summaryFacts(report), options)}`);
}
