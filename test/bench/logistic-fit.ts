/** One observation: what is known, by name, and the truth. */
export interface Observation<Name extends string> {
  readonly evidence: Readonly<Record<Name, number>>;
  readonly right: boolean;
  readonly weight: number;
}

/** By name what a unit of evidence adds to the log-odds; `bias` for all. */
export type Fit<Name extends string> = Readonly<Partial<Record<Name, number>>> & { readonly bias: number };

const rounds = 25;
const precision = 1e-7;

export function chanceOf<Name extends string>(fit: Fit<Name>, evidence: Readonly<Record<Name, number>>): number {
  const odds = Object.entries<number>(fit).reduce(
    (sum, [name, weight]) => sum + weight * (name === "bias" ? 1 : evidence[name as Name]),
    0,
  );
  return 1 / (1 + Math.exp(-odds));
}

/**
 * Logistic regression with a ridge on standardised evidence, by Newton's method. Deterministic; O(rounds x observations x names²).
 * @param ridge how strongly weights are held to 0, in observations
 */
export function fitLogistic<Name extends string>(
  data: readonly Observation<Name>[],
  names: readonly Name[],
  ridge: number,
): Fit<Name> {
  const total = data.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (value: (each: Observation<Name>) => number) =>
    data.reduce((sum, each) => sum + each.weight * value(each), 0) / total;
  const scales = names.map((name) => {
    const middle = mean(({ evidence }) => evidence[name]);
    const spread = Math.sqrt(mean(({ evidence }) => (evidence[name] - middle) ** 2));
    return { name, middle, spread: spread || 1 };
  });
  const rows = data.map(({ evidence }) =>
    Float64Array.from([1, ...scales.map(({ name, middle, spread }) => (evidence[name] - middle) / spread)]),
  );
  const weights = new Float64Array(names.length + 1);
  for (let round = 0; round < rounds; round += 1) {
    const system = Array.from(weights, () => new Float64Array(weights.length + 1));
    rows.forEach((row, at) => {
      const { weight, right } = data[at]!;
      const chance = 1 / (1 + Math.exp(-row.reduce((sum, value, each) => sum + value * weights[each]!, 0)));
      const error = weight * (chance - Number(right));
      const curvature = weight * chance * (1 - chance);
      for (let left = 0; left < row.length; left += 1) {
        system[left]![row.length]! += error * row[left]!;
        for (let other = 0; other < row.length; other += 1)
          system[left]![other]! += curvature * row[left]! * row[other]!;
      }
    });
    system.forEach((line, at) => {
      // The bias is free; a hair of ridge keeps the system solvable.
      line[weights.length]! += at === 0 ? 0 : ridge * weights[at]!;
      line[at]! += at === 0 ? 1e-9 : ridge;
    });
    const steps = solve(system);
    steps.forEach((step, at) => {
      weights[at]! -= step;
    });
    if (steps.every((step) => Math.abs(step) < precision)) break;
  }
  const own = scales.map(({ name, spread }, at) => [name, weights[at + 1]! / spread] as const);
  const bias = scales.reduce((sum, { middle, spread }, at) => sum - (weights[at + 1]! * middle) / spread, weights[0]!);
  return { ...Object.fromEntries(own), bias } as Fit<Name>;
}

/** Gauss-Jordan elimination; the last column is the right side. The systems here are positive definite. */
function solve(system: readonly Float64Array[]): number[] {
  system.forEach((pivot, at) => {
    for (const line of system) {
      if (line === pivot) continue;
      const factor = line[at]! / pivot[at]!;
      if (factor !== 0) for (let each = at; each < line.length; each += 1) line[each]! -= factor * pivot[each]!;
    }
  });
  return system.map((line, at) => line.at(-1)! / line[at]!);
}

/** Mean log loss of forecasts, by weight. */
export function logLoss(
  forecasts: readonly { readonly chance: number; readonly right: boolean; readonly weight: number }[],
): number {
  const total = forecasts.reduce((sum, { weight }) => sum + weight, 0);
  return forecasts.reduce((sum, { chance, right, weight }) => {
    return sum - (weight * Math.log(Math.max(1e-6, right ? chance : 1 - chance))) / total;
  }, 0);
}

/**
 * Evidence that lowers the loss most is taken one by one, until no further one lowers it by `minGain` (forward selection).
 * @param lossOf the cross-validated loss with some evidence
 */
export function selectEvidence<Name extends string>(
  names: readonly Name[],
  lossOf: (chosen: readonly Name[]) => number,
  minGain: number,
): Name[] {
  let chosen: Name[] = [];
  let loss = lossOf(chosen);
  for (;;) {
    const tries = names
      .filter((name) => !chosen.includes(name))
      .map((name) => ({ name, loss: lossOf([...chosen, name]) }));
    const [best] = tries.sort((left, right) => left.loss - right.loss);
    if (best === undefined || best.loss > loss - minGain) return chosen;
    chosen = [...chosen, best.name];
    loss = best.loss;
  }
}
