import { checkedAlike, FaultLog, IssueCode, notify, type OptionChecks, type PlanIssue } from "@planloom/plan";
import { abortable } from "@planloom/plan/internals";
import type {
  BehaviorController,
  CallOptions,
  ControllerReply,
  Phase1Request,
  Phase2Request,
  TaskInput,
} from "./behavior-controller.ts";
import { checkModelReply } from "./check-model-reply.ts";
import { checkOptions } from "./check-options.ts";
import { ControllerError, ControllerErrorCode } from "./errors.ts";
import { doubted, mayRefuse } from "./hybrid/doubted.ts";
import { draftedBy, draftedIn, quiet, withConsidered } from "./hybrid/drafted-by.ts";
import { filledFrom } from "./hybrid/filled-from.ts";
import { resourcesOf } from "./hybrid/of-request.ts";
import { withUnserved } from "./hybrid/unserved.ts";
import type { Model, ModelCall, ModelReply, ModelRequest, ModelUsage } from "./model.ts";
import { guessedTokens } from "./openai/guessed-tokens.ts";
import { PlanWatch } from "./plan-watch.ts";
import { type ControllerPrompts, controllerPrompts } from "./prompts/controller-prompts.ts";
import { type ProtocolName, protocols } from "./protocols/index.ts";
import { planloomReplan } from "./protocols/planloom-replan.ts";
import type { Phase, Protocol, ProtocolRequest, ProtocolSettings } from "./protocols/protocol.ts";
import { shownRequest } from "./shown-request.ts";
import { cut } from "./transport/cut.ts";
import { startDeadline } from "./transport/deadline.ts";
import { PlanVerifier } from "./verify/plan-verifier.ts";

export interface LlmControllerOptions {
  readonly model: Model;
  /** `kirha` and `planner-agent` are for models made for Kirha and the Planner Agent. @default "planloom" */
  readonly protocol?: ProtocolName | Protocol;
  /** Added to the system message of every request, before the instructions of the request itself. */
  readonly instructions?: string;
  /** Goes before what the request says. @default the request's `llm_data.max_tokens`, else the protocol's */
  readonly maxTokens?: number;
  /** Goes before what the request says. @default the request's `llm_data.temperature`, else the protocol's */
  readonly temperature?: number;
  /** How many resources a prompt describes, those that fit the request best; `Infinity` for all that fit. @default the protocol's; of Planloom's own 20, those after the first 8 in brief */
  readonly maxResources?: number;
  /** Texts to use in place of ours. */
  readonly prompts?: Partial<ControllerPrompts>;
  /**
   * Asked for each plan first: a planner without a model, such as the embedded one. The resources that it considered come first among those that are described, and required values that it read in the
   * request and the model leaves out of the same call are filled in. Where it has nothing
   * that fits the request, a plan of the model is a proposal, and is none where nothing that it calls shares a word with the request; that counts for requests in English alone.
   * @default none; of a `Planloom` and on the command line the embedded planner
   */
  readonly rules?: BehaviorController | false;
  /**
   * When the model is asked with one token whether the calls of its plan do what the goal asks for: a call of some 150 tokens, counted and journaled as any. `doubted`: where the rules
   * have nothing that fits; `always`: of every plan, which is a proposal where the answer is rather no. It needs a model that tells likelihoods (`tellsTokens`: those of `openaiModel` with chat completions) and an
   * endpoint that does; without them nothing changes. @default "doubted"
   */
  readonly verify?: "doubted" | "always" | "never";
  /** How long that question may take, in milliseconds: a plan that is ready does not wait longer, and says that it was not answered. @default 20_000 */
  readonly verifyTimeoutMs?: number;
  /** Called after every model call, failed ones included; what it throws is ignored. */
  readonly onCall?: (call: ModelCall) => void;
}

const defaultVerifyMs = 20_000;

const checks = {
  model: "own",
  protocol: "own",
  instructions: "text",
  maxTokens: "positive",
  temperature: "nonNegative",
  maxResources: "own",
  rules: "own",
  verify: "own",
  verifyTimeoutMs: "positive",
  prompts: { options: checkedAlike(Object.keys(controllerPrompts), "own") },
  onCall: "function",
} as const satisfies OptionChecks<LlmControllerOptions>;

/**
 * Plans and binds with a language model. One model call per request, and one of a token where a plan is verified; asking again with feedback is the planner's.
 * Rejects with what the model rejects with; a text that cannot be read is a reply with `success: false`.
 */
export class LlmController implements BehaviorController {
  readonly name: string;
  readonly maxResources: number;
  readonly ranksAbove: number;
  readonly #options: LlmControllerOptions;
  readonly #protocol: Protocol;
  readonly #settings: ProtocolSettings;
  readonly #verify: "doubted" | "always" | "never";
  readonly #verifier: PlanVerifier;
  readonly #faults = new FaultLog();

