/** A forecast and what came of it. */
export interface Forecast {
  readonly chance: number;
  readonly right: boolean;
}

export interface Bin {
  readonly from: number;
  readonly count: number;
  readonly chance: number;
  readonly right: number;
}

/** Reliability by bins of equal width. */
export function reliability(forecasts: readonly Forecast[], bins = 5): Bin[] {
  return Array.from({ length: bins }, (_, at) => {
    const own = forecasts.filter(({ chance }) => Math.min(bins - 1, Math.floor(chance * bins)) === at);
    const mean = (value: (each: Forecast) => number) =>
      own.reduce((sum, each) => sum + value(each), 0) / Math.max(1, own.length);
    return {
      from: at / bins,
      count: own.length,
      chance: mean(({ chance }) => chance),
      right: mean(({ right }) => Number(right)),
    };
  });
}

/** Expected calibration error (Naeini et al., AAAI 2015): how far chances and shares lie apart, by bin, weighed by size. */
export function calibrationError(forecasts: readonly Forecast[], bins = 10): number {
  const total = Math.max(1, forecasts.length);
  return reliability(forecasts, bins).reduce(
    (sum, bin) => sum + (bin.count / total) * Math.abs(bin.chance - bin.right),
    0,
  );
}

/** Mean squared error of the chances. */
export const brier = (forecasts: readonly Forecast[]): number =>
  forecasts.reduce((sum, { chance, right }) => sum + (chance - Number(right)) ** 2, 0) / Math.max(1, forecasts.length);

/** How often a plan that is right has the higher chance than one that is not: area under the ROC curve. */
export function ranking(forecasts: readonly Forecast[]): number {
  const wrong = forecasts.filter(({ right }) => !right);
  const right = forecasts.filter((each) => each.right);
  let wins = 0;
  for (const one of right)
    for (const other of wrong) wins += one.chance > other.chance ? 1 : one.chance === other.chance ? 0.5 : 0;
  return wins / Math.max(1, right.length * wrong.length);
}

/** The table of `reliability` with its measures in a line. */
export function reliabilityTable(forecasts: readonly Forecast[]): string {
  const percent = (value: number) => (100 * value).toFixed(1);
  const rows = reliability(forecasts).map(({ from, count, chance, right }) =>
    [`${from.toFixed(1)}-${(from + 0.2).toFixed(1)}`, String(count), percent(chance), percent(right)]
      .map((cell) => cell.padStart(10))
      .join(""),
  );
  const head = ["confidence", "plans", "said", "right"].map((cell) => cell.padStart(10)).join("");
  const measures = `expected calibration error ${percent(calibrationError(forecasts))}, Brier score ${brier(forecasts).toFixed(3)}, area under the ROC curve ${ranking(forecasts).toFixed(2)}`;
  return [head, ...rows, measures].join("\n");
}
