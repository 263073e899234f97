import { IssueCode, isRecord, type PlanIssue, thrownText } from "@planloom/plan";
import { propertiesOf } from "./answers/schema-outline.ts";
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
import { doubted } from "./hybrid/doubted.ts";
import { attempt, draftedBy, draftedIn, quiet, withConsidered } from "./hybrid/drafted-by.ts";
import { type DraftedPlan, tasksOf } from "./hybrid/drafted-plan.ts";
import { madeUpIn, questionsFor } from "./hybrid/made-up.ts";
import { resourcesOf, saidIn } from "./hybrid/of-request.ts";
import { settleCalls } from "./hybrid/settle-calls.ts";
import type { SettledPlan } from "./hybrid/sides.ts";
import { withUnserved } from "./hybrid/unserved.ts";
import { LlmController } from "./llm-controller.ts";

export interface HybridControllerOptions {
  /** Drafts: fast and free, such as the embedded planner. Its plan may say `metadata.confidence`, 0 to 1. */
  readonly draft: BehaviorController;
  /** Asked for a plan of its own where the draft leaves something open or is not sure: a language model. */
  readonly refine: BehaviorController;
  /** A draft with nothing open and at least this confidence is the plan; 0 to 1. @default 0.3 */
  readonly minConfidence?: number;
  /**
   * Whose calls the plan has where the two differ: `draft`, where it is sure of them, unless the model makes every call that the draft is very sure of;
   * `model` for a model that is mostly right. @default "draft"
   */
  readonly prefer?: "draft" | "model";
}

/**
 * Plans with two controllers: one drafts, the other is asked for a plan where the draft leaves an argument open or is not sure of itself. It is not
 * shown the draft, since models copy it, but the resources that the draft considered come first among those it is shown. The plan is made of both, call by call
 * and argument by argument, by how sure the draft is of each; `metadata.draft` says where each task comes from. The draft is the plan where the other
 * fails, or its answers stay wrong up to the last attempt; where there is no draft, since nothing fits the request, a plan of the other is a proposal, unless it is preferred. Where several plans are compared, a draft with nothing open is the second candidate,
 * at no cost. Replans go to the second controller. Stage 2 likewise: the first answers where it can.
 */
export class HybridController implements BehaviorController {
  readonly name: string;
  /** Those of the one that plans where the draft is not the plan; the draft is made from all. */
  readonly maxResources: number;
  readonly ranksAbove: number;
  readonly #draft: BehaviorController;
  readonly #refine: BehaviorController;
  /** A model that says itself how likely its plan is where the draft's planner refuses; the other controller where it cannot. */
  readonly #checked: BehaviorController;
  readonly #minConfidence: number;
  readonly #prefer: "draft" | "model";

  /** @throws ControllerError OPTION, CONFIG */
  constructor(options: HybridControllerOptions) {
    checkOptions("`HybridController`", options, { draft: "own", refine: "own", minConfidence: "own", prefer: "own" });
    const { draft, refine, minConfidence = 0.3, prefer = "draft" } = options;
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
    if (prefer !== "draft" && prefer !== "model") {
      throw new ControllerError(
        ControllerErrorCode.CONFIG,
        `Expected \`prefer\` to be "draft" or "model", got \`${String(prefer)}\`.`,
        { details: { option: "prefer" } },
      );
    }
    this.#prefer = prefer;
    this.#draft = draft;
    this.#refine = refine;
    this.#checked = refine instanceof LlmController ? refine.withRules(draft) : refine;
    this.#minConfidence = minConfidence;
    this.maxResources = refine.maxResources ?? Number.POSITIVE_INFINITY;
    this.ranksAbove = refine.ranksAbove ?? this.maxResources;
    this.name = `hybrid:${draft.name}+${refine.name}`;
  }