  /** @throws ControllerError OPTION, CONFIG */
  constructor(options: LlmControllerOptions) {
    checkOptions("`LlmController`", options, checks);
    if (typeof options.model?.generate !== "function") {
      throw new ControllerError(
        ControllerErrorCode.CONFIG,
        "Expected `model` to be a Model: openaiModel(…), or an object with `generate`.",
        { details: { option: "model" } },
      );
    }
    const { rules = false } = options;
    if (rules !== false && typeof rules?.processPhase1 !== "function") {
      throw new ControllerError(ControllerErrorCode.CONFIG, "Expected `rules` to be a BehaviorController, or false.", {
        details: { option: "rules" },
      });
    }
    const { verify = "doubted" } = options;
    if (!["doubted", "always", "never"].includes(verify)) {
      throw new ControllerError(
        ControllerErrorCode.CONFIG,
        `Expected \`verify\` to be "doubted", "always" or "never", got \`${String(verify)}\`.`,
        { details: { option: "verify" } },
      );
    }
    this.#verify = verify;
    this.#options = options;
    this.#protocol = findProtocol(options.protocol ?? "planloom");
    this.maxResources = checkMaxResources(options.maxResources ?? this.#protocol.maxResources);
    // A caller who says how many wants them as they are.
    this.ranksAbove =
      options.maxResources === undefined ? (this.#protocol.ranksAbove ?? this.maxResources) : this.maxResources;
    this.#settings = {
      prompts: { ...controllerPrompts, ...options.prompts },
      ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
    };
    this.#verifier = new PlanVerifier(this.#settings.prompts.verify);
    this.name = `llm:${options.model.name}`;
  }

  /** That of the model, and of the question about its plan. */
  get timeoutMs(): number | undefined {
    const { model, verifyTimeoutMs = defaultVerifyMs } = this.#options;
    const mayAsk = model.tellsTokens === true && this.#verify !== "never";
    return model.timeoutMs === undefined || !mayAsk ? model.timeoutMs : model.timeoutMs + verifyTimeoutMs;
  }

  /** The messages and, where the answer has one, its schema as JSON. */
  promptCharacters(request: Phase1Request | Phase2Request): number {
    return charactersOf(
      "phase_1_data" in request
        ? this.#write(this.#phase1(request), request)
        : this.#write(this.#protocol.phase2, request),
    );
  }

  async processPhase1(request: Phase1Request, options: CallOptions = {}): Promise<ControllerReply> {
    const { rules = false } = this.#options;
    const mayDraft = rules !== false && request.replan === undefined && request.job !== undefined;
    const { draft, refusal } = mayDraft ? await draftedBy(rules, request, options) : {};
    const asked = draft === undefined ? request : withConsidered(draft, request);
    const answer = await this.#process(this.#phase1(asked), asked, asked.phase_1_data, options);
    const reply =
      answer.success && draft !== undefined
        ? withUnserved(draft, { ...filledFrom(draft, answer, resourcesOf(request)), ...draftedIn(draft) }, request)
        : answer;
    if (!reply.success || request.replan !== undefined) return reply;
    const isDoubted = refusal !== undefined && mayRefuse(request);
    const mayAsk = this.#options.model.tellsTokens === true;
    const isAsked = mayAsk && (this.#verify === "always" || (this.#verify === "doubted" && isDoubted));
    const verified = isAsked ? await this.#verified(reply, request, options) : undefined;
    const { calls = [] } = reply;
    const paid = verified === undefined ? reply : { ...reply, calls: [...calls, ...verified.calls] };
    const judged = doubted(paid, { refusal, likelihood: verified?.likelihood }, request);
    return verified?.failure === undefined ? judged : unverified(judged, verified.failure);
  }

  /** What the model says of its own plan. A call that fails, or takes too long, is one that says nothing: the plan is there. */
  async #verified(reply: ControllerReply, request: Phase1Request, options: CallOptions) {
    const { llm_data } = request.phase_1_data;
    const settings = callSettings({ model: this.#options.model }, llm_data, this.#protocol.phase1);
    const calls: ModelCall[] = [];
    const onCall = (call: ModelCall) => {
      calls.push(call);
      options.onCall?.(call);
    };
    let failure: string | undefined;
    const ask = async (question: ModelRequest) => {
      using limit = startDeadline(options.signal, this.#options.verifyTimeoutMs ?? defaultVerifyMs);
      try {
        const asked = { ...quiet(options), signal: limit.signal, maxRequests: 1, onCall };
        // A model of one's own may take no notice of the signal.
        return (await abortable(this.#call({ ...settings, ...question }, asked), limit.signal)).reply;
      } catch (error) {
        if (options.signal?.aborted === true) throw error;
        failure = error instanceof Error ? error.message : String(error);
        return undefined;
      }
    };
    const likelihood = await this.#verifier.likelihood(reply.data, request, ask);
    return { calls: [...calls], likelihood, failure };
  }

  /** The same controller with rules beside it; itself where its options say which, or that there are none. */
  withRules(rules: BehaviorController): LlmController {
    return this.#options.rules === undefined ? new LlmController({ ...this.#options, rules }) : this;
  }

  processPhase2(request: Phase2Request, options: CallOptions = {}): Promise<ControllerReply> {
    return this.#process(this.#protocol.phase2, request, request.phase_2_data, options);
  }

  #phase1(request: Phase1Request): Phase<Phase1Request> {
    const { phase1, replan = planloomReplan } = this.#protocol;
    return request.replan === undefined ? phase1 : replan;
  }

  #write<Request extends Phase1Request | Phase2Request>(phase: Phase<Request>, request: Request): ProtocolRequest {
    const { resources = [], shown_resources: shown, ranked = false } = request;
    const settings =
      shown === undefined
        ? this.#settings
        : { ...this.#settings, resourcesLeftOut: resources.length - shown.length, isRanked: ranked };
    const visible = withShown(request);
    const written = phase.write(visible, settings);
    const asked = "instructions" in request ? request.instructions : undefined;
    // A protocol that sends the request's text sends them with it; one that sends the goal alone has them in its system message.
    if (asked === undefined || written.messages.some(({ content }) => content.includes(asked))) return written;
    const instructions = [settings.instructions, asked].filter((text) => text).join("\n\n");
    return phase.write(visible, { ...settings, instructions });
  }

  async #process<Request extends Phase1Request | Phase2Request>(
    phase: Phase<Request>,
    request: Request,
    { llm_data }: TaskInput,
    options: CallOptions,
  ): Promise<ControllerReply> {
    const written = this.#write(phase, request);
    checkCharacters(charactersOf(written), options.maxPromptCharacters);
    const modelRequest: ModelRequest = {
      ...written,
      ...callSettings(isFurtherCandidate(request) ? withoutTemperature(this.#options) : this.#options, llm_data, phase),
    };
    const call = await this.#call(modelRequest, options);
    const answer = phase.read(call.reply, withShown(request));
    // What was refused for its form took nothing of the planner's attempts.
    const { requests = 1, refusedRequests = 0 } = call.reply;
    const counted = Math.max(1, requests - refusedRequests);
    const about = { text: call.reply.text, calls: [call], ...(counted > 1 && { requests: counted }) };
    return "data" in answer ? { success: true, ...answer, ...about } : { success: false, ...answer, ...about };
  }

  async #call(sent: ModelRequest, options: CallOptions): Promise<ModelCall & { readonly reply: ModelReply }> {
    await options.beforeCall?.();
    const request = shownRequest(sent);
    const started = performance.now();
    const latencyMs = () => Math.round(performance.now() - started);
    const plan = new PlanWatch(request);
    let spent: ModelUsage | undefined;
    const onSpent = (usage: ModelUsage) => {
      spent = usage;
    };
    try {
      const { model } = this.#options;
      const signal = options.signal === undefined ? plan.signal : AbortSignal.any([options.signal, plan.signal]);
      const onRestart = () => {
        plan.restart();
        options.onRestart?.();
      };
      const watched = { ...options, signal, watch: (text: string) => plan.add(text), onRestart, onSpent };
      const reply = checkModelReply(model.name, await model.generate(sent, watched), sent);
      // An answer that came in one piece was whole before anybody could stop it.
      plan.signal.throwIfAborted();
      const { requests } = reply;
      const call = { request, reply, ...(requests !== undefined && { requests }), latencyMs: latencyMs() };
      this.#report(call, options);
      return call;
    } catch (error) {
      const isStopped = plan.signal.aborted && options.signal?.aborted !== true;
      const repeated = isStopped ? plan.tasksBeforeRepeats : undefined;
      if (repeated !== undefined && request.schema?.name === "plan") {
        const reply = replyBeforeRepeats(repeated, spent ?? usageGuess(request, plan.characters));
        const call = { request, reply, latencyMs: latencyMs() };
        this.#report(call, options);
        return call;
      }
      const tries = error instanceof ControllerError ? error.details.tries : undefined;
      const message = error instanceof Error ? error.message : String(error);
      const counted = typeof tries === "number" ? { requests: tries } : {};
      const reported = error instanceof ControllerError ? (error.details.usage as ModelUsage | undefined) : undefined;
      const paid = spent ?? reported ?? (isStopped ? usageGuess(request, plan.characters) : undefined);
      this.#report(
        { request, error: message, ...counted, ...(paid && { usage: paid }), latencyMs: latencyMs() },
        options,
      );
      throw error;
    }
  }

  #report(call: ModelCall, options: CallOptions): void {
    for (const onCall of [options.onCall, this.#options.onCall]) {
      if (onCall !== undefined) notify(onCall, call, (error) => this.#faults.report("onCall", error));
    }
  }
}

/** The plan as it was made, with the remark that the question about it has no answer. */
function unverified(reply: ControllerReply, why: string): ControllerReply {
  if (!reply.success) return reply;
  const message = `The model was asked whether the plan does what the goal asks for, and gave no answer: ${cut(why)}`;
  const issue: PlanIssue = { code: IssueCode.UNVERIFIED, severity: "warning", message };
  return { ...reply, issues: [...(reply.issues ?? []), issue] };
}

/** What a call has cost that was stopped before its endpoint said so. */
function usageGuess({ messages, schema }: ModelRequest, written: number): ModelUsage {
  const sent = charactersOf({ messages, ...(schema !== undefined && { schema }) });
  const { input, output } = guessedTokens(sent, written);
  return { inputTokens: input, outputTokens: output, estimated: true };
}

/** An answer that repeated the same call is whole without the repetitions. */
function replyBeforeRepeats(tasks: readonly Record<string, unknown>[], usage: ModelUsage): ModelReply {
  const adjustments = ["The answer repeated the same call and was stopped; its tasks were taken once each."];
  return { text: JSON.stringify({ tasks }), toolCalls: [], usage, finishReason: "stop", adjustments };
}

/** The request as a protocol sees it: with the resources that are to be described. */
function withShown<Request extends Phase1Request | Phase2Request>(request: Request): Request {
  const { shown_resources: shown } = request;
  return shown === undefined ? request : { ...request, resources: shown };
}

function charactersOf({ messages, schema }: ProtocolRequest): number {
  const texts = messages.reduce((sum, { content }) => sum + content.length, 0);
  return texts + (schema === undefined ? 0 : JSON.stringify(schema.schema).length);
}

/** @throws ControllerError PROMPT_TOO_LARGE */
function checkCharacters(characters: number, maxPromptCharacters = Number.POSITIVE_INFINITY): void {
  if (characters <= maxPromptCharacters) return;
  throw new ControllerError(
    ControllerErrorCode.PROMPT_TOO_LARGE,
    `The request to the model would have ${characters} characters; \`maxPromptCharacters\` is ${maxPromptCharacters}. Shorten what is asked, or raise it if the model can read more.`,
    { details: { characters, maxPromptCharacters } },
  );
}

/** @throws ControllerError CONFIG */
function checkMaxResources(count = Number.POSITIVE_INFINITY): number {
  if (count === Number.POSITIVE_INFINITY || (Number.isSafeInteger(count) && count >= 1)) return count;
  throw new ControllerError(
    ControllerErrorCode.CONFIG,
    `Expected \`maxResources\` to be a whole number of at least 1, or Infinity, got \`${String(count)}\`.`,
    { details: { option: "maxResources" } },
  );
}

function findProtocol(protocol: ProtocolName | Protocol): Protocol {
  if (typeof protocol === "object") {
    return protocol;
  }
  const found = Object.hasOwn(protocols, protocol) ? protocols[protocol] : undefined;
  if (found === undefined) {
    throw new ControllerError(
      ControllerErrorCode.CONFIG,
      `Expected \`protocol\` to be one of ${Object.keys(protocols).join(", ")}, got \`${String(protocol)}\`.`,
      { details: { option: "protocol" } },
    );
  }
  return found;
}

function callSettings(
  options: LlmControllerOptions,
  llmData: TaskInput["llm_data"],
  phase: { readonly maxTokens: number; readonly temperature?: number },
): Pick<ModelRequest, "model" | "temperature" | "maxTokens" | "extra"> {
  const { model, temperature: asked, max_tokens, ...extra } = llmData;
  const temperature = options.temperature ?? numberOf(asked) ?? phase.temperature;
  return {
    maxTokens: options.maxTokens ?? numberOf(max_tokens) ?? phase.maxTokens,
    ...(Object.keys(extra).length > 0 && { extra }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(typeof model === "string" && model !== "" ? { model } : {}),
  };
}

/** Asked for beside others: at the temperature of the first a model would write the same plan again. */
function isFurtherCandidate(request: Phase1Request | Phase2Request): boolean {
  return "phase_1_data" in request && request.candidate !== undefined;
}

function withoutTemperature({ temperature: _, ...options }: LlmControllerOptions): LlmControllerOptions {
  return options;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
