import {
  applyPatch,
  type DraftPatchOptions,
  diffPlans,
  draftPatch,
  isElementOf,
  type PlanDiff,
  type PlanIssue,
  type PlanPatch,
  type ProposedTask,
  splitElements,
  type TaskData,
  type VerifyPatchOptions,
  verifyPatch,
} from "@planloom/plan";
import {
  PlannerError,
  PlannerErrorCode,
  type ReplanOptions,
  SubGraphRePlanner,
  type SubGraphRePlannerOptions,
} from "@planloom/planner";
import { type MarksWithin, marksWithin, openElements } from "./replan-within.ts";

export interface ReplanPlanOptions {
  /** Ids of the tasks to replace, elements of lists (`fetch[42]`), or what is within these (`out[0]/in[1]`), in addition to the tasks that have `mark_replan`. */
  readonly mark?: readonly string[] | undefined;
  /** Wishes in words. */
  readonly note?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A plan with new tasks in the place of marked ones. */
export interface ReplannedPlan {
  readonly plan: TaskData;
  readonly patch: PlanPatch;
  /** Where elements were marked: the patch that made tasks of them, before `patch` replaced those. Absent if they were tasks of their own already. */
  readonly split?: PlanPatch;
  /** The difference to the plan before. */
  readonly diff: PlanDiff;
  /** Id of the run whose plan was changed. */
  readonly run_id?: string;
}

/** What is marked in one plan, which may be that of an element of a list. */
interface MarkedPlan extends ReplanPlanOptions {
  /** Why tasks failed, by address. */
  readonly failures?: ReplanOptions["failures"] | undefined;
  /** Outputs of completed elements, and of what is within them, by address. */
  readonly outputs?: ReadonlyMap<string, unknown> | undefined;
  /** Called before and after each model call. */
  readonly hooks?: Pick<ReplanOptions, "beforeCall" | "onCall"> | undefined;
  /** What else is wrong with patches. @param base the plan that the last of them is for */
  verify?(base: TaskData, patches: readonly PlanPatch[]): readonly PlanIssue[];
}

/** @throws PlannerError REPLAN_INPUT when no task is marked, or a marked task is unknown; NO_VALID_REPLAN */
export async function replanPlan(
  before: TaskData,
  call: MarkedPlan,
  options: SubGraphRePlannerOptions,
): Promise<ReplannedPlan> {
  const { mark = [] } = call;
  const within = marksWithin(before, mark);
  if (within.size === 0) return replanTasks(before, call, options);
  const inner = new Set([...within].flatMap(([element, ids]) => ids.map((id) => `${element}/${id}`)));
  const others = mark.filter((id) => !inner.has(id));
  const marked = before.planned_tasks.flatMap(({ mark_replan, task_id }) => (mark_replan ? [task_id] : []));
  if (others.length + marked.length === 0) return replanWithin(before, within, call, options);
  const message = `${[...inner].join(", ")} is within an element and replaced by a replan of its own: mark ${[...others, ...marked].join(", ")} in another`;
  throw notMarked(before, others, message);
}

/** Replaces tasks within elements: those of an element are replanned as a plan of their own, and the outcome is one patch of the plan around. */
async function replanWithin(
  before: TaskData,
  within: MarksWithin,
  { note, signal, failures = new Map(), outputs = new Map(), hooks, verify }: MarkedPlan,
  options: SubGraphRePlannerOptions,
): Promise<ReplannedPlan> {
  const draft = idsOf(options);
  const opened = openElements(before, [...within.keys()], outputs, draft);
  if (opened.elements === undefined) throw notMarked(before, [...within.keys()], opened.fault);
  const { base, split, elements } = opened;
  const verification = verificationOf(options);
  const changed: ProposedTask[] = [];
  const reasons: string[] = [];
  for (const element of elements) {
    const replanned = replanPlan(
      element.plan,
      {
        mark: within.get(element.element)!,
        note,
        signal,
        hooks,
        failures: element.within(failures),
        outputs: element.within(outputs),
        verify(innerBase, patches) {
          const after = afterPatch(innerBase, patches.at(-1)!);
          // What is wrong with the patch itself is said elsewhere.
          if (after === undefined) return [];
          const drafted = draftPatch(base, { tasks: [element.changed(after, patches)] }, draft);
          if (drafted.patch === undefined) return drafted.issues;
          const found = verifyPatch(base, drafted.patch, verification);
          return [...found, ...(verify?.(base, [...patchesOf({ patch: split }), drafted.patch]) ?? [])];
        },
      },
      options,
    );
    const inner = await saidAs(replanned, (message) => `Within the element "${element.element}": ${message}`);
    changed.push(element.changed(inner.plan, [...patchesOf({ patch: inner.split }), inner.patch]));
    reasons.push(`Within ${element.element}: ${inner.patch.reason ?? "replaced"}`);
  }
  const { patch, issues } = draftPatch(base, { tasks: changed, reason: reasons.join(" ").slice(0, 2_000) }, draft);
  if (patch === undefined) throw notMarked(before, [...within.keys()], issues[0]!.message);
  const plan = applyPatch(base, patch, verification);
  return { plan, patch, ...(split !== undefined && { split }), diff: diffPlans(before, plan) };
}

async function replanTasks(
  before: TaskData,
  { mark = [], note, signal, failures, hooks, verify }: MarkedPlan,
  options: SubGraphRePlannerOptions,
): Promise<ReplannedPlan> {
  const elements = mark.filter((id) => isElementOf(before, id));
  const split = elements.length === 0 ? undefined : splitElements(before, elements, idsOf(options));
  if (split?.issues.length) throw notMarked(before, mark, split.issues[0]!.message);
  const base = split?.patch === undefined ? before : applyPatch(before, split.patch, { inputs: "any" });
  const wanted = new Set(mark.map((id) => split?.tasks?.get(id) ?? id));
  const known = new Set(base.planned_tasks.map(({ task_id }) => task_id));
  const strange = [...wanted].filter((id) => !known.has(id));
  const tasks = base.planned_tasks.map((task) => (wanted.has(task.task_id) ? { ...task, mark_replan: true } : task));
  if (strange.length > 0) {
    throw notMarked(before, strange, `got ${strange.join(", ")}`);
  }
  if (!tasks.some(({ mark_replan }) => mark_replan)) throw notMarked(before, strange, "none is marked");
  const knownFailures = new Map(failures);
  for (const [element, task] of split?.tasks ?? []) {
    const failure = failures?.get(element);
    if (failure !== undefined) knownFailures.set(task, failure);
  }
  const replanner = new SubGraphRePlanner(options);
  const replanned = replanner.replaceReplanTasks(
    { subgraph_id: base.task_id, tasks, dependencies: [] },
    {
      plan: { ...base, planned_tasks: tasks },
      failures: knownFailures,
      ...hooks,
      ...(note === undefined ? {} : { customAppendText: note }),
      ...(signal === undefined ? {} : { signal }),
      ...(verify !== undefined && { verify: (patch) => verify(base, [...patchesOf(split), patch]) }),
    },
  );
  const names = [...(split?.tasks ?? [])].map(([element, task]) => ` The task "${task}" is the element "${element}".`);
  const { plan, patch } = await saidAs(replanned, (message) => message + names.slice(0, 5).join(""));
  // Something is marked, so there is a patch.
  return {
    plan,
    patch: patch!,
    ...(split?.patch !== undefined && { split: split.patch }),
    diff: diffPlans(before, plan),
  };
}

function notMarked(plan: TaskData, strange: readonly string[], what: string): PlannerError {
  const names = plan.planned_tasks.slice(0, 20).map(({ task_id }) => task_id);
  const message = `Expected tasks of the plan, or elements of its lists, to be marked: ${what.replace(/\.$/, "")}. Its tasks: ${names.join(", ")}${plan.planned_tasks.length > 20 ? ", …" : ""}.`;
  return new PlannerError(PlannerErrorCode.REPLAN_INPUT, message, {
    details: { task_ids: strange, plan_id: plan.task_id },
  });
}

/** A replan whose refusal is put in the words of who asked for it. */
async function saidAs<Value>(replanned: Promise<Value>, say: (message: string) => string): Promise<Value> {
  try {
    return await replanned;
  } catch (error) {
    if (!(error instanceof PlannerError)) throw error;
    throw new PlannerError(error.code, say(error.message), { details: error.details, cause: error.cause });
  }
}

function idsOf({ newId, now }: SubGraphRePlannerOptions): DraftPatchOptions {
  return { ...(newId !== undefined && { newId }), ...(now !== undefined && { now }) };
}

function verificationOf({ resources }: SubGraphRePlannerOptions): VerifyPatchOptions {
  const known = typeof resources === "function" ? resources() : resources;
  return { inputs: "any", ...(known?.length && { resources: known, missingArguments: "warning" }) };
}

function patchesOf({ patch }: { readonly patch?: PlanPatch | undefined } = {}): readonly PlanPatch[] {
  return patch === undefined ? [] : [patch];
}

/** The plan after a patch; undefined where it does not apply. */
function afterPatch(plan: TaskData, patch: PlanPatch): TaskData | undefined {
  const wrong = verifyPatch(plan, patch, { inputs: "any" }).some(({ severity }) => severity === "error");
  return wrong ? undefined : applyPatch(plan, patch, { inputs: "any" });
}
