import type { Refusal } from "../language/clauses/refusals.ts";
import type { PlanningState } from "./planning-state.ts";

/** Says why a goal that only tells what is not to be done has no plan. */
export function reportRefused({ start, end }: Refusal, planning: Pick<PlanningState, "text" | "unresolved">): void {
  const text = planning.text.slice(start, end);
  const message = `"${text}" says what is not to be done, and the goal asks for nothing else.`;
  planning.unresolved.push({ reason: "no_resource", text, message });
}
