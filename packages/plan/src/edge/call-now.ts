import { describeValue } from "../dialects/dialect-error.ts";
import { callbackError, thrownText } from "./callback-error.ts";
import { ignoreRejection, isThenable } from "./promises.ts";

/**
 * Calls a function of the user's whose result is needed synchronously.
 * @param callback its name as the user knows it: `guards.classify`
 * @param expected what it has to return, for the message: `"discovery" or "execution"`
 * @throws PlanError CALLBACK when it throws, returns a promise (whose rejection is then ignored), or returns any other value that
 *   `accepts` refuses
 */
export function callNow<Value>(
  callback: string,
  call: () => unknown,
  expected: string,
  accepts: (value: unknown) => value is Value,
): Value {
  let value: unknown;
  try {
    value = call();
  } catch (cause) {
    throw callbackError(callback, "threw", `\`${callback}\` threw: ${thrownText(cause)}`, { cause });
  }
  if (isThenable(value)) {
    ignoreRejection(value);
    const message = `Expected \`${callback}\` to give ${expected} at once, got a promise. It is called synchronously, so it cannot be async.`;
    throw callbackError(callback, "promise", message);
  }
  if (isAccepted(value, accepts)) return value;
  throw callbackError(callback, "answer", `Expected \`${callback}\` to give ${expected}, got ${described(value)}.`);
}

function isAccepted<Value>(value: unknown, accepts: (value: unknown) => value is Value): value is Value {
  try {
    return accepts(value);
  } catch {
    // A getter of the answer throws.
    return false;
  }
}

function described(value: unknown): string {
  try {
    return describeValue(value);
  } catch {
    return "an object that cannot be inspected";
  }
}
