/**
 * Student's distribution: shares and quantiles, by the regularised incomplete beta function
 * (Abramowitz and Stegun 26.7.1, 6.6.2; its continued fraction by Lentz's method).
 * @module
 */

const MAX_TERMS = 300;
const TINY_NUMBER = 1e-300;
const EPSILON = 1e-15;

/** Share of Student's distribution below t. @param degrees Degrees of freedom, above 0. */
export function studentShare(t: number, degrees: number): number {
  if (Number.isNaN(t) || !(degrees > 0)) return NaN;
  if (!Number.isFinite(t)) return t > 0 ? 1 : 0;
  const tail = incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2;
  return t > 0 ? 1 - tail : tail;
}

/** The quantile t of a share of the distribution. */
export function studentQuantile(share: number, degrees: number): number {
  if (!(share > 0 && share < 1) || !(degrees > 0)) return NaN;
  if (share < 0.5) return -studentQuantile(1 - share, degrees);
  let [low, high] = [0, 1];
  while (studentShare(high, degrees) < share) [low, high] = [high, high * 2];
  for (let i = 0; i < 100 && high - low > 1e-12 * high; i++) {
    const middle = (low + high) / 2;
    if (studentShare(middle, degrees) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast on this side only.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const scale = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) +
    b * Math.log1p(-x);
  let [c, d] = [1, 1 / nonZero(1 - (a + b) * x / (a + 1))];
  let fraction = d;
  for (let m = 1; m <= MAX_TERMS; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 / nonZero(1 + term * d);
      c = nonZero(1 + term / c);
      change = c * d;
      fraction *= change;
    }
    if (Math.abs(change - 1) < EPSILON) break;
  }
  return Math.exp(scale) * fraction / a;
}

function nonZero(value: number): number {
  return Math.abs(value) < TINY_NUMBER ? TINY_NUMBER : value;
}

/** Lanczos' approximation with nine terms, to 1e-14. */
function logGamma(x: number): number {
  const terms = [
    ...[676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059],
    ...[12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7],
  ];
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const sum = terms.reduce((all, term, i) => all + term / (x + i), 0.99999999999980993);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}
