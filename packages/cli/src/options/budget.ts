import type { Option } from "commander";
import type { Budget } from "planloom/runtime";
import { CliError, CliErrorCode } from "../errors.ts";
import { runFlag } from "./run-flags.ts";

export interface BudgetOptions {
  /** `calls=50,tokens=100000`, which was read once already. */
  readonly budget?: string;
}

/** `--budget` of a command that executes one run. It is checked before anything is planned. */
export function budgetOption(): Option {
  return runFlag("budgets").argParser((text: string) => {
    readBudget(text);
    return text;
  });
}

/** What `--budget` says, as an option of a run. */
export function budgetGiven({ budget }: BudgetOptions): { budgets?: { run: Budget } } {
  return budget === undefined ? {} : { budgets: { run: readBudget(budget) } };
}

const units = ["calls", "tokens", "cost", "seconds"] as const satisfies readonly (keyof Budget)[];

/** A budget from `calls=50,tokens=100000`. @throws CliError USAGE */
export function readBudget(text: string): Budget {
  const budget: { -readonly [Unit in keyof Budget]: Budget[Unit] } = {};
  for (const pair of text.split(",")) {
    const [name = "", value = ""] = pair.split("=").map((part) => part.trim());
    const unit = units.find((each) => each === name);
    const amount = value === "" ? Number.NaN : Number(value);
    if (unit === undefined || !(Number.isFinite(amount) && amount >= 0)) {
      const message = `--budget: expected name=amount with one of ${units.join(", ")}, got ${JSON.stringify(pair)}.`;
      throw new CliError(CliErrorCode.USAGE, message, {
        hint: "For example: --budget calls=50,tokens=200000",
        details: { option: "--budget" },
      });
    }
    budget[unit] = amount;
  }
  return budget;
}
