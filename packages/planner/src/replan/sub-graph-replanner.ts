import type {
  AttemptFeedback,
  ControllerReply,
  Phase1Request,
  ReplanFailure,
  ReplanRequest,
} from "@planloom/controller";
import {
  applyPatch,
  type BindOptions,
  draftPatch,
  type OptionChecks,
  type PlanIssue,
  type PlanPatch,
  type Resource,
  resourceCatalogue,
  resourcePin,
  type SubGraph,
  subGraphAfter,
  type TaskData,
  verifyPatch,
  withDeclaredEffects,
} from "@planloom/plan";
import { attemptUntilValid, failureText, type Reading } from "../attempt-until-valid.ts";
import { checkOptions } from "../check-options.ts";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import { eventSource } from "../events.ts";
import { newSearchIdOf, planFunctions } from "../given-functions.ts";
import { checkTimeZone, planningTime } from "../planning-time.ts";
import { fitRequest, type ShownResources, shownField } from "../prompt-size/fit-request.ts";
import { joinSections, type PlannerPrompts, promptsWith } from "../prompts/planner-prompts.ts";
import { callHooks, withHooks } from "../recorded-call.ts";
import { withSilentMissing } from "../stage1/judge-plan.ts";
import {
  checkHistorySamples,
  maxMendings,
  type PlannerOptions,
  plannerChecks,
  plannerConfig,
  raisedTemperature,
} from "../stage1/planner-options.ts";
import { inWrittenNames } from "./in-written-names.ts";
import { conditionIssues } from "./kept-conditions.ts";
import { mendPatch } from "./mend-patch.ts";
import { planOfSubgraph } from "./plan-of-subgraph.ts";
import { readReplanReply } from "./read-replan-reply.ts";
import { replanRequest } from "./replan-request.ts";
import { withRunPolicy } from "./with-run-policy.ts";

export interface SubGraphRePlannerOptions extends Omit<PlannerOptions, "resources"> {
  /** What can execute tasks now, of every kind: agents, tools (code generators too), models, workflows. */
  readonly resources?: readonly Resource[] | (() => readonly Resource[]);
  /** What new tasks may read in addition to one another, as for `verifyPatch`. @default "upstream" */
  readonly inputs?: "upstream" | "any";
}

export interface ReplanOptions extends Partial<Pick<BindOptions, "beforeCall" | "onCall">> {
  /**
   * The plan that the subgraph is part of.
   * @default the subgraph's tasks alone; what they need of other subgraphs counts as given, and nothing is known of its output
   */
  readonly plan?: TaskData;
  /** Wishes in words, added to the prompt. */
  readonly customAppendText?: string;
  /** Why tasks failed, by task id. */
  readonly failures?: ReadonlyMap<string, ReplanFailure>;
  /** Tasks of the plan that may be replaced along with the marked ones, and stay when the answer does not name them. */
  readonly optional?: readonly string[];
  /** A further check of each patch; its issues go back to the controller with the others. */
  readonly verify?: (patch: PlanPatch) => readonly PlanIssue[];
  /** Sent as `llm_data`; keys override the constructor's. */
  readonly llmData?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

const checks = {
  ...plannerChecks,
  resources: { either: ["list", "function"] },
  inputs: ["upstream", "any"],
} as const satisfies OptionChecks<SubGraphRePlannerOptions>;

const replanChecks = {
  plan: "object",
  customAppendText: "text",
  failures: "object",
  optional: "texts",
  verify: "function",
  llmData: "object",
  signal: "signal",
  beforeCall: "function",
  onCall: "function",
} as const satisfies OptionChecks<ReplanOptions>;

export interface Replanned {
  /** The subgraph with its tasks as they are now; the same object when nothing was marked. */
  readonly subgraph: SubGraph;
  /** The plan after the patch; the same object when nothing was marked. */
  readonly plan: TaskData;
  /** What was changed in the whole plan; absent when nothing was marked, or nothing needed to be changed. */
  readonly patch?: PlanPatch;
}

/** What all requests of one replanning have in common. */
interface AskedReplan extends Required<Pick<ReplanOptions, "customAppendText">> {
  readonly searchId: string;
  readonly replan: ReplanRequest;
  /** What is to be replaced, and why, as the prompt says it. */
  readonly text: string;
  readonly time: ReturnType<typeof planningTime>;
  readonly resources: readonly Resource[];
  readonly llmData: ReplanOptions["llmData"];
}

/** What a reply is read by. */
interface ReadReplan {
  readonly marked: readonly string[];
  readonly optional: readonly string[];
  /** Both. */
  readonly region: readonly string[];
  readonly catalogue: ReturnType<typeof resourceCatalogue>;
  readonly verify: ReplanOptions["verify"];
}

/**
 * Replaces the marked tasks of a subgraph (the Agents Planning System) and proves that nothing else changed. The controller only proposes:
 * its answer becomes a patch, which is verified before it is applied; a patch with issues goes back to it.
 */
export class SubGraphRePlanner {
  readonly #options: SubGraphRePlannerOptions;
  readonly #maxAttempts: number;
  readonly #historySamples: number;
  readonly #temperature: number;
  readonly #maxPromptCharacters: number;
  readonly #timeoutMs: number;
  readonly #prompts: PlannerPrompts;

