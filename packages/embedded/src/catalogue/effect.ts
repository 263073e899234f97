import type { Resource } from "@planloom/plan";
import type { Action } from "../language/text/actions.ts";

/** Whether calling something changes what is outside. */
export type Effect = "reads" | "changes" | "unknown";

const changing: ReadonlySet<Action> = new Set<Action>(["create", "update", "delete", "send"]);

/** By what the resource says of itself, else by the verbs of its name: `get_…` reads, `delete_…` changes, `check_…` may do either. */
export function effectOf({ read_only, destructive }: Resource, actions: ReadonlySet<Action>): Effect {
  if (read_only === true) return "reads";
  if (destructive === true || read_only === false) return "changes";
  if (actions.size === 0) return "unknown";
  if ([...actions].every((action) => action === "read")) return "reads";
  return [...actions].every((action) => changing.has(action)) ? "changes" : "unknown";
}
