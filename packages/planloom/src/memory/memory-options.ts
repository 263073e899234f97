import type { RememberedPlan } from "@planloom/embedded";
import type { OptionChecks } from "@planloom/plan";
import { PlanloomError, PlanloomErrorCode } from "../errors.ts";

/** How earlier plans are reused. */
export interface MemoryOptions {
  /** How many plans are remembered at most, at least 1: those of the newest runs, one of each goal. Five times as many completed runs of the tenant are looked at. @default 200 */
  readonly maxPlans?: number | undefined;
  /** How large they are together at most, as JSON, in bytes. @default 4_194_304 (4 MiB) */
  readonly maxBytes?: number | undefined;
  /** Goals that are less alike get no remembered plan: above 0, 1 at most. @default 0.9 */
  readonly minLikeness?: number | undefined;
  /** Whether a language model is shown the plan of a goal that is alike but asks for something else, as an example. @default false */
  readonly examples?: boolean | undefined;
  /** Says of each plan whether it may be reused; asked once for each that is read. @default all of runs that were completed */
  readonly accept?: ((plan: RememberedPlan) => boolean) | undefined;
}

export const memoryOptionChecks = {
  maxPlans: "own",
  maxBytes: "own",
  minLikeness: "own",
  examples: "boolean",
  accept: "function",
} as const satisfies OptionChecks<MemoryOptions>;

/** @throws PlanloomError OPTION */
export function checkMemoryBounds(options: MemoryOptions): void {
  for (const name of ["maxPlans", "maxBytes"] as const) {
    const value = options[name];
    if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) continue;
    throw wrong(name, "an integer of at least 1", value);
  }
  const { minLikeness = 1 } = options;
  if (!(typeof minLikeness === "number" && minLikeness > 0 && minLikeness <= 1))
    throw wrong("minLikeness", "a number above 0, 1 at most", minLikeness);
}

function wrong(name: string, expected: string, value: unknown): PlanloomError {
  const message = `Expected \`memory.${name}\` to be ${expected}, got \`${String(value)}\` (${typeof value}).`;
  return new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: `memory.${name}` } });
}
