/** Values of a signal, step by step, as long as they may be needed. */

/** The history of one signal. */
export class ValueHistory {
  #timesS: number[] = [];
  #values: number[] = [];

  take(timeS: number, value: number): void {
    this.#timesS.push(timeS);
    this.#values.push(value);
  }

  /** The value of the sample for a moment: of the first one not before it, else the last. */
  at(timeS: number): number {
    const times = this.#timesS;
    let i = times.length - 1;
    while (i > 0 && times[i - 1] >= timeS) i--;
    return i < 0 ? NaN : this.#values[i];
  }

  /** Lets go of steps before a moment. */
  forget(timeS: number): void {
    let gone = 0;
    while (gone < this.#timesS.length - 1 && this.#timesS[gone] < timeS) gone++;
    if (gone === 0) return;
    this.#timesS.splice(0, gone);
    this.#values.splice(0, gone);
  }
}
