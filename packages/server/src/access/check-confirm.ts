import type { Planloom } from "planloom";
import type { StoredRun } from "planloom/runtime";
import { ServerError, ServerErrorCode } from "../errors.ts";
import type { Caller } from "./tokens.ts";

type Level = "writes" | "destructive" | "never";

/** How much a person is asked. */
const ranks: Readonly<Record<Level, number>> = { never: 0, destructive: 1, writes: 2 };

/**
 * What a request may say about which calls are confirmed: who may not approve calls may not have them made unasked either.
 * @param wanted of the request
 * @param given of the instance
 * @throws ServerError SCOPE
 */
export function checkConfirm(
  wanted: Level | undefined,
  what: "goal" | "plan",
  given: Planloom["confirm"],
  caller: Caller,
): Level | undefined {
  if (wanted === undefined || caller.scopes.has("approve")) return wanted;
  const asked = whatIsAsked(wanted, given ?? (what === "goal" ? "writes" : "destructive"));
  if (asked === undefined) return wanted;
  throw needsApprove(`\`confirm: "${wanted}"\` asks people less than the server does (${asked})`);
}

/**
 * Refuses a fork or a replan of a run that asks people less than the server does, as somebody with the scope `approve` began it: its calls would be made again, or
 * others, unasked. It may be resumed as it is.
 * @param options those that the run was begun with @param given of the instance
 * @throws ServerError SCOPE
 */
export function checkKeptConfirm(
  { run_id, options }: Pick<StoredRun, "run_id" | "options">,
  given: Planloom["confirm"],
  caller: Caller,
): void {
  const { confirm = "never" } = options;
  if (caller.scopes.has("approve") || confirm === "function") return;
  // The plan is known by now, also where it was made for a goal.
  const asked = whatIsAsked(confirm, given ?? "destructive");
  if (asked === undefined) return;
  throw needsApprove(
    `Run ${run_id} was begun with \`confirm: "${confirm}"\`, which asks people less than the server does (${asked}), and this would have it make calls again, or others`,
  );
}

/** What the server has people asked about, where that is more than what is wanted. */
function whatIsAsked(wanted: Level, own: NonNullable<Planloom["confirm"]>): string | undefined {
  if (typeof own !== "string") return "a function of the server";
  return ranks[wanted] >= ranks[own] ? undefined : `"${own}"`;
}

function needsApprove(why: string): ServerError {
  const message = `${why}, so it needs a token with the scope "approve".`;
  return new ServerError(ServerErrorCode.SCOPE, message, { details: { scope: "approve" } });
}

type Unknown = "ask" | "retry" | "fail";

/** How much becomes of a call of unknown outcome without a person's word. */
const caution: Readonly<Record<Unknown, number>> = { retry: 0, ask: 1, fail: 2 };

/**
 * What a request may say about calls of which it is unknown whether they were carried out: who may not approve calls may not have them made a
 * second time unasked.
 * @param wanted of the request @param given of the instance
 * @throws ServerError SCOPE
 */
export function checkUnknown(wanted: Unknown | undefined, given: Unknown, caller: Caller): Unknown | undefined {
  if (wanted === undefined || caller.scopes.has("approve") || caution[wanted] >= caution[given]) return wanted;
  throw needsApprove(`\`on_unknown: "${wanted}"\` asks people less than the server does ("${given}")`);
}
