/** What one argument could take: at most one is to be taken, several may be right. */
export interface ChoiceSet {
  readonly options: readonly Option[];
  readonly weight: number;
}

export interface Option {
  /** Options of one group share their weights. */
  readonly group: string;
  readonly features: readonly (readonly [name: string, value: number])[];
  /** Picks a second set of weights. */
  readonly sort: number;
  readonly right: boolean;
}

export interface Learned {
  /** By group and feature: the weight for all, then for each sort; rounded, without what does nothing. */
  readonly weights: Record<string, Record<string, number[]>>;
  /** Mean, in nats a set. */
  readonly loss: number;
}

const rounds = 260;
const rate = 0.25;
const ridges = { all: 2, sorts: 10 } as const;

/**
 * Multinomial logistic regression: of all options, and of taking none (score 0), those that are right should have the
 * whole probability. Full-batch gradient descent with AdaGrad (Duchi et al., JMLR 2011) and a ridge; the weights of
 * single sorts are held closer to 0 than those of all. Deterministic. O(rounds x non-zero features).
 * @param width sorts + 1
 */
export function learnChoices(sets: readonly ChoiceSet[], width: number): Learned {
  const index = new Map<string, number>();
  const at: number[] = [];
  const values: number[] = [];
  const ends: number[] = [];
  const rights: boolean[] = [];
  const last: number[] = [];
  for (const { options } of sets) {
    for (const { group, features, sort, right } of options) {
      for (const [name, value] of features) {
        const slot = `${group}|${name}`;
        const own = index.get(slot) ?? index.size;
        index.set(slot, own);
        at.push(own * width, own * width + 1 + sort);
        values.push(value, value);
      }
      ends.push(at.length);
      rights.push(right);
    }
    last.push(ends.length);
  }
  const places = Int32Array.from(at);
  const amounts = Float64Array.from(values);
  const weights = new Float64Array(index.size * width);
  const squares = new Float64Array(weights.length).fill(1e-6);
  const scores = new Float64Array(ends.length);
  let loss = 0;
  for (let round = 0; round < rounds; round += 1) {
    const gradient = new Float64Array(weights.length);
    loss = 0;
    let first = 0;
    sets.forEach(({ weight }, set) => {
      const end = last[set]!;
      let highest = 0;
      for (let option = first; option < end; option += 1) {
        let score = 0;
        for (let each = ends[option - 1] ?? 0; each < ends[option]!; each += 1)
          score += weights[places[each]!]! * amounts[each]!;
        scores[option] = score;
        highest = Math.max(highest, score);
      }
      let all = Math.exp(-highest);
      let right = 0;
      for (let option = first; option < end; option += 1) {
        const share = Math.exp(scores[option]! - highest);
        scores[option] = share;
        all += share;
        if (rights[option]) right += share;
      }
      const wanted = right > 0 ? right : Math.exp(-highest);
      loss -= weight * Math.log(Math.max(1e-12, wanted / all));
      for (let option = first; option < end; option += 1) {
        const share = scores[option]!;
        const slope = weight * (share / all - (rights[option] ? share / wanted : 0));
        if (Math.abs(slope) < 1e-9) continue;
        for (let each = ends[option - 1] ?? 0; each < ends[option]!; each += 1)
          gradient[places[each]!]! += slope * amounts[each]!;
      }
      first = end;
    });
    for (let each = 0; each < weights.length; each += 1) {
      const slope = gradient[each]! + (each % width === 0 ? ridges.all : ridges.sorts) * weights[each]!;
      squares[each]! += slope * slope;
      weights[each]! -= (rate * slope) / Math.sqrt(squares[each]!);
    }
  }
  const table: Record<string, Record<string, number[]>> = {};
  for (const [slot, place] of index) {
    const own = [...weights.subarray(place * width, (place + 1) * width)].map(
      (each) => Math.round(100 * each) / 100 + 0,
    );
    while (own.at(-1) === 0) own.pop();
    if (!own.some((each) => Math.abs(each) >= 0.02)) continue;
    const [group = "", name = ""] = slot.split("|");
    table[group] ??= {};
    table[group][name] = own;
  }
  return { weights: table, loss: loss / (sets.reduce((sum, { weight }) => sum + weight, 0) || 1) };
}
