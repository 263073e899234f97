import { type Confirm, type Planloom, PlanloomError, PlanloomErrorCode, type PlanStore } from "planloom";
import type { Logger } from "planloom/options";
import { type OptionChecks, optionChecker } from "planloom/plan";

export interface PlanServerOptions {
  /** Where plans are kept between two calls. @default in memory */
  readonly plans?: PlanStore | undefined;
  /** Which calls of a plan a person confirms: no person has seen the plan. @default what `planloom` says, else "writes" */
  readonly confirm?: Confirm | undefined;
  /** The tenant that the runs count for. Runs of others are not found then. @default none, and every run of the journal is found */
  readonly tenant?: string | undefined;
  /**
   * Whether `plan_approve` takes the answer from the model's call where the client cannot ask a person. A model could then approve what
   * it was talked into; do this only where the host asks its user about each call of the tool. @default false
   */
  readonly approveByCall?: boolean | undefined;
  /**
   * How long a call may run before a client that knows tasks (`io.modelcontextprotocol/tasks`) is given one in place of the result, in
   * milliseconds; 0 gives it one at once. Other clients wait for the result. @default 2_000
   */
  readonly taskAfterMs?: number | undefined;
  /** Where errors are written that the caller can do nothing about; the caller gets the id of the line. @default the logger of `planloom` */
  readonly log?: Pick<Logger, "error"> | undefined;
}

/** @throws PlanloomError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new PlanloomError(PlanloomErrorCode.OPTION, message, { details }),
);

export const planServerChecks = {
  plans: "object",
  confirm: { either: [["writes", "destructive", "never"], "function"] },
  tenant: "name",
  approveByCall: "boolean",
  taskAfterMs: "nonNegative",
  log: { method: "error", expected: "an object with a method `error`, such as a logger of pino" },
} as const satisfies OptionChecks<PlanServerOptions>;

/** @throws PlanloomError OPTION */
export function checkPlanloom(of: string, planloom: Planloom): void {
  if (typeof planloom?.draft === "function") return;
  throw new PlanloomError(PlanloomErrorCode.OPTION, `Expected a Planloom as the first argument of ${of}.`, {
    details: { option: "planloom" },
  });
}
