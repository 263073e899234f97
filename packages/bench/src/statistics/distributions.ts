// Distributions that the tests of the laboratory need, to about twelve digits; test/bench/statistics.test.ts holds them against SciPy.

/** Natural logarithm of the gamma function of a positive number (Lanczos, g = 7). */
function logGamma(x: number): number {
  const coefficients = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  let sum = coefficients[0]!;
  for (let at = 1; at < coefficients.length; at++) sum += coefficients[at]! / (x - 1 + at);
  const base = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(sum);
}

/** Regularized upper incomplete gamma function Q(a, x): a series below a + 1, a continued fraction (Lentz) above. */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const factor = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = a + 1; Math.abs(term) > Math.abs(sum) * 1e-17; n++) {
      term *= x / n;
      sum += term;
    }
    return 1 - sum * factor;
  }
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n < 1000; n++) {
    const an = -n * (n - a);
    b += 2;
    d = 1 / nonZero(an * d + b);
    c = nonZero(b + an / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return factor * value;
}

const nonZero = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);

/** Chance that a chi-squared variable of `freedom` degrees is at least `x`. */
export function chiSquaredTail(x: number, freedom: number): number {
  return upperGamma(freedom / 2, x / 2);
}

/** Chance that a standard normal variable is at least `z`; precise far out as well. */
export function normalTail(z: number): number {
  return z < 0 ? 1 - normalTail(-z) : 0.5 * upperGamma(0.5, (z * z) / 2);
}

/** Regularized incomplete beta function, by its continued fraction (Lentz). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const factor = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let n = 1; n < 1000; n++) {
    const even = (n * (b - n) * x) / ((a + 2 * n - 1) * (a + 2 * n));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    value *= d * c;
    const odd = (-(a + n) * (a + b + n) * x) / ((a + 2 * n) * (a + 2 * n + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return factor * value;
}

/** Chance that an F variable of these degrees of freedom is at least `x`. */
export function fTail(x: number, numerator: number, denominator: number): number {
  if (x === Number.POSITIVE_INFINITY) return 0;
  return incompleteBeta(denominator / (denominator + numerator * x), denominator / 2, numerator / 2);
}

/** The number that Student's t of `freedom` degrees is below with chance `share`, which is from 0.5 to below 1. */
export function studentQuantile(share: number, freedom: number): number {
  const tail = (t: number) => 0.5 * incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
  return invert(tail, 1 - share);
}

/**
 * Chance that the range of `count` standard normal variables is at least `q`: the studentized range with infinite degrees of freedom. By the trapezoidal
 * rule, which is as precise as the numbers for an integrand that falls as fast as this one at both ends.
 */
export function rangeTail(q: number, count: number): number {
  const reach = 8.5;
  const width = 0.05;
  let sum = 0;
  for (let z = -reach; z <= reach; z += width) {
    sum += Math.exp((-z * z) / 2) * (normalTail(z - q) - normalTail(z)) ** (count - 1);
  }
  return Math.max(0, 1 - (count * sum * width) / Math.sqrt(2 * Math.PI));
}

/** The range that `count` standard normal variables exceed with chance `alpha`. */
export function rangeQuantile(alpha: number, count: number): number {
  return invert((q) => rangeTail(q, count), alpha);
}

/** Where a falling function of a number of at least 0 has this value, by bisection. */
function invert(tail: (x: number) => number, value: number): number {
  let low = 0;
  let high = 1;
  while (tail(high) > value && high < 1e12) high *= 2;
  for (let step = 0; step < 200 && high - low > 1e-13 * high; step++) {
    const middle = (low + high) / 2;
    if (tail(middle) > value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
