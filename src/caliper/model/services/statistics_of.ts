/** Minimum, maximum, sum and mean of the values of one metric. */

import {
  addVariant,
  divideVariant,
  EMPTY,
  extremeVariant,
  TYPE,
  type Value,
  type Variant,
} from "../variant.ts";

/** Numbers as numbers, without a new object per value; all other values as variants. */
export class Statistics {
  #count = 0;
  #type: number = TYPE.inv;
  #min = Infinity;
  #max = -Infinity;
  /** Adding to it leaves every first value as it is, -0 too. */
  #sum = -0;
  #wide: { min: Variant; max: Variant; sum: Variant } | undefined;

  /** @param times Values of which a number is the sum; each is taken for their mean. @default 1 */
  add(type: number, value: Value, times = 1): void {
    if (this.#wide === undefined && this.#addNumber(type, value, times)) return;
    const wide = this.#wide ??= this.#widened();
    this.#count += times;
    wide.min = extremeVariant(wide.min, type, value, -1);
    wide.max = extremeVariant(wide.max, type, value, 1);
    wide.sum = addVariant(wide.sum, type, value);
  }

  /** The results by the words before `#NAME`. */
  results(): [word: string, value: Variant][] {
    const { min, max, sum } = this.#wide ?? this.#widened();
    return [["min", min], ["max", max], ["sum", sum], ["avg", divideVariant(sum, this.#count)]];
  }

  /** @returns False if the numbers of ECMAScript do not carry it. */
  #addNumber(type: number, value: Value, times: number): boolean {
    if (typeof value !== "number") return false;
    if (type !== TYPE.double && type !== TYPE.int && type !== TYPE.uint) return false;
    if (this.#count > 0 && type !== this.#type) return false;
    const sum = this.#sum + value;
    if (type === TYPE.double ? Number.isNaN(value) : !Number.isSafeInteger(sum)) return false;
    this.#type = type;
    this.#sum = sum;
    this.#count += times;
    const mean = value / times, isReal = type === TYPE.double;
    const least = isReal ? mean : Math.floor(mean), most = isReal ? mean : Math.ceil(mean);
    if (least < this.#min) this.#min = least;
    if (most > this.#max) this.#max = most;
    return true;
  }

  #widened(): { min: Variant; max: Variant; sum: Variant } {
    if (this.#count === 0) return { min: EMPTY, max: EMPTY, sum: EMPTY };
    const of = (value: number): Variant => ({ type: this.#type, value });
    return { min: of(this.#min), max: of(this.#max), sum: of(this.#sum) };
  }
}