  /** @throws PlannerError CONFIG */
  constructor(options: SubGraphRePlannerOptions) {
    if (typeof options?.controller?.processPhase1 !== "function") {
      throw new PlannerError(PlannerErrorCode.CONFIG, "Expected `controller` to be a BehaviorController.", {
        details: { option: "controller" },
      });
    }
    const { maxAttempts, temperature, timeoutMs, maxPromptCharacters } = plannerConfig(options);
    checkOptions("a replanner", options, checks);
    this.#historySamples = checkHistorySamples(options.nHistorySamples);
    checkTimeZone(options.timeZone);
    this.#options = options;
    this.#maxAttempts = maxAttempts;
    this.#temperature = temperature;
    this.#maxPromptCharacters = maxPromptCharacters;
    this.#timeoutMs = timeoutMs;
    this.#prompts = promptsWith(options.prompts);
  }

  /**
   * New tasks in the place of those of `subgraph` that have `mark_replan`. Makes no call when none has and none is optional. Neither the subgraph
   * nor the plan is changed; on an error both stay unchanged.
   * @throws PlannerError REPLAN_INPUT when plan and subgraph do not belong together; PROMPT_TOO_LARGE before a call; NO_VALID_REPLAN after `maxAttempts`
   *   attempts, every attempt's issues and answer in `details.attempts`; TIMEOUT when an answer takes too long.
   * @throws ControllerError when asking again cannot help; `signal.reason` after an abort.
   */
  async replaceReplanTasks(subgraph: SubGraph, options: ReplanOptions = {}): Promise<Replanned> {
    checkOptions("`replaceReplanTasks`", options, replanChecks);
    const { signal } = options;
    signal?.throwIfAborted();
    const alone = options.plan === undefined ? planOfSubgraph(subgraph) : undefined;
    const plan = options.plan ?? alone!.plan;
    const marked = subgraph.tasks.filter((task) => task.mark_replan).map(({ task_id }) => task_id);
    const optional = (options.optional ?? []).filter((id) => !marked.includes(id));
    const region = [...marked, ...optional];
    const given = (after: TaskData) => alone?.withoutStandIns(after) ?? after;
    if (region.length === 0) return { subgraph, plan: given(plan) };
    requireMembers(plan, region);
    const searchId = newSearchIdOf(this.#options.newSearchId);
    const emit = eventSource(searchId, this.#options.onEvent);
    emit({ type: "replan-start", planId: plan.task_id, taskIds: marked, controller: this.#options.controller.name });
    try {
      const patch = await this.#propose(plan, marked, { ...options, optional }, searchId, emit);
      if (patch === undefined) {
        emit({ type: "replan-end", planId: plan.task_id, tasks: 0 });
        return { subgraph, plan: given(plan) };
      }
      const after = applyPatch(plan, patch, this.#verification(region, "warning"));
      emit({ type: "replan-end", planId: plan.task_id, patchId: patch.patch_id, tasks: patch.tasks.length });
      return { subgraph: subGraphAfter(subgraph, patch, after), plan: given(after), patch };
    } catch (error) {
      const { code = "ABORTED", message = String(error) } = (error ?? {}) as { code?: unknown; message?: string };
      emit({ type: "replan-error", planId: plan.task_id, code: String(code), message });
      throw error;
    }
  }

  async #propose(
    plan: TaskData,
    marked: readonly string[],
    { customAppendText = "", failures = new Map(), llmData, optional = [], verify, ...given }: ReplanOptions,
    searchId: string,
    emit: ReturnType<typeof eventSource>,
  ): Promise<PlanPatch | undefined> {
    const { controller } = this.#options;
    const { signal, beforeCall, onCall } = given;
    const hooks = callHooks({ beforeCall, onCall });
    const resources = this.#resources();
    const catalogue = resourceCatalogue(resources);
    const region = [...marked, ...optional];
    const facts = { plan, marked: new Set(region), failures, catalogue, note: customAppendText };
    const replan = replanRequest({ ...facts, optional: new Set(optional) });
    const asked: AskedReplan = {
      ...{ searchId, replan, resources, customAppendText, llmData },
      text: this.#prompts.replan(replan),
      time: planningTime(this.#options),
    };
    const maxPromptCharacters = this.#maxPromptCharacters;
    const result = await attemptUntilValid<PlanPatch | typeof unchanged>({
      maxAttempts: this.#maxAttempts,
      timeoutMs: this.#timeoutMs,
      deterministic: controller.deterministic === true,
      signal,
      send: (feedback, call) => {
        const { request } = fitRequest({
          ...{ controller, maxPromptCharacters, resources },
          query: () => joinSections([wantedIn(replan), customAppendText]),
          write: (shown) => this.#requestOf(asked, shown, feedback),
          tries: feedback.length,
        });
        return controller.processPhase1(request, { ...withHooks(call, hooks), maxPromptCharacters });
      },
      read: (reply) => this.#readReply(reply, plan, { marked, optional, region, catalogue, verify }),
      onAttempt: ({ attempt, issues, calls, requests, durationMs }) =>
        emit({ type: "replan-attempt", attempt, maxAttempts: this.#maxAttempts, issues, calls, requests, durationMs }),
    });
    if (result.found) return result.value === unchanged ? undefined : result.value;
    throw new PlannerError(
      PlannerErrorCode.NO_VALID_REPLAN,
      `The plan was not changed: no valid replacement for ${marked.slice(0, 5).join(", ")} after ${failureText(result.attempts)}`,
      {
        details: {
          attempts: result.attempts.map(({ attempt, issues, answer }) => ({ attempt, issues, answer })),
          controller: controller.name,
          task_ids: marked,
        },
        ...(result.cause === undefined ? {} : { cause: result.cause }),
      },
    );
  }

  /** The request of one attempt. @param shown the resources that it lists */
  #requestOf(asked: AskedReplan, shown: ShownResources, feedback: readonly AttemptFeedback[]): Phase1Request {
    const { searchId, replan, text, time, resources, customAppendText, llmData } = asked;
    const note = this.#prompts.replanNote(customAppendText);
    const wrong = this.#prompts.feedback(feedback);
    return {
      search_id: searchId,
      phase_1_data: {
        task_input_data: joinSections([text, this.#prompts.resources(shown.resources, shown.leftOut), note, wrong]),
        n_history_samples: this.#historySamples,
        llm_data: { temperature: this.#temperatureOf(feedback.length), ...this.#options.llmData, ...llmData },
      },
      replan,
      time,
      // Resources may be listed elsewhere only where their text is ours.
      ...(this.#options.prompts?.resources === undefined && {
        sections: [wrong, note, text].filter((section) => section !== ""),
      }),
      ...(resources.length === 0 ? {} : { resources }),
      ...shownField(shown),
      ...(feedback.length === 0 ? {} : { feedback }),
    };
  }

  /** The patch that a reply proposes, put right where that is plain, with what is wrong with it. */
  #readReply(
    reply: ControllerReply,
    plan: TaskData,
    { marked, optional, region, catalogue, verify }: ReadReplan,
  ): Reading<PlanPatch | typeof unchanged> {
    const { now, newId } = planFunctions(this.#options);
    const read = readReplanReply(reply.data, marked, optional);
    if (read.proposal === undefined) return { issues: [...read.issues, ...(reply.issues ?? [])] };
    const { tasks, drop = [] } = read.proposal;
    if (tasks.length + drop.length === 0) return { value: unchanged, issues: reply.issues ?? [] };
    const unkept = conditionIssues(read.proposal, plan);
    if (unkept.length > 0) return { issues: unkept };
    const drafted = draftPatch(plan, withRunPolicy(read.proposal, plan), { newId, now });
    if (drafted.patch === undefined) return { issues: drafted.issues };
    const verified = (patch: PlanPatch) =>
      withSilentMissing(verifyPatch(plan, patch, this.#verification(region, "error")), patch.tasks);
    let { patch } = drafted;
    let issues = verified(patch);
    const mendings: PlanIssue[] = [];
    // What another planner wrote is its own to mend. A field that is put right may show that its type does not fit.
    for (let round = 0; round < maxMendings && (reply.calls ?? []).length > 0; round += 1) {
      const mended = mendPatch(plan, patch, issues, catalogue);
      if (mended.issues.length === 0) break;
      mendings.push(...mended.issues);
      patch = mended.patch;
      issues = verified(patch);
    }
    const said = new Set(issues.map(({ message }) => message));
    const more = (verify?.(patch) ?? []).filter(({ message }) => !said.has(message));
    const written = inWrittenNames([...issues, ...more, ...mendings], patch, tasks);
    return { value: patch, issues: [...written, ...(reply.issues ?? [])] };
  }

  /** Ours rises with each wrong answer, at the same one a model repeats it; the caller's stays. */
  #temperatureOf(tries: number): number {
    return this.#options.temperature === undefined ? raisedTemperature(this.#temperature, tries) : this.#temperature;
  }

  #resources(): readonly Resource[] {
    const { resources = [] } = this.#options;
    return withDeclaredEffects(typeof resources === "function" ? resources() : resources);
  }

  /** Once judged, a missing argument is Stage 2's to fill in. */
  #verification(region: readonly string[], missingArguments: "warning" | "error") {
    const { inputs = "upstream", validateToolAvailability = true } = this.#options;
    const resources = this.#resources();
    return validateToolAvailability && resources.length > 0
      ? { region, inputs, resources, missingArguments }
      : { region, inputs };
  }
}

/** The words of what is to be replaced and why: what it is for, what it used, what failed. */
function wantedIn({ tasks }: ReplanRequest): string {
  const texts = tasks.map(({ task, failure, consumers }) => [
    task.description,
    resourcePin(task).uid,
    failure?.message,
    ...consumers.map(({ description }) => description),
  ]);
  return texts.flat().join("\n");
}

/** The answer that nothing needs to be changed. */
const unchanged = Symbol("unchanged");

function requireMembers(plan: TaskData, marked: readonly string[]): void {
  const known = new Set(plan.planned_tasks.map(({ task_id }) => task_id));
  const strange = marked.filter((id) => !known.has(id));
  if (strange.length === 0) return;
  throw new PlannerError(
    PlannerErrorCode.REPLAN_INPUT,
    `Expected the marked tasks to be tasks of the plan, but ${strange.slice(0, 5).join(", ")} is not. Pass the plan that the subgraph was made from.`,
    { details: { task_ids: strange, plan_id: plan.task_id } },
  );
}
