/** What speaks for or against a value, as numbers whose weights are learned (`weights.ts`). */
export type Features = (readonly [name: string, value: number])[];

/** Where a value may come from. */
export const groups = ["text", "number", "list", "date", "choice", "flag", "field", "before", "example"] as const;
export type Group = (typeof groups)[number];

/** By group and feature: the weight for all parameters, then what each sort adds. */
export type Weights = Readonly<Partial<Record<Group, Readonly<Record<string, readonly number[]>>>>>;

/**
 * Reads a table of weights: `[group]`, then a line a feature: its name, `|`, the weight for all and for each sort.
 * Trailing zeros are left out.
 */
export function readWeights(table: string): Weights {
  const found: Partial<Record<Group, Record<string, readonly number[]>>> = {};
  let own: Record<string, readonly number[]> = {};
  for (const line of table.split("\n")) {
    const group = groups.find((each) => line === `[${each}]`);
    if (group !== undefined) {
      own = {};
      found[group] = own;
      continue;
    }
    const [name, numbers] = line.split("|");
    if (name !== undefined && numbers !== undefined) own[name] = numbers.split(" ").map(Number);
  }
  return found;
}

/** What features add to the log-odds of a value. */
export function logOdds(group: Group, sort: number, features: Features, table: Weights): number {
  const own = table[group] ?? {};
  let sum = 0;
  for (const [name, value] of features) {
    const weight = own[name];
    if (weight !== undefined) sum += value * ((weight[0] ?? 0) + (weight[sort + 1] ?? 0));
  }
  return sum;
}

/** How likely a value is right, 0 to 1: logistic regression over its features. */
export const chance = (odds: number): number => 1 / (1 + Math.exp(-odds));
