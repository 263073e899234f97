import { IssueCode, type PlanIssue, type Resource } from "@planloom/plan";
import { isError } from "../attempt-until-valid.ts";

/** That a plan was judged and has no error. */
interface Verdict {
  /** All that the plan held when it was judged, in the order of `visitAll`. */
  readonly content: readonly unknown[];
  readonly resources: readonly Resource[];
  readonly issues: readonly PlanIssue[];
}

const verdicts = new WeakMap<object, Verdict>();

/**
 * Remembers that `judgePlan` found no error in `plan` for these resources, so that the next function that is given it need not judge it again. The
 * verdict belongs to this very object and to all that is in it: after a change of any field, however deep, the plan is judged again. A plan
 * that holds anything but plain JSON values has no verdict, so it is judged every time.
 * @param issues what `judgePlan` found; with an error among them nothing is remembered.
 */
export function keepVerdict(plan: object, resources: readonly Resource[], issues: readonly PlanIssue[]): void {
  if (issues.some(isError)) return;
  const content: unknown[] = [];
  const isPlain = visitAll(plan, (each) => content.push(each) > 0);
  if (isPlain) verdicts.set(plan, { content, resources, issues });
}

/** The warnings of a plan that was judged before and is unchanged; `undefined` where it is to be judged. */
export function keptVerdict(plan: unknown, resources: readonly Resource[]): PlanIssue[] | undefined {
  const known = typeof plan === "object" && plan !== null ? verdicts.get(plan) : undefined;
  if (known === undefined || !holdsFor(known, resources)) return undefined;
  const { content, issues } = known;
  let next = 0;
  const isSame = visitAll(plan, (each) => Object.is(content[next++], each)) && next === content.length;
  return isSame ? [...issues] : undefined;
}

/**
 * A verdict holds for the resources it was given for. It also holds where resources were added of kinds that had none: a plan that is valid
 * without them names none of them, unless it leaves open who executes a task (`no_resource`).
 */
function holdsFor({ resources: judged, issues }: Verdict, now: readonly Resource[]): boolean {
  if (judged.length > now.length || judged.some((resource, index) => resource !== now[index])) return false;
  if (judged.length === now.length) return true;
  const kinds = new Set(judged.map(({ kind }) => kind));
  const added = now.slice(judged.length);
  return added.every(({ kind }) => !kinds.has(kind)) && issues.every(({ code }) => code !== IssueCode.NO_RESOURCE);
}

/**
 * Visits every object, key and value in `value`, depth first.
 * @returns false as soon as `visit` does, and for what is not plain JSON: functions, instances of classes, cycles.
 */
function visitAll(value: unknown, visit: (each: unknown) => boolean): boolean {
  try {
    return visitValue(value, visit);
  } catch {
    // A cycle, or a getter that throws.
    return false;
  }
}

function visitValue(value: unknown, visit: (each: unknown) => boolean): boolean {
  if (typeof value === "function" || typeof value === "symbol" || !visit(value)) return false;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) {
    if (!visit(value.length)) return false;
    for (let index = 0; index < value.length; index++) if (!visitValue(value[index], visit)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const keys = Object.keys(value);
  if (!visit(keys.length)) return false;
  for (const key of keys) {
    if (!visit(key) || !visitValue((value as Record<string, unknown>)[key], visit)) return false;
  }
  return true;
}
