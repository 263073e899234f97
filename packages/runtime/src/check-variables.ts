import { collectReferences, nearestNames, type TaskData, type TaskDataInput } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";

/** How alike a name is to one of the plan's that is surely meant: `start_date` and `date` are two things. */
const misspelt = 0.8;

/**
 * A variable that no task refers to may still be of use to a guard or a replanner; one whose name is nearly that of a variable
 * of the plan is misspelt, and the plan's own value would be used in its place. O(1) where the plan has all of them, else
 * O(plan).
 * @throws RuntimeError INVALID_OPTION with `details`: `option`, `name`, `candidates`
 */
export function checkVariables(given: TaskDataInput, plan: TaskData, variables: object = {}): void {
  const own = Object.keys(given.variables ?? {});
  const unknown = Object.keys(variables).filter((name) => !own.includes(name));
  if (unknown.length === 0 || own.length === 0) return;
  const used = new Set<string>();
  for (const task of plan.planned_tasks) {
    for (const { reference } of collectReferences([task.arguments, task.parameters])) used.add(reference.name);
  }
  for (const name of unknown) {
    if (used.has(name)) continue;
    const { names, score } = nearestNames(name, own);
    if (score < misspelt) continue;
    throw new RuntimeError(
      RuntimeErrorCode.INVALID_OPTION,
      `Expected \`variables\` to be variables of the plan, got ${JSON.stringify(name)}; perhaps ${JSON.stringify(names[0])} is meant.`,
      { details: { option: "variables", name, candidates: names } },
    );
  }
}
