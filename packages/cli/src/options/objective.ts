import type { ManualOptimizerOptions } from "planloom/optimizer";
import { CliError, CliErrorCode } from "../errors.ts";

type Weights = NonNullable<ManualOptimizerOptions["objective"]>;

/** The names of the weights of `--objective`, and the unit of each. */
export const objectiveNames: Readonly<Record<string, { readonly weight: keyof Weights; readonly unit: string }>> = {
  tokens: { weight: "perToken", unit: "prompt token" },
  price: { weight: "perPrice", unit: "unit of money" },
  bytes: { weight: "perCutByte", unit: "byte between subgraphs" },
  rework: { weight: "perReworkMs", unit: "millisecond of expected rework" },
  blast: { weight: "perBlastTask", unit: "task of the mean blast radius" },
};

/**
 * Weights from `tokens=0.5,rework=1`: milliseconds of makespan that one unit of each is worth.
 * @throws CliError USAGE
 */
export function readObjective(text: string): Weights {
  const weights: { -readonly [name in keyof Weights]: Weights[name] } = {};
  for (const pair of text.split(",")) {
    const [name = "", value = ""] = pair.split("=").map((part) => part.trim());
    const known = Object.hasOwn(objectiveNames, name) ? objectiveNames[name] : undefined;
    const worth = value === "" ? Number.NaN : Number(value);
    if (known === undefined || !(Number.isFinite(worth) && worth >= 0)) {
      const expected = Object.keys(objectiveNames).join(", ");
      throw new CliError(
        CliErrorCode.USAGE,
        `--objective: expected name=milliseconds with one of ${expected}, got ${JSON.stringify(pair)}.`,
        { hint: "For example: --objective tokens=0.5,rework=1", details: { option: "--objective" } },
      );
    }
    weights[known.weight] = worth;
  }
  return weights;
}
