import { nearestNames, type TaskData, type TaskDataInput, variableNames } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";

/** How alike a name is to one of the plan's that is surely meant: `start_date` and `date` are two things. */
const misspelt = 0.8;
const maxNamesInMessage = 10;

/**
 * Refuses a variable that the plan neither declares nor refers to: its value would change nothing, so its name is probably misspelt. O(1) where the
 * plan declares all of them, else O(plan).
 * @param plan `given` as it was read, whose variables may have been replaced
 * @throws RuntimeError INVALID_OPTION with `details`: `option`, `name`, `candidates`
 */
export function checkVariables(given: TaskDataInput, plan: TaskData, variables: object = {}): void {
  const own = given.variables ?? {};
  const undeclared = Object.keys(variables).filter((name) => !Object.hasOwn(own, name));
  if (undeclared.length === 0) return;
  const known = variableNames({ planned_tasks: plan.planned_tasks, variables: own });
  const unknown = undeclared.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const { names, score } = nearestNames(unknown, known);
  const shown = known.slice(0, maxNamesInMessage).join(", ");
  const has = known.length === 0 ? "The plan has none." : `The plan has ${shown}.`;
  const hint = score < misspelt ? has : `Did you mean ${JSON.stringify(names[0])}?`;
  throw new RuntimeError(
    RuntimeErrorCode.INVALID_OPTION,
    `Expected \`variables\` to be variables of the plan, got ${JSON.stringify(unknown)}. ${hint}`,
    { details: { option: "variables", name: unknown, candidates: names } },
  );
}
