import { IssueCode, isRecord, type PlanIssue, thrownText } from "@planloom/plan";
import { takeReferences } from "./answers/take-references.ts";
import {
  type BehaviorController,
  type CallOptions,
  type ControllerReply,
  type Phase1Request,
  type Phase2Request,
  promptCharactersOf,
} from "./behavior-controller.ts";
import { checkOptions } from "./check-options.ts";
import { ControllerError, ControllerErrorCode } from "./errors.ts";

export interface HybridControllerOptions {
  /** Drafts: fast and free, such as the embedded planner. Its plan may say `metadata.confidence`, 0 to 1. */
  readonly draft: BehaviorController;
  /** Asked for a plan of its own where the draft leaves something open or is not sure: a language model. */
  readonly refine: BehaviorController;
  /** A draft with nothing open and at least this confidence is the plan; 0 to 1. @default 0.3 */
  readonly minConfidence?: number;
}

/**
 * Plans with two controllers: one drafts, the other is asked for a plan where the draft leaves something open or is not sure of itself. It is not
 * shown the draft: models copy it. Where its plan makes up a value that the request does not say and the draft reads from another task, the
 * plan reads it too. A draft with nothing open is the plan where the other fails, or its answers stay wrong up to the
 * last attempt; where several plans are compared, it is the second candidate, at no cost. Replans go to the second controller. Stage 2 likewise: the first
 * answers where it can.
 */
export class HybridController implements BehaviorController {
  readonly name: string;
  /** Those of the one that plans where the draft is not the plan; the draft is made from all. */
  readonly maxResources: number;
  readonly ranksAbove: number;
  readonly #draft: BehaviorController;
  readonly #refine: BehaviorController;
  readonly #minConfidence: number;

  /** @throws ControllerError OPTION, CONFIG */
  constructor(options: HybridControllerOptions) {
    checkOptions("`HybridController`", options, { draft: "own", refine: "own", minConfidence: "own" });
    const { draft, refine, minConfidence = 0.3 } = options;
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
    this.maxResources = refine.maxResources ?? Number.POSITIVE_INFINITY;
    this.ranksAbove = refine.ranksAbove ?? this.maxResources;
    this.name = `hybrid:${draft.name}+${refine.name}`;
  }

  /** Those of the one that sends more. */
  promptCharacters(request: Phase1Request | Phase2Request): number {
    return Math.max(promptCharactersOf(this.#draft, request), promptCharactersOf(this.#refine, request));
  }

  async processPhase1(request: Phase1Request, options: CallOptions = {}): Promise<ControllerReply> {
    const tries = request.feedback?.length ?? 0;
    const { candidate = 0 } = request;
    // A draft is made again for the last attempt: it is the plan if no answer before was usable.
    const isLast = tries > 0 && candidate === 0 && options.maxRequests === 1;
    const mayDraft = request.replan === undefined && request.job !== undefined && (tries === 0 || isLast);
    const draft = mayDraft ? await this.#drafted(request, options) : undefined;
    if (draft === undefined) return this.#refine.processPhase1(request, options);
    if (draft.isWhole && candidate === 1) return draft.reply;
    if (draft.isWhole && (isLast || (candidate === 0 && draft.confidence >= this.#minConfidence)))
      return { ...draft.reply, certain: true };
    return this.#refinedOr(draft, request, options);
  }

  /** The other controller's plan; the draft where that one has none and would have none. */
  async #refinedOr(draft: Draft, request: Phase1Request, options: CallOptions): Promise<ControllerReply> {
    const mayStandIn = draft.isWhole && (request.candidate ?? 0) === 0;
    try {
      const reply = await this.#refine.processPhase1(request, options);
      if (reply.success) return withReferencesOf(draft.tasks, reply, request);
      return mayStandIn && reply.final === true ? instead(draft, reply.message ?? "It refused.") : reply;
    } catch (error) {
      if (options.signal?.aborted === true || !mayStandIn) throw error;
      return instead(draft, thrownText(error));
    }
  }

  async #drafted(request: Phase1Request, options: CallOptions): Promise<Draft | undefined> {
    const { feedback: _, ...alone } = request;
    const reply = await attempt(() => this.#draft.processPhase1(alone, quiet(options)), options);
    return reply === undefined ? undefined : readDraft(reply);
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

interface Draft {
  readonly reply: ControllerReply;
  readonly tasks: readonly Record<string, unknown>[];
  readonly confidence: number;
  /** Nothing in it is open. */
  readonly isWhole: boolean;
}

function readDraft(reply: ControllerReply): Draft | undefined {
  const tasks = tasksOf(reply.data);
  if (tasks === undefined || tasks.length === 0) return undefined;
  // That a draft is a proposal is not an open point: it is why the other controller is asked.
  const open = (reply.issues ?? []).filter(({ code }) => code !== IssueCode.PROPOSAL);
  return { reply, tasks, confidence: confidenceOf(reply.data), isWhole: open.length === 0 };
}

/** The draft as the plan, with the reason why no better one was made. */
function instead({ reply }: Draft, reason: string): ControllerReply {
  const issue: PlanIssue = {
    code: IssueCode.UNRESOLVED,
    severity: "warning",
    message: `The model gave no plan, so this is the draft that was made without it. ${reason}`,
  };
  return { ...reply, issues: [...(reply.issues ?? []), issue] };
}

function withReferencesOf(
  drafted: readonly Record<string, unknown>[],
  reply: ControllerReply,
  request: Phase1Request,
): ControllerReply {
  const tasks = tasksOf(reply.data);
  if (tasks === undefined) return reply;
  const said = request.sections?.join("\n") ?? request.phase_1_data.task_input_data;
  const { tasks: linked, issues } = takeReferences(tasks, drafted, said);
  if (issues.length === 0) return reply;
  const data = isRecord(reply.data)
    ? { ...reply.data, [Array.isArray(reply.data.planned_tasks) ? "planned_tasks" : "tasks"]: linked }
    : linked;
  return { ...reply, data, issues: [...(reply.issues ?? []), ...issues] };
}

function tasksOf(data: unknown): Record<string, unknown>[] | undefined {
  const tasks = isRecord(data) ? (data.planned_tasks ?? data.tasks) : data;
  return Array.isArray(tasks) && tasks.every(isRecord) ? tasks : undefined;
}

function confidenceOf(data: unknown): number {
  const metadata = isRecord(data) && isRecord(data.metadata) ? data.metadata : {};
  return typeof metadata.confidence === "number" ? metadata.confidence : 1;
}
