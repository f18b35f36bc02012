/**
 * Figures of a live run's loop, for the report and its findings.
 * @module
 */

/** Figures of the loop. */
export interface LoopFigures {
  steps: number;
  /** Steps among them at which nothing was to be read, and nobody marked. */
  sleptThrough: number;
  /** Steps that were skipped since their time had passed. */
  missed: number;
  /** Steps that began more than a period late. */
  late: number;
  /** Ticks between two reads of per-CPU counters, 1: every tick. */
  cpuStride: number;
  /** CPUs of processes were outside the node and count as CPU c mod N. */
  cpusMoved: boolean;
  scheduling: string;
  /** Reductions that kept the monitor within its budget. */
  budget?: {
    readonly mostFactor: number;
    readonly foldingS: number;
    readonly longerS: number;
  };
  /** CPU time of the monitor until the last sample, without that of simulated counters, s. */
  cpuS: number;
  /** CPU time of simulated counters. */
  simulatedS: number;
  /** CPU time of the monitor after the last sample: energies, report, page, s. */
  afterS: number;
  wallS: number;
  /** CPU time of sampling alone, without start and end, and how long it went on. */
  samplingS: number;
  samplingWallS: number;
  memoryKib: number;
  /** The monitor was stopped while the application ended: seconds of the run, NaN: it was not. */
  blindFromS: number;
  blindUntilS: number;
  /** Signals of slow counters whose first update after the run was not read. */
  unread: readonly string[];
}

/** Figures of a loop that has not begun. */
export const NO_STEPS: LoopFigures = {
  steps: 0,
  sleptThrough: 0,
  missed: 0,
  late: 0,
  cpuStride: 1,
  cpusMoved: false,
  scheduling: "plain",
  cpuS: 0,
  simulatedS: 0,
  afterS: 0,
  wallS: 0,
  samplingS: 0,
  samplingWallS: 0,
  memoryKib: 0,
  blindFromS: NaN,
  blindUntilS: NaN,
  unread: [],
};
