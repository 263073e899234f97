import type { ReplanFailure } from "@planloom/controller";
import type { BindOptions, PlanIssue, PlannerTask, PlanPatch, Resource, TaskData } from "@planloom/plan";
import { invalid } from "../invalid-option.ts";
import type { ReplanCause } from "./stored-revision.ts";

/**
 * When tasks are replaced: `failure`, one failed for good; `output`, its output does not fit its resource's schema or
 * `check`; `marked`, it has `mark_replan`; `resource`, what was to execute it has gone, or takes or gives something else than
 * when the run began, was upgraded (`version`) or is reached elsewhere (`endpoint`); `deadline`, `budget`, by forecast the run will not be done in time, or will spend too much.
 */
export const replanTriggers = ["failure", "output", "marked", "resource", "deadline", "budget"] as const;
export type ReplanTrigger = (typeof replanTriggers)[number];

/** When a plan is changed while it runs, how much of it, and how often. */
export interface ReplanPolicy {
  /** A task's `on_failure: "replan"` asks for a change also without `failure` in this list. @default ["failure"], none where `every` is given */
  readonly on?: readonly ReplanTrigger[] | undefined;
  /** Asks whether what has not begun is still right, each time so many tasks were completed. @default never */
  readonly every?: number | undefined;
  /** The most questions to `replan` in a run, with or without a usable answer. @default 2 */
  readonly maxReplans?: number | undefined;
  /** How often in a row a replan may be followed by the next one before any of its new tasks was completed. @default 2 */
  readonly maxStalls?: number | undefined;
  /** `task`: what is concerned is replaced. `remaining`: all that has not begun may be replaced along with it (mcp-cli). @default "task" */
  readonly scope?: "task" | "remaining" | undefined;
  /** False: what a replan has put in its place is not replaced again. @default true */
  readonly recursive?: boolean | undefined;
  /** Says what is wrong with an output; the task fails with that, and nothing consumes it. Of tasks in workflows too. */
  readonly check?:
    | ((task: PlannerTask, output: unknown) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** When the run is to be done, in milliseconds since it began; for `deadline`. Ends nothing by itself. */
  readonly deadlineMs?: number | undefined;
  /** `required`: a person must approve new tasks, and only these. @default as their own `approval` says */
  readonly approval?: "required" | undefined;
  /** Time for an answer, in milliseconds. @default 180_000 */
  readonly timeoutMs?: number | undefined;
}

/** What is to be replaced, and all there is to know for it. */
export interface ReplanRegion {
  /** The plan as it is: statuses, outputs of what is completed, revision. */
  readonly plan: TaskData;
  /** Tasks to replace or drop. */
  readonly marked: readonly string[];
  /**
   * What is to be replaced within the elements that `marked` execute: each of these is a list of one element, whose other tasks are kept with what is
   * completed of them. Absent: the marked tasks themselves are replaced. A function that does not know of it replaces the whole elements.
   */
  readonly within?: ReplanWithin;
  /** Tasks that may be replaced or dropped too. */
  readonly optional: readonly string[];
  /** Of tasks of both. */
  readonly failures: ReadonlyMap<string, ReplanFailure>;
  readonly causes: readonly { readonly task_id: string; readonly cause: ReplanCause; readonly message?: string }[];
  /** What can execute tasks now. */
  readonly resources: readonly Resource[];
  /** What the run would refuse a patch for; without an issue of severity `error` it is applied. */
  verify(patch: PlanPatch): PlanIssue[];
}

/** Tasks and elements within elements, by address (`out_0[0]/in[1]`). */
export interface ReplanWithin {
  /** What is to be replaced. */
  readonly marked: readonly string[];
  /** Outputs of what is completed within the elements. */
  readonly outputs: ReadonlyMap<string, unknown>;
  /** Why what failed within them did. */
  readonly failures: ReadonlyMap<string, ReplanFailure>;
}

/**
 * The replanner as a function; `planner` has one, `runtime` is handed it. `undefined`: nothing needs to be changed. Model
 * calls that it reports are paid by the run's budget and kept in its journal.
 */
export type Replan = (region: ReplanRegion, options: BindOptions) => Promise<PlanPatch | undefined>;

/** A policy with its defaults. */
export interface ReplanSettings {
  readonly on: ReadonlySet<ReplanTrigger>;
  readonly every: number;
  readonly maxReplans: number;
  readonly maxStalls: number;
  readonly scope: "task" | "remaining";
  readonly recursive: boolean;
  readonly check: ReplanPolicy["check"];
  readonly deadlineMs: number;
  readonly approval: "required" | undefined;
  readonly timeoutMs: number;
}

/** What of a policy is kept with a run. */
export interface StoredReplanPolicy {
  readonly on: readonly ReplanTrigger[];
  readonly every?: number;
  readonly max_replans: number;
  readonly max_stalls: number;
  readonly scope: "task" | "remaining";
  readonly recursive: boolean;
  readonly deadline_ms?: number;
  readonly approval?: "required";
}

/** @throws RuntimeError INVALID_OPTION */
export function readReplanPolicy(policy: ReplanPolicy): ReplanSettings {
  const { every = Number.POSITIVE_INFINITY, maxReplans = 2, maxStalls = 2, scope = "task", recursive = true } = policy;
  const { deadlineMs = Number.POSITIVE_INFINITY, timeoutMs = 180_000, check, approval } = policy;
  const { on = policy.every === undefined ? ["failure"] : [] } = policy;
  const strange = Array.isArray(on) ? on.find((each) => !(replanTriggers as readonly unknown[]).includes(each)) : on;
  if (strange !== undefined) throw invalid("replanPolicy.on", `a list of ${replanTriggers.join(", ")}`, strange);
  for (const [name, value, least] of [
    ["every", every, 1],
    ["maxReplans", maxReplans, 0],
    ["maxStalls", maxStalls, 1],
  ] as const) {
    if (value === Number.POSITIVE_INFINITY) continue;
    if (!Number.isInteger(value) || value < least)
      throw invalid(`replanPolicy.${name}`, `an integer of at least ${least}`, value);
  }
  for (const [name, value] of Object.entries({ deadlineMs, timeoutMs })) {
    if (!(typeof value === "number" && value > 0)) throw invalid(`replanPolicy.${name}`, "a number above 0", value);
  }
  if (scope !== "task" && scope !== "remaining") throw invalid("replanPolicy.scope", '"task" or "remaining"', scope);
  if (approval !== undefined && approval !== "required")
    throw invalid("replanPolicy.approval", '"required" or nothing', approval);
  if (check !== undefined && typeof check !== "function") throw invalid("replanPolicy.check", "a function", check);
  const triggers = new Set<ReplanTrigger>(on);
  if (check !== undefined) triggers.add("output");
  if (Number.isFinite(deadlineMs)) triggers.add("deadline");
  if (triggers.has("deadline") && !Number.isFinite(deadlineMs))
    throw invalid("replanPolicy.deadlineMs", 'a number of milliseconds where `on` has "deadline"', deadlineMs);
  return { on: triggers, every, maxReplans, maxStalls, scope, recursive, check, deadlineMs, approval, timeoutMs };
}

export function storedReplanPolicy(settings: ReplanSettings): StoredReplanPolicy {
  const { on, every, maxReplans, maxStalls, scope, recursive, deadlineMs, approval } = settings;
  return {
    on: [...on],
    ...(Number.isFinite(every) && { every }),
    max_replans: Number.isFinite(maxReplans) ? maxReplans : Number.MAX_SAFE_INTEGER,
    max_stalls: Number.isFinite(maxStalls) ? maxStalls : Number.MAX_SAFE_INTEGER,
    scope,
    recursive,
    ...(Number.isFinite(deadlineMs) && { deadline_ms: deadlineMs }),
    ...(approval !== undefined && { approval }),
  };
}

/** The policy of a resumption: what is given now, else what the run was begun with. */
export function resumedReplanPolicy(
  given: ReplanPolicy | undefined,
  stored: StoredReplanPolicy | undefined,
): ReplanPolicy | undefined {
  if (stored === undefined) return given;
  return {
    on: stored.on,
    every: stored.every,
    maxReplans: stored.max_replans,
    maxStalls: stored.max_stalls,
    scope: stored.scope,
    recursive: stored.recursive,
    deadlineMs: stored.deadline_ms,
    approval: stored.approval,
    ...given,
  };
}
