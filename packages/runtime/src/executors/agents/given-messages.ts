import type { ModelMessage } from "@planloom/controller";
import { callNow, isRecord } from "@planloom/plan";

const roles: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"]);

/**
 * The messages that a function of the caller's makes for an agent or a step led by a model.
 * @throws PlanError CALLBACK where it throws or gives no list of messages
 */
export function givenMessages(make: () => unknown): readonly ModelMessage[] {
  return callNow("messages", make, "a list of messages ({ role, content: texts })", isMessageList);
}

function isMessageList(value: unknown): value is readonly ModelMessage[] {
  return (
    Array.isArray(value) &&
    value.every((each: unknown) => isRecord(each) && roles.has(each.role) && typeof each.content === "string")
  );
}
