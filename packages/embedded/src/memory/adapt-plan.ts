import type { PlannerTaskInput, Resource } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { EmbeddedError, EmbeddedErrorCode } from "../errors.ts";
import { type ClockOptions, clockChecks, readClock } from "../language/temporal/calendar.ts";
import { type Alignment, align } from "./align.ts";
import { essential, readUnits } from "./goal-units.ts";
import { isTelling, type PlanValue, pathName, valueSchema, withValue } from "./plan-values.ts";
import { calledBy, isOffered, type RememberedPlan, resourceName } from "./remembered-plan.ts";
import { type SaidText, sameText } from "./said-text.ts";
import { isSettled, type PlanTemplate, readTemplate } from "./template.ts";

/** A value of the plan that the new goal says otherwise. */
export interface PlanDifference {
  readonly task_id: string;
  /** `city`, `filter.ids[0]`. */
  readonly argument: string;
  readonly before: unknown;
  readonly now: unknown;
}

/** A remembered plan with the values of another goal. */
export interface AdaptedPlan {
  readonly tasks: readonly PlannerTaskInput[];
  readonly from: RememberedPlan;
  /** How much of both goals is the same, 0 to 1. 1: the same words in the same order, but for the values. */
  readonly likeness: number;
  /** In the order of the tasks. */
  readonly differences: readonly PlanDifference[];
}

export interface AdaptPlanOptions extends ClockOptions {
  /** Goals that are less alike get no plan, 0 to 1. @default 0.9 */
  readonly minLikeness?: number;
}

/** Of goals with the same words in another order 0.99; a word less of ten is less. */
export const defaultMinLikeness = 0.9;

const templates = new WeakMap<RememberedPlan, PlanTemplate | "none">();

/**
 * The plan of a goal that is alike, with the values of this one: each difference between the two goals must be a value that the plan's arguments follow
 * from, so that a word more or less, another verb or another kind of value gets no plan. Where several remembered plans fit that call other resources, or in
 * another order, none is taken, unless the goal is the very same as the newest's. Pure; O(plans times the square of a goal's words).
 * @param remembered newest first
 * @param resources what the new plan may call
 * @throws EmbeddedError OPTION
 */
export function adaptPlan(
  remembered: readonly RememberedPlan[],
  goal: string,
  resources: readonly Resource[],
  options: AdaptPlanOptions = {},
): AdaptedPlan | undefined {
  checkOptions("`adaptPlan`", options, { ...clockChecks, minLikeness: "own" });
  const { minLikeness = defaultMinLikeness, ...clock } = options;
  checkMinLikeness(minLikeness);
  const all = readUnits(goal, readClock(clock));
  const units = all === undefined ? [] : essential(all);
  if (units.length === 0) return undefined;
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  const adapted: AdaptedPlan[] = [];
  for (const plan of remembered) {
    if (!isOffered(plan, byId)) continue;
    const template = templateOf(plan);
    const alignment = template && align(template, goal, units);
    if (template === undefined || alignment === undefined || alignment.likeness < minLikeness) continue;
    const found = bind(plan, template, alignment, byId);
    if (found === undefined) continue;
    if (found.differences.length === 0 && alignment.likeness === 1)
      return adapted.length === 0 ? found : pick([...adapted, found]);
    adapted.push(found);
  }
  return pick(adapted);
}

/** @throws EmbeddedError OPTION */
export function checkMinLikeness(minLikeness: unknown = defaultMinLikeness): void {
  if (typeof minLikeness === "number" && minLikeness > 0 && minLikeness <= 1) return;
  const message = `Expected \`minLikeness\` to be a number above 0, 1 at most, got \`${String(minLikeness)}\` (${typeof minLikeness}).`;
  throw new EmbeddedError(EmbeddedErrorCode.OPTION, message, { details: { option: "minLikeness" } });
}

