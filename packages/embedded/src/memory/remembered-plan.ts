import { isRecord, type PlannerTaskInput, type Resource } from "@planloom/plan";
import { isCredential } from "@planloom/plan/internals";
import { splitName } from "../language/text/split-name.ts";
import { planValues, valueSchema } from "./plan-values.ts";

/** A plan that ran to its end, and the goal that it was made for. */
export interface RememberedPlan {
  /** Where it comes from: the id of its run. */
  readonly id: string;
  readonly goal: string;
  readonly tasks: readonly PlannerTaskInput[];
  /** When it was made, ISO 8601: what "tomorrow" meant then. */
  readonly madeAt: string;
  /** IANA name of the zone whose calendar counted. @default the system's */
  readonly timeZone?: string;
}

/** Whether something that was kept elsewhere is such a plan, as far as its form goes. */
export function isRememberedPlan(value: unknown): value is RememberedPlan {
  if (!isRecord(value)) return false;
  const { id, goal, tasks, madeAt } = value;
  return [id, goal, madeAt].every((text) => typeof text === "string") && Array.isArray(tasks) && tasks.every(isRecord);
}

/** What a task names as its executor; undefined where Stage 2 chooses. */
export function resourceName({ tool_id, function_id, agent_id, parameters }: PlannerTaskInput): string | undefined {
  const name = tool_id ?? function_id ?? agent_id ?? (isRecord(parameters) ? parameters.uid : undefined);
  return typeof name === "string" ? name : undefined;
}

export function calledBy(task: PlannerTaskInput, resources: ReadonlyMap<string, Resource>): Resource | undefined {
  return resources.get(resourceName(task) ?? "");
}

/** Whether all that a plan calls is there now, and no text in it is a credential. */
export function isOffered({ tasks }: RememberedPlan, resources: ReadonlyMap<string, Resource>): boolean {
  const isThere = (task: PlannerTaskInput): boolean => {
    const name = resourceName(task);
    return (name === undefined || resources.has(name)) && (task.for_each?.tasks ?? []).every(isThere);
  };
  return (
    tasks.every(isThere) && !planValues(tasks).some((place) => holdsCredential(place, tasks[place.task]!, resources))
  );
}

function holdsCredential(
  place: ReturnType<typeof planValues>[number],
  task: PlannerTaskInput,
  resources: ReadonlyMap<string, Resource>,
): boolean {
  const name = place.path.at(-1);
  if (typeof place.value !== "string" || typeof name !== "string" || place.path[0] === "description") return false;
  const schema = valueSchema(place, calledBy(task, resources)) ?? {};
  if (Array.isArray(schema.enum)) return false;
  return isCredential(splitName(name), String(schema.format ?? ""), schema);
}
