import { IssueCode, isRecord, type PlanIssue } from "@planloom/plan";
import {
  type BehaviorController,
  type CallOptions,
  type ControllerReply,
  type Phase1Request,
  type Phase2Request,
  type PlanDraft,
  promptCharactersOf,
} from "./behavior-controller.ts";
import { checkOptions } from "./check-options.ts";
import { ControllerError, ControllerErrorCode } from "./errors.ts";

export interface HybridControllerOptions {
  /** Drafts: fast and free, such as the embedded planner. Its plan may say `metadata.confidence`, 0 to 1. */
  readonly draft: BehaviorController;
  /** Asked only where the draft leaves something open: a language model. */
  readonly refine: BehaviorController;
  /** A draft with nothing open and at least this confidence is the plan; 0 to 1. @default 0.65 */
  readonly minConfidence?: number;
}

/**
 * Plans with two controllers: one drafts, the other is asked for what the draft leaves open and for nothing else. A goal of which
 * the first makes nothing, and a draft that was corrected in vain, go to the second as if there were no first; so do replans.
 * Stage 2 likewise: the first answers where it can.
 */
export class HybridController implements BehaviorController {
  readonly name: string;
  readonly #draft: BehaviorController;
  readonly #refine: BehaviorController;
  readonly #minConfidence: number;

  /** @throws ControllerError OPTION, CONFIG */
  constructor(options: HybridControllerOptions) {
    checkOptions("`HybridController`", options, { draft: "own", refine: "own", minConfidence: "own" });
    const { draft, refine, minConfidence = 0.65 } = options;
    for (const [option, controller] of Object.entries({ draft, refine })) {
      if (typeof controller?.processPhase1 === "function") continue;
      throw new ControllerError(ControllerErrorCode.CONFIG, `Expected \`${option}\` to be a BehaviorController.`, {
        details: { option },
      });
    }
    if (typeof minConfidence !== "number" || !(minConfidence >= 0 && minConfidence <= 1)) {
      throw new ControllerError(
        ControllerErrorCode.CONFIG,
        `Expected \`minConfidence\` to be a number from 0 to 1, got \`${String(minConfidence)}\`.`,
        { details: { option: "minConfidence" } },
      );
    }
    this.#draft = draft;
    this.#refine = refine;
    this.#minConfidence = minConfidence;
    this.name = `hybrid:${draft.name}+${refine.name}`;
  }

  /** Those of the one that sends more. */
  promptCharacters(request: Phase1Request | Phase2Request): number {
    return Math.max(promptCharactersOf(this.#draft, request), promptCharactersOf(this.#refine, request));
  }

  async processPhase1(request: Phase1Request, options: CallOptions = {}): Promise<ControllerReply> {
    // An answer to feedback is a second attempt: the first, with the draft, came to nothing.
    const first = request.replan === undefined && (request.feedback ?? []).length === 0 && request.job !== undefined;
    const drafted = first
      ? await attempt(() => this.#draft.processPhase1(request, quiet(options)), options)
      : undefined;
    const draft = drafted === undefined ? undefined : readDraft(drafted);
    if (drafted === undefined || draft === undefined) return this.#refine.processPhase1(request, options);
    const confidence = confidenceOf(drafted.data);
    if (draft.open.length === 0 && confidence >= this.#minConfidence) return drafted;

    const revision = { ...request, draft };
    // A draft that is too much beside the rest is left out; without it the request was made to fit.
    if (promptCharactersOf(this.#refine, revision) > (options.maxPromptCharacters ?? Number.POSITIVE_INFINITY)) {
      return this.#refine.processPhase1(request, options);
    }
    const reply = await this.#refine.processPhase1(revision, options);
    const tasks = reply.success ? tasksOf(reply.data) : undefined;
    if (tasks === undefined) return reply;
    const before = new Map(draft.tasks.map((task) => [task.task_id, JSON.stringify(task)]));
    const changed = tasks.flatMap(({ task_id }, at) =>
      typeof task_id === "string" && before.get(task_id) === JSON.stringify(tasks[at]) ? [] : [String(task_id)],
    );
    return {
      ...reply,
      data: {
        planned_tasks: tasks,
        metadata: { draft: { controller: this.#draft.name, confidence, tasks: draft.tasks.length, changed } },
      },
      issues: [...stillOpen(draft, tasks, changed), ...(reply.issues ?? [])],
    };
  }

  async processPhase2(request: Phase2Request, options: CallOptions = {}): Promise<ControllerReply> {
    const first = (request.feedback ?? []).length === 0;
    const bound = first ? await attempt(() => this.#draft.processPhase2(request, quiet(options)), options) : undefined;
    if (bound?.success === true && (bound.issues ?? []).length === 0) return bound;
    return this.#refine.processPhase2(request, options);
  }
}

/** A drafting controller that fails is one that has no draft. */
async function attempt(
  ask: () => Promise<ControllerReply>,
  { signal }: CallOptions,
): Promise<ControllerReply | undefined> {
  try {
    const reply = await ask();
    return reply.success ? reply : undefined;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return undefined;
  }
}

/** Drafted tasks are not streamed; only those of the controller that decides are. */
function quiet({ onDelta: _, ...options }: CallOptions): CallOptions {
  return options;
}

function readDraft(reply: ControllerReply): PlanDraft | undefined {
  const tasks = tasksOf(reply.data);
  if (tasks === undefined || tasks.length === 0) return undefined;
  if (!tasks.every(({ task_id }) => typeof task_id === "string")) return undefined;
  const whole = tasks.map((task) => ({ ...task, dependencies: task.dependencies ?? [] }));
  // That a draft is a proposal is no open point: it is why the other controller is asked.
  const open = (reply.issues ?? []).filter(({ code }) => code !== IssueCode.PROPOSAL);
  return { tasks: whole as unknown as PlanDraft["tasks"], open };
}

function tasksOf(data: unknown): Record<string, unknown>[] | undefined {
  const tasks = isRecord(data) ? (data.planned_tasks ?? data.tasks) : data;
  return Array.isArray(tasks) && tasks.every(isRecord) ? tasks : undefined;
}

function confidenceOf(data: unknown): number {
  const metadata = isRecord(data) && isRecord(data.metadata) ? data.metadata : {};
  return typeof metadata.confidence === "number" ? metadata.confidence : 1;
}

/** Open points of the draft that were left alone: those of unchanged tasks, and those of no task while none was added. */
function stillOpen(
  draft: PlanDraft,
  tasks: readonly Record<string, unknown>[],
  changed: readonly string[],
): PlanIssue[] {
  const ids = new Set(tasks.map(({ task_id }) => task_id));
  const known = new Set(draft.tasks.map(({ task_id }) => task_id));
  const added = changed.some((id) => !known.has(id));
  return draft.open.filter(({ task_id }) =>
    task_id === undefined ? !added : ids.has(task_id) && !changed.includes(task_id),
  );
}
