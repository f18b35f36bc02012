/**
 * Leftovers of a killed monitor: lines of outputs, and the journal, each at its time.
 * @module
 */
import { cpuSeconds } from "../../os/clock.ts";
import { giveBackProgramPages } from "../../os/memory/program_pages.ts";
import { atLeisure } from "../../os/wait.ts";

/** First flush, for any interval after it. */
const FIRST_FLUSH_S = 1;
/** First entry of the journal, and the most that entries may take of a core. */
const FIRST_ENTRY_S = 0.9;
const JOURNAL_SHARE = 0.03;

/** Functions that keep the results. */
export interface Keeping {
  /** Time between two flushes, s. */
  readonly flushS: number;
  /** Writes what outputs hold back. */
  flush(): void;
  /** Time between two entries of the journal, s. */
  readonly journalS: number;
  /** Writes an entry. @param isUrgent A signal came that may end the run. */
  journal(isUrgent: boolean): void;
}

/** Calls both when they are due. Times are seconds of the run. */
export class Safekeeping {
  readonly #keeping: Keeping;
  #flushS = FIRST_FLUSH_S;
  #journalS = FIRST_ENTRY_S;
  /** The first entry is no measure: its code is not made yet. */
  #isFirst = true;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  /** When one of both is due. */
  get dueS(): number {
    return Math.min(this.#flushS, this.#journalS);
  }

  /**
   * A round of the loop.
   *
   * @param isUrgent A signal came that may be the last: all that is known is written now.
   * @param scheduling What the loop runs in.
   */
  look(nowS: number, isUrgent: boolean, scheduling: string): void {
    const { flushS, journalS } = this.#keeping;
    if (nowS > this.#flushS || isUrgent) {
      atLeisure(scheduling, () => this.#keeping.flush());
      this.#flushS = nowS + flushS;
    }
    if (nowS > this.#journalS || isUrgent) {
      const beforeS = cpuSeconds();
      atLeisure(scheduling, () => this.#keeping.journal(isUrgent));
      // If an entry takes long there are fewer.
      const leastS = this.#isFirst ? 0 : (cpuSeconds() - beforeS) / JOURNAL_SHARE;
      // By now the start is over, and what it needed.
      if (this.#isFirst) atLeisure(scheduling, giveBackProgramPages);
      this.#isFirst = false;
      this.#journalS = nowS + Math.max(journalS, leastS);
    }
  }
}
