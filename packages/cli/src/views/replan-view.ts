import type { RunResult, TaskData } from "planloom";
import { diffPlans, renderDiff } from "planloom/plan";
import { plainLine, type Style } from "../terminal/style.ts";
import { section } from "./heading.ts";

/** What a run changed of its plan: how often and why, and how the plan differs now. */
export function replanView(
  before: TaskData,
  { plan, revisions = [] }: Pick<RunResult, "plan" | "revisions">,
  style: Style,
): string {
  const count = revisions.length === 1 ? "once" : `${revisions.length} times`;
  const reasons = revisions.flatMap(({ patch }) => (patch.reason === undefined ? [] : [plainLine(patch.reason)]));
  const diff = renderDiff(diffPlans(before, plan), { unicode: style.unicode });
  return (
    section("Replanned", count, style) +
    diff.replace(/^(?=.)/gm, "  ") +
    reasons.map((reason) => `  ${style.paint("dim", reason)}\n`).join("")
  );
}
