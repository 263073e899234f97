import { isRecord } from "@planloom/plan";

/** Shapes nest at most this deep in the wild; deeper is not looked into. */
const maxDepth = 4;

export type Unwrapped = { readonly payload: unknown } | { readonly refusal: string };

/**
 * Takes the envelopes off a controller's data: `{success, data}` (the Agents Planning System's planner document) and
 * `{status, processed_data}` (its controller document), in any nesting. An envelope that says no is a refusal.
 */
export function unwrapReply(data: unknown): Unwrapped {
  let payload = data;
  for (let depth = 0; depth < maxDepth && isRecord(payload); depth += 1) {
    if (typeof payload.success === "boolean" && ("data" in payload || !payload.success)) {
      if (!payload.success) return { refusal: messageOf(payload) };
      payload = payload.data;
    } else if (Object.hasOwn(payload, "processed_data")) {
      if (saysNo(payload.status)) return { refusal: messageOf(payload) };
      payload = payload.processed_data;
    } else if (saysNo(payload.status) && typeof payload.message === "string" && !Array.isArray(payload.planned_tasks)) {
      return { refusal: messageOf(payload) };
    } else break;
  }
  return { payload };
}

function saysNo(status: unknown): boolean {
  return typeof status === "string" && /^(error|fail(ed|ure)?)$/i.test(status);
}

function messageOf({ message, error }: Record<string, unknown>): string {
  const text = [message, error].find((part) => typeof part === "string" && part !== "");
  return typeof text === "string" ? text : "The controller refused without saying why.";
}
