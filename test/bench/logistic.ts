/** One observation: features with their values, the sort that picks a second set of weights, and the truth. */
export interface Row {
  readonly features: readonly (readonly [name: string, value: number])[];
  readonly sort: number;
  readonly right: boolean;
  readonly weight: number;
}

const rounds = 260;
const rate = 0.25;

/**
 * Logistic regression by full-batch gradient descent with AdaGrad (Duchi et al., JMLR 2011) and a ridge; the weights of
 * single sorts are held closer to 0 than those of all. Deterministic. O(rounds x non-zero features).
 * @returns by feature: the weight for all, then for each sort; rounded, without what does nothing
 */
export function learnLogistic(
  rows: readonly Row[],
  width: number,
): { weights: Record<string, number[]>; loss: number; positives: number } {
  const index = new Map<string, number>();
  const packed = rows.map(({ features, sort }) => {
    const at: number[] = [];
    const values: number[] = [];
    for (const [name, value] of features) {
      let own = index.get(name);
      if (own === undefined) {
        own = index.size;
        index.set(name, own);
      }
      at.push(own * width, own * width + 1 + sort);
      values.push(value, value);
    }
    return { at: Int32Array.from(at), values: Float64Array.from(values) };
  });
  const size = index.size * width;
  const weights = new Float64Array(size);
  const squares = new Float64Array(size).fill(1e-6);
  let loss = 0;
  const total = rows.reduce((sum, row) => sum + row.weight, 0) || 1;
  for (let round = 0; round < rounds; round += 1) {
    const gradient = new Float64Array(size);
    loss = 0;
    packed.forEach(({ at, values }, row) => {
      let sum = 0;
      for (let each = 0; each < at.length; each += 1) sum += weights[at[each]!]! * values[each]!;
      const chance = 1 / (1 + Math.exp(-sum));
      const truth = rows[row]!.right ? 1 : 0;
      const own = rows[row]!.weight;
      loss -= own * Math.log(Math.max(1e-9, truth === 1 ? chance : 1 - chance));
      const error = own * (chance - truth);
      for (let each = 0; each < at.length; each += 1) gradient[at[each]!]! += error * values[each]!;
    });
    for (let each = 0; each < size; each += 1) {
      const ridge = each % width === 0 ? 2 : 10;
      const slope = gradient[each]! + ridge * weights[each]!;
      squares[each]! += slope * slope;
      weights[each]! -= (rate * slope) / Math.sqrt(squares[each]!);
    }
  }
  const result: Record<string, number[]> = {};
  for (const [name, at] of index) {
    const own = [...weights.subarray(at * width, (at + 1) * width)].map((value) => Math.round(100 * value) / 100 + 0);
    while (own.at(-1) === 0) own.pop();
    if (own.some((value) => Math.abs(value) >= 0.02)) result[name] = own;
  }
  return { weights: result, loss: loss / total, positives: rows.filter((row) => row.right).length };
}
