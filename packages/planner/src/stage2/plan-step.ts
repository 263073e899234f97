import type {
  AttemptFeedback,
  BehaviorController,
  CallOptions,
  Phase2Request,
  PlanningTime,
} from "@planloom/controller";
import {
  kindRecord,
  type PlanIssue,
  type PlannerTask,
  type Resource,
  type ResourceCatalogue,
  rememberJudgedStep,
  type Step,
  validateStep,
} from "@planloom/plan";
import { attemptUntilValid, failureText, isError, type Reading } from "../attempt-until-valid.ts";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import { eventSource, type PlannerEvent } from "../events.ts";
import { newSearchIdOf } from "../given-functions.ts";
import { fitRequest, type ShownResources, shownField } from "../prompt-size/fit-request.ts";
import { joinSections, type PlannerPrompts } from "../prompts/planner-prompts.ts";
import { withHooks } from "../recorded-call.ts";
import { closestIds } from "./closest-ids.ts";
import { readStepReply, type StepAnswer } from "./read-step-reply.ts";
import { makeStep, settledStep } from "./settled-step.ts";

export interface StepRequest {
  readonly controller: BehaviorController;
  readonly catalogue: ResourceCatalogue;
  /** Resources that may execute the task; a pinned task has one. Not empty. */
  readonly candidates: readonly Resource[];
  readonly pinned: boolean;
  /** For messages: what kind of thing is chosen. */
  readonly noun: string;
  /** The prompt without feedback; made only when a controller is asked. */
  readonly describe: (shown: ShownResources) => string;
  /** The same in sections without the resources, what is asked last; undefined where the caller wrote the text or describes the resources. */
  readonly sections: readonly string[] | undefined;
  /** What is to be done, in words: resources are ranked by it where not all fit into the prompt. */
  readonly wanted: string;
  readonly maxPromptCharacters: number;
  readonly task?: PlannerTask;
  /** References resolved. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly outputModule?: string;
  readonly maxAttempts: number;
  /** Limit for one answer of the controller, in milliseconds. */
  readonly timeoutMs: number;
  readonly llmData: Readonly<Record<string, unknown>>;
  readonly nHistorySamples: number;
  /** What "today" means; made only when a controller is asked. */
  readonly time: () => PlanningTime;
  readonly prompts: PlannerPrompts;
  readonly signal?: AbortSignal;
  /** Called before and after each model call. */
  readonly hooks?: Pick<CallOptions, "beforeCall" | "onCall">;
  readonly onEvent?: (event: PlannerEvent) => void;
  readonly newSearchId?: () => string;
}

/**
 * Stage 2 for one task: the settled step when nothing is left to decide, else the controller's answer, checked against the
 * chosen resource's input schema, with feedback and retry.
 *
 * @throws PlannerError PROMPT_TOO_LARGE before a call; NO_VALID_STEP after `maxAttempts`; `signal.reason` after an abort.
 */
