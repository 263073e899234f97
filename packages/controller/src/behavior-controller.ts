import { callNow, type JobInput, type PlanIssue, type PlanningContext, type Resource } from "@planloom/plan";
import type { ModelCall } from "./model.ts";
import type { ReplanRequest } from "./replan-request.ts";

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Called with each piece of text as a model writes it. */
  readonly onDelta?: (text: string) => void;
  /** Called before the first piece of an answer that takes the place of one that was begun: what `onDelta` was given until then does not count. */
  readonly onRestart?: () => void;
  /** Asked before each model call. Resolves when it may be made; what it rejects with is the call's end. */
  readonly beforeCall?: () => Promise<void>;
  /** Called after each model call, failed ones too; what it throws is ignored. */
  readonly onCall?: (call: ModelCall) => void;
  /**
   * The most requests that the transport may make, at least 1, of the caller's budget: retries after a fault and requests in another form
   * included. @default the transport's own
   */
  readonly maxRequests?: number;
  /** A model request with more characters is refused with ControllerError PROMPT_TOO_LARGE before it is sent. @default no limit */
  readonly maxPromptCharacters?: number;
}

/** What an earlier attempt at the same request got wrong. */
export interface AttemptFeedback {
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly issues: readonly PlanIssue[];
  /** What was answered, as text; absent when nothing came. */
  readonly answer?: string;
}

/** The present, as plans are to see it. */
export interface PlanningTime {
  /** ISO 8601. */
  readonly now: string;
  /** IANA name of the zone whose calendar counts. */
  readonly time_zone: string;
}

interface ControllerRequest {
  /** Unique per request. */
  readonly search_id: string;
  /** What "today" and "next week" mean. */
  readonly time?: PlanningTime;
  /**
   * The request's text in its sections, without the resources and with what is asked last: for a controller that describes the resources itself,
   * before all else. Absent where the text, or the function that describes the resources, is the caller's own.
   */
  readonly sections?: readonly string[];
  readonly resources?: readonly Resource[];
  /**
   * Present where the descriptions of all `resources` do not fit into a prompt: those that the text describes, shortened.
   * A controller that writes a prompt of its own describes these.
   */
  readonly shown_resources?: readonly Resource[];
  /** Those are in the order of their relevance, the best first. @default false */
  readonly ranked?: boolean;
  /** Every earlier attempt, oldest first. The text says the same in words. */
  readonly feedback?: readonly AttemptFeedback[];
}

/** The wire part of the Agents Planning System: all that a remote text-only controller needs. */
export interface TaskInput {
  readonly task_input_data: string;
  /** @default 0 */
  readonly n_history_samples: number;
  /** Model name, temperature, max_tokens and other settings of a model call. */
  readonly llm_data: Readonly<Record<string, unknown>>;
}

/** A job to be planned, or marked tasks to be replanned. */
export interface Phase1Request extends ControllerRequest {
  readonly phase_1_data: TaskInput;
  /** The job as data, for a controller that is not a language model. */
  readonly job?: JobInput;
  readonly context?: PlanningContext;
  /** Several plans are compared, and this asks for one after the first: its number, from 1 on. Absent for the first. */
  readonly candidate?: number;
  /** How the caller wants this one job planned, in words. The text of `Planner` says the same. */
  readonly instructions?: string;
  /** Present: the marked tasks of a plan are to be replaced; no new plan is asked for. */
  readonly replan?: ReplanRequest;
}

/** One task to be bound to a resource and its input. */
export interface Phase2Request extends ControllerRequest {
  readonly phase_2_data: TaskInput;
  /** The task as data; its references are resolved in `input`. */
  readonly task?: {
    readonly task_id: string;
    readonly description: string;
    readonly execution_type: string;
    readonly instructions: string | null;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
  /** The task's arguments with references resolved; what Stage 2 starts from. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/**
 * The answer. `success: false` is an answer too (the remote refused, the text could not be read); a controller that
 * cannot be reached rejects with `ControllerError`.
 */
export interface ControllerReply {
  readonly success: boolean;
  /** Phase 1: a plan in any shape `readPlanReply` knows; of a replan, what `ReplanRequest` says. Phase 2: `{uid, input_data, plan?}`. Untrusted. */
  readonly data?: unknown;
  readonly message?: string;
  /** Why a text could not be read. */
  readonly issues?: readonly PlanIssue[];
  /** The raw text of a model, think blocks and all. */
  readonly text?: string;
  /** Model calls made for this reply, for the journal and the bill. */
  readonly calls?: readonly ModelCall[];
  /** Requests that the reply took, of `maxRequests`. @default 1 */
  readonly requests?: number;
  /** With `success: true`: the controller is sure enough of its plan that no other is to be compared with it. @default false */
  readonly certain?: boolean;
  /** With `success: true`: what a planner without a model would call for the request, by ids, and how sure it is of its plan, 0 to 1. Weighs where plans are compared. */
  readonly drafted?: { readonly callees: readonly string[]; readonly confidence: number };
  /** With `success: false`: asking again would bring the same, so it is not done. @default false */
  readonly final?: boolean;
}

/** Answers the planning questions: an LLM, a remote service, or the embedded planner. */
export interface BehaviorController {
  /** `embedded`, `llm:MODEL`, `http:HOST`; for events and logs. */
  readonly name: string;
  /** Equal requests get equal replies, so a refusal is final and is not asked for again. @default false */
  readonly deterministic?: boolean;
  /**
   * How many characters it would send to a model for this request: messages, and the schema of the answer. 0 when it asks no
   * model. @default those of the request's text
   */
  promptCharacters?(request: Phase1Request | Phase2Request): number;
  /**
   * How many resources it wants described at most: those that fit the request best, the best first. An attempt after a wrong one is shown three times as
   * many, further ones all that fit. @default all that fit
   */
  readonly maxResources?: number;
  /** Above how many resources it wants them in that order though it takes them all: it describes the last ones in brief. @default `maxResources` */
  readonly ranksAbove?: number;
  /**
   * How long one answer may take by its own limit, in milliseconds: planners wait for longer than that, so that it can say itself what took too
   * long. @default it says nothing of it
   */
  readonly timeoutMs?: number | undefined;
  processPhase1(request: Phase1Request, options?: CallOptions): Promise<ControllerReply>;
  processPhase2(request: Phase2Request, options?: CallOptions): Promise<ControllerReply>;
}

/**
 * What `controller` says of a request, else the length of the request's text.
 * @throws PlanError CALLBACK when `promptCharacters` throws or gives no number
 */
export function promptCharactersOf(controller: BehaviorController, request: Phase1Request | Phase2Request): number {
  const { task_input_data } = "phase_1_data" in request ? request.phase_1_data : request.phase_2_data;
  if (controller.promptCharacters === undefined) return task_input_data.length;
  return callNow(
    "controller.promptCharacters",
    () => controller.promptCharacters?.(request),
    "a number of characters",
    (value): value is number => typeof value === "number" && value >= 0,
  );
}
