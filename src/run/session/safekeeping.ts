/**
 * Leftovers of a killed monitor: a checkpoint in addition to the report, and the journal, each at
 * its time.
 * @module
 */
import { cpuSeconds } from "../../os/clock.ts";
import { giveBackProgramPages } from "../../os/memory/program_pages.ts";
import { atLeisure } from "../../os/wait.ts";

/** First checkpoint, for any interval after it. */
const FIRST_CHECKPOINT_S = 1;
/** Time between two entries of the journal, and the most that they may take of a core. */
const JOURNAL_S = 0.9;
const JOURNAL_SHARE = 0.03;
/** Maximum share of time that checkpoints take: of a long run a fit takes a third of a second. */
const CHECKPOINT_SHARE = 0.1;

/** Functions that keep the results. */
export interface Keeping {
  readonly checkpointS: number;
  /** Writes all that is so far. @param isUrgent A signal came that may end the run. */
  checkpoint(isUrgent: boolean): void;
  journal(): void;
}

/** Calls both when they are due. Times are seconds of the run. */
export class Safekeeping {
  readonly #keeping: Keeping;
  #checkpointS = FIRST_CHECKPOINT_S;
  #journalS = JOURNAL_S;
  /** The first ones are no measure: their code is not made yet. */
  #isFirstCheckpoint = true;
  #isFirst = true;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  /**
   * A round of the loop.
   *
   * @param isUrgent A signal came that may be the last: all that is known goes to the checkpoint now.
   * @param scheduling What the loop runs in.
   */
  look(nowS: number, isUrgent: boolean, scheduling: string): void {
    if (nowS > this.#checkpointS || isUrgent) {
      const takesS = took(() => atLeisure(scheduling, () => this.#keeping.checkpoint(isUrgent)));
      const leastS = this.#isFirstCheckpoint ? 0 : takesS / CHECKPOINT_SHARE;
      this.#isFirstCheckpoint = false;
      this.#checkpointS = nowS + Math.max(this.#keeping.checkpointS, leastS);
    }
    if (nowS > this.#journalS) {
      const takesS = took(() => atLeisure(scheduling, () => this.#keeping.journal()));
      // If an entry takes long there are fewer.
      const leastS = this.#isFirst ? 0 : takesS / JOURNAL_SHARE;
      // By now the start is over, and what it needed.
      if (this.#isFirst) atLeisure(scheduling, giveBackProgramPages);
      this.#isFirst = false;
      this.#journalS = nowS + Math.max(JOURNAL_S, leastS);
    }
  }
}

/** CPU time of some work, s. */
function took(work: () => void): number {
  const beforeS = cpuSeconds();
  work();
  return cpuSeconds() - beforeS;
}