export async function planStep(request: StepRequest): Promise<Step> {
  request.signal?.throwIfAborted();
  const settled = settledStep(request.candidates, request.pinned, request.input, request.outputModule);
  if (settled !== undefined) return settled;

  const { controller, task, signal } = request;
  const searchId = newSearchIdOf(request.newSearchId);
  const taskId = task?.task_id ?? "";
  const emit = eventSource(searchId, request.onEvent);
  emit({ type: "bind-start", taskId, controller: controller.name });
  try {
    const time = request.time();
    const result = await attemptUntilValid<Step>({
      maxAttempts: request.maxAttempts,
      timeoutMs: request.timeoutMs,
      deterministic: controller.deterministic === true,
      signal,
      send: (feedback, call) => {
        const write = (shown: ShownResources): Phase2Request => ({
          search_id: searchId,
          phase_2_data: {
            task_input_data: joinSections([request.describe(shown), request.prompts.feedback(feedback)]),
            n_history_samples: request.nHistorySamples,
            llm_data: request.llmData,
          },
          resources: request.candidates,
          ...shownField(shown),
          input: request.input,
          ...(task === undefined ? {} : { task: taskOnWire(task) }),
          ...(feedback.length === 0 ? {} : { feedback }),
          time,
          ...(request.sections === undefined ? {} : { sections: withFeedback(request, feedback) }),
        });
        const { maxPromptCharacters, candidates: resources } = request;
        const query = () => request.wanted;
        const fitted = fitRequest({
          controller,
          maxPromptCharacters,
          resources,
          query,
          write,
          tries: feedback.length,
        });
        return controller.processPhase2(fitted.request, { ...withHooks(call, request.hooks), maxPromptCharacters });
      },
      read: (reply) => {
        const { step: answer, ...unread } = readStepReply(reply.data);
        if (answer === undefined) return { issues: "issues" in unread ? unread.issues : [] };
        const read = judgeStep(answer, request);
        return { ...read, issues: [...read.issues, ...(reply.issues ?? [])] };
      },
      onAttempt: ({ attempt, issues, calls, requests, durationMs }) =>
        emit({
          type: "bind-attempt",
          taskId,
          attempt,
          maxAttempts: request.maxAttempts,
          issues,
          calls,
          requests,
          durationMs,
        }),
    });
    if (!result.found) {
      throw new PlannerError(
        PlannerErrorCode.NO_VALID_STEP,
        `Failed to generate valid input for ${taskId === "" ? `the ${request.noun}` : `task "${taskId}"`} after ${failureText(result.attempts)}`,
        {
          details: {
            task_id: taskId,
            attempts: result.attempts.map(({ attempt, issues, answer }) => ({ attempt, issues, answer })),
            controller: controller.name,
          },
          ...(result.cause === undefined ? {} : { cause: result.cause }),
        },
      );
    }
    emit({ type: "bind-end", taskId, uid: result.value.uid });
    return result.value;
  } catch (error) {
    const { code = "ABORTED", message = String(error) } = (error ?? {}) as { code?: unknown; message?: string };
    emit({ type: "bind-error", taskId, code: String(code), message });
    throw error;
  }
}

function withFeedback(
  { sections = [], prompts }: StepRequest,
  feedback: readonly AttemptFeedback[],
): readonly string[] {
  return [prompts.feedback(feedback), ...sections].filter((section) => section !== "");
}

/** The answer as a step: the resource must be one of the candidates and its input valid. */
function judgeStep(answer: StepAnswer, request: StepRequest): Reading<Step> {
  const { candidates, catalogue } = request;
  const allowed = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const kinds = new Set(candidates.map(({ kind }) => kind));
  const found = [...kinds]
    .map((kind) => catalogue.find(kind, answer.uid))
    .find((resource) => resource && allowed.has(resource.id));
  if (found === undefined) return { issues: [unknownUid(answer.uid, request)] };
  // A controller that names only the resource (the Agents Planning System's controller document) leaves the input as it is.
  const written = answer.input !== undefined && Object.keys(answer.input).length > 0;
  const step = makeStep(
    found.id,
    written ? { ...answer.input } : { ...request.input },
    answer.plan,
    request.outputModule,
  );
  const issues = validateStep(step, found);
  if (!issues.some(isError)) rememberJudgedStep(step, found);
  return { value: step, issues };
}

function unknownUid(uid: string, { candidates, noun, task }: StepRequest): PlanIssue {
  const ids = closestIds(
    uid,
    candidates.map(({ id }) => id),
  );
  return {
    code: kindRecord(candidates[0]?.kind ?? "tool").unknownCode,
    severity: "error",
    message:
      candidates.length === 1
        ? `The task is for the ${noun} "${ids[0]}"; "${uid.slice(0, 128)}" may not be used.`
        : `Unknown ${noun} "${uid.slice(0, 128)}".`,
    ...(task === undefined ? {} : { task_id: task.task_id }),
    argument_path: "uid",
    resource_id: uid.slice(0, 128),
    actual: uid.slice(0, 128),
    repair: { operation: "replace", candidates: ids },
  };
}

function taskOnWire(task: PlannerTask): NonNullable<Phase2Request["task"]> {
  const { task_id, description, execution_type, instructions, parameters } = task;
  return { task_id, description, execution_type, instructions, parameters };
}
