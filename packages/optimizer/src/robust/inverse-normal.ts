/**
 * The normal deviate that is larger than a share `chance` of all, by the rational approximation of Acklam (2003); relative error below 1.2e-9.
 * @param chance in (0, 1).
 */
export function inverseNormal(chance: number): number {
  if (chance < TAIL) return tail(Math.sqrt(-2 * Math.log(chance)));
  if (chance > 1 - TAIL) return -tail(Math.sqrt(-2 * Math.log(1 - chance)));
  const q = chance - 0.5;
  const r = q * q;
  const above =
    ((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.357751867269) * r -
      30.66479806614716) *
      r +
    2.506628277459239;
  const below =
    ((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r -
      13.28068155288572) *
      r +
    1;
  return (above * q) / below;
}

const TAIL = 0.02425;

function tail(q: number): number {
  return (
    (((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734) * q +
      4.374664141464968) *
      q +
      2.938163982698783) /
    ((((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1)
  );
}
