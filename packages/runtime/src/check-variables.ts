import { collectReferences, nearestNames, type TaskData, type TaskDataInput } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";

/**
 * A variable that the plan does not have and no task refers to would change nothing: misspelt, the plan's own value is used in its
 * place. O(1) where the plan has all of them, else O(plan).
 * @throws RuntimeError INVALID_OPTION with `details`: `option`, `name`, `candidates`
 */
export function checkVariables(given: TaskDataInput, plan: TaskData, variables: object = {}): void {
  const own = Object.keys(given.variables ?? {});
  const unknown = Object.keys(variables).filter((name) => !own.includes(name));
  if (unknown.length === 0) return;
  const used = new Set<string>();
  for (const task of plan.planned_tasks) {
    for (const { reference } of collectReferences([task.arguments, task.parameters])) used.add(reference.name);
  }
  const name = unknown.find((each) => !used.has(each));
  if (name === undefined) return;
  const { names, likely } = nearestNames(name, own);
  const has = own.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  const hint = likely === undefined ? has : `perhaps ${JSON.stringify(likely)} is meant`;
  throw new RuntimeError(
    RuntimeErrorCode.INVALID_OPTION,
    `Expected \`variables\` to be variables of the plan, got ${JSON.stringify(name)}; ${hint}.`,
    { details: { option: "variables", name, candidates: names } },
  );
}
