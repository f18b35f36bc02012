/**
 * Values of a benchmark's runs, of the parts of the energy that all of its runs have.
 * @module
 */
import type { Report } from "../core/report.ts";
import { metricOf, metricValue } from "../show/analysis/comparison.ts";
import { comparableFigures, jobFigures } from "../show/analysis/job_figures.ts";
import type { SessionBlock, SessionRun } from "../show/study/session.ts";

/** Reports of the runs that count, while a benchmark goes on. */
export class BenchValues {
  readonly #metric: string;
  /** By block and command. */
  readonly #reports = new Map<string, Report>();
  /** Parts of the energy of the runs. */
  readonly #sources = new Set<string>();
  #isRegionKnown = false;

  constructor(metric: string) {
    this.#metric = metric;
  }

  /**
   * Takes a run that went well.
   *
   * @returns Its value; NaN: it has no report.
   * @throws {UnknownNameError} If there is no such region.
   */
  take({ set, block, isWarmup }: SessionRun, report: Report | undefined): number {
    if (report === undefined) return NaN;
    const job = jobFigures(report);
    // Of the first run, so that no time is lost.
    if (!this.#isRegionKnown) metricOf(this.#metric, [...job.regions.keys()]);
    this.#isRegionKnown = true;
    if (!isWarmup) {
      this.#reports.set(`${block}-${set}`, report);
      this.#sources.add(job.source);
    }
    return metricValue(this.#metric, job);
  }

  /** The blocks with values of the parts that all of their runs have. */
  comparable(blocks: readonly SessionBlock[]): readonly SessionBlock[] {
    if (this.#sources.size <= 1) return blocks;
    const reports = blocks.flatMap(({ block, values }) =>
      values.map((_, set) => this.#reports.get(`${block}-${set}`))
    );
    if (!reports.every((report) => report !== undefined)) return blocks;
    const jobs = comparableFigures(reports);
    return blocks.map(({ block, values }) => {
      const of = jobs.splice(0, values.length);
      return { block, values: of.map((job) => metricValue(this.#metric, job)) };
    });
  }
}
