import type { ReplanPolicy, ReplanTrigger } from "planloom/runtime";
import { CliError, CliErrorCode } from "./errors.ts";

/** Those that need no number. */
const triggers: readonly string[] = ["failure", "output", "marked", "resource", "budget"] satisfies ReplanTrigger[];
const usage = `${triggers.join(", ")}, every=N, deadline=SECONDS, remaining`;

/**
 * Reads `--replan failure,resource,every=3,deadline=60,remaining`: when to replan, and with `remaining` that all that has not
 * begun may change along. @throws CliError USAGE
 */
export function parseReplanPolicy(text: string, maxReplans: number | undefined): ReplanPolicy {
  const on: ReplanTrigger[] = [];
  let policy: ReplanPolicy = maxReplans === undefined ? {} : { maxReplans };
  for (const word of text.split(",").map((each) => each.trim())) {
    const [name = "", value] = word.split("=", 2);
    const amount = Number(value);
    if (value === undefined && triggers.includes(name)) on.push(name as ReplanTrigger);
    else if (value === undefined && name === "remaining") policy = { ...policy, scope: "remaining" };
    else if (name === "every" && Number.isInteger(amount) && amount >= 1) policy = { ...policy, every: amount };
    else if (name === "deadline" && amount > 0) {
      on.push("deadline");
      policy = { ...policy, deadlineMs: amount * 1_000 };
    } else {
      throw new CliError(CliErrorCode.USAGE, `Expected --replan to be made of ${usage}; got ${JSON.stringify(word)}.`, {
        details: { option: "--replan" },
      });
    }
  }
  return on.length === 0 && policy.scope === "remaining" && policy.every === undefined
    ? { ...policy, on: ["failure"] }
    : { ...policy, ...((on.length > 0 || policy.every === undefined) && { on }) };
}
