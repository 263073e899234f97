import type { Planloom } from "planloom";
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
  const own = given ?? (what === "goal" ? "writes" : "destructive");
  if (typeof own === "string" && ranks[wanted] >= ranks[own]) return wanted;
  const asked = typeof own === "string" ? `"${own}"` : "a function of the server";
  const message = `\`confirm: "${wanted}"\` asks people less than the server does (${asked}), so it needs a token with the scope "approve".`;
  throw new ServerError(ServerErrorCode.SCOPE, message, { details: { scope: "approve" } });
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
  const message = `\`on_unknown: "${wanted}"\` asks people less than the server does ("${given}"), so it needs a token with the scope "approve".`;
  throw new ServerError(ServerErrorCode.SCOPE, message, { details: { scope: "approve" } });
}