/** The most alike, where all that are as much alike call the same. */
function pick(adapted: readonly AdaptedPlan[]): AdaptedPlan | undefined {
  const most = Math.max(...adapted.map(({ likeness }) => likeness));
  const [first, ...others] = adapted.filter(({ likeness }) => likeness === most);
  if (first === undefined) return undefined;
  return others.every((other) => callsOf(other) === callsOf(first)) ? first : undefined;
}

const callsOf = ({ tasks }: AdaptedPlan): string => {
  const place = new Map(tasks.map((task, at) => [task.task_id, at]));
  return JSON.stringify(
    tasks.map((task) => [resourceName(task), (task.dependencies ?? []).map((id) => place.get(id)).sort()]),
  );
};

function templateOf(plan: RememberedPlan): PlanTemplate | undefined {
  const known = templates.get(plan);
  if (known !== undefined) return known === "none" ? undefined : known;
  const template = readTemplate(plan);
  templates.set(plan, template ?? "none");
  return template;
}

function bind(
  plan: RememberedPlan,
  template: PlanTemplate,
  { said, likeness }: Alignment,
  resources: ReadonlyMap<string, Resource>,
): AdaptedPlan | undefined {
  const before = template.said;
  const changed = new Set([...said].filter(([key, now]) => !sameText(before.get(key)!, now)).map(([key]) => key));
  if (changed.size > 0 && !isAccountedFor(template, changed, plan.tasks, resources)) return undefined;
  let tasks = [...plan.tasks];
  const differences: PlanDifference[] = [];
  for (const { place, slots, rebuild } of template.bound) {
    // The same words may be written otherwise, and the same "tomorrow" is another day.
    const isAsBefore = (key: string) => said.get(key)?.text === before.get(key)?.text && !isDate(said.get(key));
    if (slots.every(isAsBefore)) continue;
    const made = rebuild(said);
    const task = tasks[place.task]!;
    const value = typeof made === "string" ? allowed(made, place, calledBy(task, resources)) : made;
    if (value === undefined) return undefined;
    if (value === place.value) continue;
    tasks = tasks.map((each, at) => (at === place.task ? withValue(each, place.path, value) : each));
    if (!isTelling(place))
      differences.push({ task_id: task.task_id ?? "", argument: pathName(place), before: place.value, now: value });
  }
  return { tasks, from: plan, likeness, differences };
}

const isDate = (said: SaidText | undefined): boolean => said?.units.some(({ kind }) => kind === "date") === true;

/**
 * Each word that changed is in an argument, and no two arguments of one task follow from the same number, which one of them may have by chance. No value may
 * follow from the changed words in a way that cannot be seen.
 */
function isAccountedFor(
  template: PlanTemplate,
  changed: ReadonlySet<string>,
  tasks: readonly PlannerTaskInput[],
  resources: ReadonlyMap<string, Resource>,
): boolean {
  const { bound, unexplained } = template;
  for (const place of unexplained) {
    const task = tasks[place.task]!;
    if (!isSettled(place, task, valueSchema(place, calledBy(task, resources)), template)) return false;
  }
  for (const key of changed) {
    const users = bound.filter(({ place, slots }) => slots.includes(key) && !isTelling(place));
    if (users.length === 0) return false;
    const numbers = users.filter(({ place }) => typeof place.value === "number").map(({ place }) => place.task);
    if (new Set(numbers).size < numbers.length) return false;
  }
  return true;
}

/** As the schema writes it, where it names the values that it takes. */
function allowed(value: string, place: PlanValue, resource: Resource | undefined): string | undefined {
  const schema = valueSchema(place, resource);
  const choices: readonly unknown[] | undefined = Array.isArray(schema?.enum) ? schema.enum : undefined;
  if (choices === undefined || choices.includes(value)) return value;
  const found = choices.filter((choice) => typeof choice === "string" && choice.toLowerCase() === value.toLowerCase());
  return found.length === 1 ? String(found[0]) : undefined;
}
