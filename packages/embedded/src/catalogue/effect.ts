import type { Resource } from "@planloom/plan";
import type { Action } from "../language/text/actions.ts";

/** Whether calling something changes what is outside. */
export type Effect = "reads" | "changes" | "unknown";

/**
 * By what the resource says of itself. Where it says nothing, a verb of its name that can only delete or update changes something, and
 * all else is unknown: names are chosen too freely to conclude more from them.
 */
export function effectOf({ read_only, destructive }: Resource, actions: ReadonlySet<Action>): Effect {
  if (read_only === true) return "reads";
  if (destructive === true || read_only === false) return "changes";
  const changes = actions.size > 0 && [...actions].every((action) => action === "delete" || action === "update");
  return changes ? "changes" : "unknown";
}
