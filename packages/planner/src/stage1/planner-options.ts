import type { BehaviorController } from "@planloom/controller";
import type { OptionChecks, Resource } from "@planloom/plan";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import type { PlannerEvent } from "../events.ts";
import type { PlanningClock } from "../planning-time.ts";
import { checkPromptCharacters } from "../prompt-size/fit-request.ts";
import { type PlannerPrompts, promptChecks } from "../prompts/planner-prompts.ts";
import { type CandidateOptions, candidatesCheck } from "./candidates/candidate-options.ts";

/** Which controller makes the plans, and what it is sent. */
export interface PlannerOptions extends PlanningClock {
  readonly controller: BehaviorController;
  /** What can execute tasks: tools, agents, models, workflows. @default none */
  readonly resources?: readonly Resource[];
  /** Sent as `llm_data.temperature`, 0 to 2, unless `llmData` has one. @default 0.1 */
  readonly temperature?: number;
  /** Attempts in all, at least 1; requests of the transport count, retries and refused forms included. @default 3 */
  readonly maxAttempts?: number;
  /**
   * Limit for one answer of the controller, in milliseconds, its own retries included; `Infinity` for none. What it does later is
   * ignored. @default 600_000, or what the controller takes by its own limit where that is more
   */
  readonly timeoutMs?: number;
  /**
   * How many plans are made for a goal and compared, 1 to 16, or that with limits. The further ones are sampled at a higher temperature, and each is asked for
   * once; the best of the valid ones is taken (`metadata.candidates` says which and why). A controller that is certain of its plan is not
   * asked again. @default 1
   */
  readonly candidates?: number | CandidateOptions;
  /** False lets tasks name resources that are not in `resources`; a run fails such a task when its turn comes, if it is not there by then. @default true */
  readonly validateToolAvailability?: boolean;
  /**
   * The most characters of one request to a model: the text, what the controller adds, the schema of the answer. Where all resources do not
   * fit, their descriptions and schemas are shortened alike, then those that fit the goal least are left out. @default 400_000
   */
  readonly maxPromptCharacters?: number;
  /** Sent as `llm_data` with every request: model, max_tokens, … Overridden by `createPlan`'s. */
  readonly llmData?: Readonly<Record<string, unknown>>;
  /**
   * How many earlier requests a remote Behavior Controller shows its model with their answers: `n_history_samples` of each
   * request. A controller of this process keeps none. @default 0
   */
  readonly nHistorySamples?: number;
  /** Replaces texts of the prompt. @default plannerPrompts */
  readonly prompts?: Partial<PlannerPrompts>;
  readonly onEvent?: (event: PlannerEvent) => void;
  /** Makes the plan's id. @default a random id of letters and digits */
  readonly newId?: () => string;
  /** Makes `search_id`. @default a random UUID */
  readonly newSearchId?: () => string;
}

/** What is checked of the options that planners of both stages have; ranges are checked where they are read. */
export const commonChecks = {
  controller: "own",
  maxAttempts: "own",
  maxPromptCharacters: "own",
  timeoutMs: "own",
  llmData: "object",
  nHistorySamples: "own",
  prompts: { options: promptChecks },
  onEvent: "function",
  newSearchId: "function",
  now: "function",
  present: "function",
  timeZone: "own",
} as const satisfies Partial<OptionChecks<PlannerOptions>>;

/** What is checked of each option of Stage 1. */
export const plannerChecks = {
  ...commonChecks,
  resources: "list",
  temperature: "own",
  candidates: candidatesCheck,
  validateToolAvailability: "boolean",
  newId: "function",
} as const satisfies OptionChecks<PlannerOptions>;

/** The configuration in force, with the Planner Agent's defaults. */
export interface PlannerConfig {
  readonly temperature: number;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly validateToolAvailability: boolean;
  readonly maxPromptCharacters: number;
}

export function plannerConfig(options: Partial<PlannerConfig> & ControllerOption): PlannerConfig {
  const { temperature = 0.1, validateToolAvailability = true } = options;
  if (typeof temperature !== "number" || !(temperature >= 0 && temperature <= 2)) {
    throw new PlannerError(
      PlannerErrorCode.CONFIG,
      `Expected \`temperature\` to be a number from 0 to 2, got \`${String(temperature)}\` (${typeof temperature}).`,
      { details: { option: "temperature" } },
    );
  }
  return {
    temperature,
    maxAttempts: readMaxAttempts(options),
    timeoutMs: readTimeout(options),
    validateToolAvailability,
    maxPromptCharacters: checkPromptCharacters(options.maxPromptCharacters),
  };
}

/** How often an answer is mended: a field that is put right may show that its type does not fit. */
export const maxMendings = 2;

/** How much each wrong answer adds to the default temperature, and where that ends. */
const temperatureStep = 0.3;
const maxTemperature = 0.7;

/** The default temperature after so many wrong answers. */
export function raisedTemperature(temperature: number, tries: number): number {
  return Math.min(maxTemperature, temperature + tries * temperatureStep);
}

/** @throws PlannerError CONFIG, for the name that the option had before too: nothing would be read from it */
export function readMaxAttempts(options: { readonly maxAttempts?: number | undefined }): number {
  if (Object.hasOwn(options, "maxRetries")) {
    throw new PlannerError(
      PlannerErrorCode.CONFIG,
      "`maxRetries` of planners is called `maxAttempts`: it counts attempts in all, the first one included.",
      { details: { option: "maxRetries" } },
    );
  }
  const { maxAttempts = 3 } = options;
  if (Number.isSafeInteger(maxAttempts) && maxAttempts >= 1) return maxAttempts;
  throw new PlannerError(
    PlannerErrorCode.CONFIG,
    `Expected \`maxAttempts\` (attempts in all) to be an integer of at least 1, got \`${String(maxAttempts)}\` (${typeof maxAttempts}).`,
    { details: { option: "maxAttempts" } },
  );
}

/** @throws PlannerError CONFIG */
export function checkHistorySamples(samples = 0): number {
  if (Number.isSafeInteger(samples) && samples >= 0) return samples;
  throw new PlannerError(
    PlannerErrorCode.CONFIG,
    `Expected \`nHistorySamples\` to be an integer of at least 0, got \`${String(samples)}\` (${typeof samples}).`,
    { details: { option: "nHistorySamples" } },
  );
}

interface ControllerOption {
  readonly controller?: BehaviorController;
}

const usualTimeoutMs = 600_000;
/** The controller ends its call itself, with an error that says what took too long. */
const slackMs = 1_000;

/**
 * The limit for one answer: what the caller says, else ten minutes, or what the controller takes by its own limit where that is more.
 * @throws PlannerError CONFIG
 */
export function readTimeout({
  timeoutMs: given,
  controller,
}: { readonly timeoutMs?: number | undefined } & ControllerOption): number {
  const own = controller?.timeoutMs ?? 0;
  const timeoutMs = given ?? (own > 0 ? Math.max(usualTimeoutMs, own + slackMs) : usualTimeoutMs);
  if (typeof timeoutMs === "number" && timeoutMs > 0) return timeoutMs;
  throw new PlannerError(
    PlannerErrorCode.CONFIG,
    `Expected \`timeoutMs\` (milliseconds that one answer of the controller may take) to be a number above 0, got \`${String(timeoutMs)}\` (${typeof timeoutMs}).`,
    { details: { option: "timeoutMs" } },
  );
}
