/**
 * Sums of doubles without any rounding, so that a mean does not depend on the order in which hosts
 * come, nor on whether they met in a file or in an MPI reduction.
 *
 * A double is an integer of 53 bits times a power of two. The sum is kept as one wide fixed-point
 * number, in limbs of 32 bits, each an exact whole number in a double: U. Kulisch, "Computer
 * Arithmetic and Validity" (2013), the complete register. Limbs of normalized sums may be added by
 * MPI_SUM over MPI_DOUBLE up to a million times before one of them would round.
 * @module
 */

/** Limb 0 holds the bits from 2^-1088 on: below the smallest double. */
const BASE_EXPONENT = 1088;
/** Number of limbs, up to 2^1088: the maximum double and a carry. */
export const LIMBS = 68;
const RADIX = 2 ** 32;
/** Every addition adds less than 2^32 to a limb; a double is exact to 2^53. */
const ADDITIONS = 2 ** 20;

/** 2^0 to 2^32. */
const POWERS = Float64Array.from({ length: 33 }, (_, i) => 2 ** i);

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/** A sum without rounding. */
export class ExactSum {
  /** Least significant first. Only whole numbers. */
  readonly limbs = new Float64Array(LIMBS);
  #additions = 0;

  /** Adds a finite number. */
  add(value: number): void {
    if (value === 0) return;
    number[0] = value;
    const high = words[1];
    const field = (high >>> 20) & 0x7ff;
    // Below the normal range the leading bit is not implied, and the exponent is that of field 1.
    const top = field === 0 ? high & 0xfffff : (high & 0xfffff) | 0x100000;
    const shift = BASE_EXPONENT - 1074 + (field === 0 ? 0 : field - 1);
    const at = shift >>> 5;
    const bits = shift & 31;
    const scale = POWERS[bits];
    // 32 + 31 bits do not fit a double's 53: the low word is split where the limb ends.
    const low = words[0];
    const lowRest = bits === 0 ? 0 : low >>> (32 - bits);
    const lowPart = (low * scale) - lowRest * RADIX;
    const topRest = bits === 0 ? 0 : Math.floor(top / POWERS[32 - bits]);
    const topPart = top * scale - topRest * RADIX + lowRest;
    const limbs = this.limbs;
    if (high >>> 31 === 0) {
      limbs[at] += lowPart;
      limbs[at + 1] += topPart;
      limbs[at + 2] += topRest;
    } else {
      limbs[at] -= lowPart;
      limbs[at + 1] -= topPart;
      limbs[at + 2] -= topRest;
    }
    if (++this.#additions === ADDITIONS) this.normalize();
  }

  /** Adds the square of a finite number, exactly if it neither overflows nor underflows. */
  addSquare(value: number): void {
    const square = value * value;
    if (!Number.isFinite(square)) return;
    this.add(square);
    // Veltkamp's and Dekker's product: what rounding took from the square is a double itself.
    const c = 134217729 * value;
    const head = c - (c - value);
    const tail = value - head;
    this.add(((head * head - square) + 2 * head * tail) + tail * tail);
  }

  /** Carries, so that every limb but the last is a whole number from 0 to 2^32 − 1. */
  normalize(): void {
    const limbs = this.limbs;
    let carry = 0;
    for (let i = 0; i < LIMBS - 1; i++) {
      const sum = limbs[i] + carry;
      carry = Math.floor(sum / RADIX);
      limbs[i] = sum - carry * RADIX;
    }
    limbs[LIMBS - 1] += carry;
    this.#additions = 0;
  }

  /** The double next to the sum. */
  get value(): number {
    return ratio(this.scaled(), 1n << SCALE);
  }

  /** The sum times 2^1088. */
  scaled(): bigint {
    this.normalize();
    let value = 0n;
    for (let i = LIMBS - 1; i >= 0; i--) value = (value << 32n) + BigInt(this.limbs[i]);
    return value;
  }
}

const SCALE = BigInt(BASE_EXPONENT);

/** Mean and deviation (of a sample: n − 1; NaN of one number) of n numbers by their sum and the sum of their squares. */
export function moments(
  count: number,
  sum: ExactSum,
  squares: ExactSum,
): { mean: number; deviation: number } {
  if (count === 0) return { mean: NaN, deviation: NaN };
  const n = BigInt(count);
  const s = sum.scaled();
  const mean = ratio(s, n << SCALE);
  if (count === 1) return { mean, deviation: NaN };
  const spread = ((n * squares.scaled()) << SCALE) - s * s;
  // Squares that lost their last bits may fall short by less than any digit that is shown.
  const variance = spread <= 0n ? 0 : ratio(spread, (n * (n - 1n)) << (2n * SCALE));
  return { mean, deviation: Math.sqrt(variance) };
}

/** A fraction as the double next to it. */
function ratio(numerator: bigint, denominator: bigint): number {
  if (numerator < 0n) return -ratio(-numerator, denominator);
  if (numerator === 0n) return 0;
  const excess = bitLength(numerator) - bitLength(denominator) - 64;
  const [n, d] = excess > 0
    ? [numerator, denominator << BigInt(excess)]
    : [numerator << BigInt(-excess), denominator];
  const quotient = n / d;
  // What the division cut decides whether the last of 64 bits is a tie.
  const sticky = quotient * d === n ? quotient : quotient | 1n;
  const half = Math.trunc(excess / 2);
  return Number(sticky) * 2 ** half * 2 ** (excess - half);
}

function bitLength(value: bigint): number {
  return value.toString(16).length * 4;
}
