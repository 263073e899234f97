import { isRecord } from "../json.ts";
import { withDeclaredEffects } from "../ports/declared-effects.ts";
import type { Executor, Step } from "../ports/executor.ts";
import type { Resource } from "../ports/resource.ts";
import type { EstimateData } from "../records/estimate-data.ts";
import { callNow } from "./call-now.ts";
import { isCallbackError } from "./callback-error.ts";
import { FaultLog } from "./notify.ts";

/** Lists that were checked before: executors return the same object as long as nothing has changed. */
const checked = new WeakSet<readonly Resource[]>();

/**
 * The resources that an executor offers now, with their effects in the words of records.
 * @throws PlanError CALLBACK when `resources()` throws or does not return a list of resources, OPTION for a misspelt effect of one
 */
export function resourcesOf(executor: Executor): readonly Resource[] {
  const expected = "a list of resources ({ kind, id, … })";
  return withDeclaredEffects(
    callNow(`${nameOf(executor)}.resources`, () => executor.resources(), expected, isResourceList),
  );
}

function isResourceList(value: unknown): value is readonly Resource[] {
  if (!Array.isArray(value)) return false;
  const list = value as readonly Resource[];
  if (checked.has(list)) return true;
  const whole = list.every(
    (each: unknown) => isRecord(each) && typeof each.kind === "string" && typeof each.id === "string" && each.id !== "",
  );
  if (whole) checked.add(list);
  return whole;
}

/** Why a resource cannot execute now; undefined if it can. @throws PlanError CALLBACK when `unavailable()` throws or returns anything but a text or nothing */
export function whyUnavailable(executor: Executor, uid: string): string | undefined {
  if (executor.unavailable === undefined) return undefined;
  return callNow(`${nameOf(executor)}.unavailable`, () => executor.unavailable?.(uid), "a text or undefined", isReason);
}

function isReason(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

/** The faults of `delegates()` and `reattaches()` by executor. They are called several times for each call of a run, so most warnings are left out. */
const answerFaults = new WeakMap<Executor, FaultLog>();

/**
 * Whether executing the resource has effects only through calls that are tasks of the run, as `delegates()` says. False when that throws or
 * returns anything but `true`, `false` or nothing, so that a person is asked about the call; a warning names the fault.
 */
export function delegates(executor: Executor, uid: string): boolean {
  return says(executor, "delegates", uid, "so its calls count as not delegated");
}

/**
 * Whether the executor takes up the work that it had begun when it is called again after a crash, as `reattaches()` says. False as for `delegates`, so that a
 * person is asked.
 */
export function reattaches(executor: Executor, uid: string): boolean {
  return says(executor, "reattaches", uid, "so its calls count as in doubt after a crash");
}

function says(executor: Executor, name: "delegates" | "reattaches", uid: string, consequence: string): boolean {
  if (executor[name] === undefined) return false;
  const callback = `${nameOf(executor)}.${name}`;
  try {
    return callNow(callback, () => executor[name]?.(uid), "true or false", isYesOrNo) === true;
  } catch (error) {
    if (!isCallbackError(error)) throw error;
    const faults = answerFaults.get(executor) ?? new FaultLog();
    answerFaults.set(executor, faults);
    faults.report(callback, error, consequence);
    return false;
  }
}

function isYesOrNo(value: unknown): value is boolean | undefined {
  return value === undefined || typeof value === "boolean";
}

/** The executor's estimate of what a step may use. @throws PlanError CALLBACK when `estimate()` throws or returns anything but an estimate or nothing */
export function estimatedBy(executor: Executor, step: Step): EstimateData | undefined {
  if (executor.estimate === undefined) return undefined;
  const expected =
    "undefined or an estimate ({ duration_ms, tokens, cost, output_bytes: numbers of at least 0, failure_probability: 0 to 1 })";
  return callNow(`${nameOf(executor)}.estimate`, () => executor.estimate?.(step), expected, isEstimate);
}

function isEstimate(value: unknown): value is EstimateData | undefined {
  if (value === undefined) return true;
  if (!isRecord(value)) return false;
  for (const field of amounts) {
    const amount = value[field];
    if (amount !== undefined && !(typeof amount === "number" && amount >= 0 && amount < Number.POSITIVE_INFINITY))
      return false;
  }
  const { failure_probability: chance } = value as EstimateData;
  return chance === undefined || chance <= 1;
}

const amounts = [
  "duration_ms",
  "tokens",
  "cost",
  "output_bytes",
  "failure_probability",
] as const satisfies readonly (keyof EstimateData)[];

function nameOf({ kind }: Executor): string {
  return `${kind} executor`;
}
