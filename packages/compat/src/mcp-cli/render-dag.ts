import { McpCliPlan, parseRecord, stepDependencies, stepIndices, toolOfStep } from "@planloom/plan/internals";
import { computeBatches } from "./compute-batches.ts";

const titleWidth = 35;
const marks: ReadonlyMap<string, string> = new Map([
  ["pending", "○"],
  ["running", "◉"],
  ["completed", "●"],
  ["failed", "✗"],
]);

/**
 * mcp-cli's picture, exactly: a line a step, a blank line between batches, `∥` on every step of a batch of two or
 * more. It is drawn batch by batch, so that a step is below those it waits for.
 * @param plan its format; a step's `status` or `_status` is pending, running, completed or failed. @default pending
 * @throws PlanError INVALID, and those of `computeBatches`.
 */
export function renderDag(plan: unknown): string {
  const { steps } = parseRecord(McpCliPlan, plan, "a plan with steps");
  if (steps.length === 0) return "  (empty plan)";
  const indices = stepIndices(steps);
  const dependencies = stepDependencies(steps);
  const position = new Map(indices.map((index, at) => [index, at]));
  const blocks = computeBatches(steps).map((batch) =>
    batch
      .map((index) => {
        const at = position.get(index) as number;
        const step = steps[at] as McpCliPlan["steps"][number];
        const mark = marks.get(step.status ?? step._status ?? "pending") ?? "○";
        const title = [...(step.title ?? "Untitled")].slice(0, titleWidth);
        const padding = " ".repeat(titleWidth - title.length);
        const needed = dependencies[at] as string[];
        const after = needed.length === 0 ? "" : `  ← after: ${needed.join(", ")}`;
        const parallel = batch.length > 1 ? " ∥" : "";
        return `  ${mark} ${index}. ${title.join("")}${padding} [${toolOfStep(step) ?? "?"}]${after}${parallel}`;
      })
      .join("\n"),
  );
  return blocks.join("\n\n");
}