  /** Of both, one after the other. */
  get timeoutMs(): number | undefined {
    const both = (this.#draft.timeoutMs ?? 0) + (this.#refine.timeoutMs ?? 0);
    return both > 0 ? both : undefined;
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
    const mayDraft = request.replan === undefined && request.job !== undefined;
    const drafted = mayDraft ? await draftedBy(this.#draft, request, options) : undefined;
    // The answer to what was wrong with a plan is the other controller's alone.
    const draft = tries === 0 || isLast ? drafted?.draft : undefined;
    if (draft === undefined) {
      if (this.#prefer === "model" || drafted?.refusal === undefined)
        return this.#refine.processPhase1(request, options);
      const reply = await this.#checked.processPhase1(request, options);
      return this.#checked === this.#refine ? doubted(reply, drafted, request) : reply;
    }
    if (draft.isWhole && candidate === 1) return { ...draft.reply, ...draftedIn(draft) };
    // What is still open in it becomes a question, which is better than no plan.
    if (isLast) return { ...instead(draft, "Its answers could not be used."), certain: true };
    if (draft.isWhole && candidate === 0 && draft.confidence >= this.#minConfidence)
      return { ...draft.reply, certain: true };
    return this.#refinedOr(draft, request, options);
  }

  /** The other controller's plan; the draft where that one has none and would have none. */
  async #refinedOr(draft: DraftedPlan, request: Phase1Request, options: CallOptions): Promise<ControllerReply> {
    const mayStandIn = draft.isWhole && (request.candidate ?? 0) === 0;
    try {
      const reply = await this.#refine.processPhase1(withConsidered(draft, request), options);
      if (reply.success) {
        const plan = { ...settled(draft, reply, request, this.#prefer), ...draftedIn(draft) };
        return this.#prefer === "draft" ? withUnserved(draft, plan, request) : plan;
      }
      return mayStandIn && reply.final === true ? instead(draft, reply.message ?? "It refused.") : reply;
    } catch (error) {
      if (options.signal?.aborted === true || !mayStandIn) throw error;
      return instead(draft, thrownText(error));
    }
  }

  async processPhase2(request: Phase2Request, options: CallOptions = {}): Promise<ControllerReply> {
    const first = (request.feedback ?? []).length === 0;
    const bound = first ? await attempt(() => this.#draft.processPhase2(request, quiet(options)), options) : undefined;
    if (bound?.success === true && (bound.issues ?? []).length === 0) return bound;
    return this.#refine.processPhase2(request, options);
  }
}

/** The draft as the plan, with the reason why no better one was made. */
function instead({ reply }: DraftedPlan, reason: string): ControllerReply {
  const issue: PlanIssue = {
    code: IssueCode.UNRESOLVED,
    severity: "warning",
    message: `The model gave no plan, so this is the draft that was made without it. ${reason}`,
  };
  return { ...reply, issues: [...(reply.issues ?? []), issue] };
}

/** The plan of the model and the draft as one. */
function settled(
  draft: DraftedPlan,
  reply: ControllerReply,
  request: Phase1Request,
  prefer: "draft" | "model",
): ControllerReply {
  const tasks = tasksOf(reply.data);
  if (tasks === undefined || tasks.length === 0) return reply;
  const said = saidIn(request);
  const byId = resourcesOf(request);
  const isMadeUp = prefer === "model" ? () => false : madeUpIn(said, byId);
  const parameters = (callee: string) => Object.keys(propertiesOf(byId.get(callee)?.input_schema));
  const plan = settleCalls(draft.calls, tasks, said, { parameters, isMadeUp }, prefer);
  if (plan === undefined) return reply;
  const { metadata, planned_tasks: _, ...data } = isRecord(reply.data) ? reply.data : {};
  const origins = Object.fromEntries(plan.origins);
  const withDraft = { ...(isRecord(metadata) && metadata), draft: { confidence: draft.confidence, tasks: origins } };
  const issues = openIssues(draft, reply, plan);
  return { ...reply, data: { ...data, tasks: plan.tasks, metadata: withDraft }, issues };
}

/** What both say of their plans, as far as it holds for the one that was made of them: what is still missing, by the ids that tasks have now. */
function openIssues(draft: DraftedPlan, reply: ControllerReply, { tasks, names, open }: SettledPlan): PlanIssue[] {
  const given = new Map(
    tasks.map(({ task_id, arguments: values }) => [String(task_id), isRecord(values) ? values : {}]),
  );
  const holds = ({ task_id, argument_path: path }: PlanIssue) =>
    task_id === undefined ||
    (given.has(task_id) &&
      (path === undefined || !Object.hasOwn(given.get(task_id) ?? {}, path.split(/[.[]/, 1)[0] ?? path)));
  const own = (reply.issues ?? []).map((issue) =>
    issue.task_id === undefined ? issue : { ...issue, task_id: names.get(issue.task_id) ?? "" },
  );
  const drafted = (draft.reply.issues ?? []).filter(({ argument_path: path }) => path !== undefined);
  const seen = new Set<string>();
  return [...own, ...drafted, ...questionsFor(open)]
    .filter(holds)
    .filter(({ code, task_id, argument_path: path, message }) => {
      const key = JSON.stringify([code, task_id, path ?? message]);
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew;
    });
}
