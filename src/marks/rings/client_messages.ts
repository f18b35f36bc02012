/**
 * Messages of clients other than records: remarks about their programs, and counts that processes
 * report at their end.
 * @module
 */
import { MPI_NAME, OPENMP_NAME, REMARK_NAME, VALUE_NAME } from "../../core/events/ring_layout.ts";
import { ReportedSums } from "./reported_sums.ts";
import { ReportedValues } from "./reported_values.ts";

const REMARKS_MAX = 20;

/** The messages of all processes. */
export class ClientMessages {
  /** Messages that say nothing. */
  garbage = 0;
  /** About their programs. */
  readonly remarks = new Set<string>();
  /** About their MPI calls. */
  readonly mpi = new ReportedSums("peers");
  /** About their OpenMP threads. */
  readonly openmp = new ReportedSums("threads");
  /** About the values of their events. */
  readonly values = new ReportedValues();

  /** One message: its word, and what stands behind the process's number. */
  hear({ word, text }: { word: string; text: string }): void {
    let isSound = true;
    if (word === REMARK_NAME) {
      if (this.remarks.size < REMARKS_MAX) this.remarks.add(text);
    } else if (word === MPI_NAME) isSound = this.mpi.add(text);
    else if (word === OPENMP_NAME) isSound = this.openmp.add(text);
    else if (word === VALUE_NAME) isSound = this.values.add(text);
    if (!isSound) this.garbage++;
  }
}
