import type { BehaviorController, Model, PlanloomConfig } from "planloom";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";
import { localModelInUse, localPrefix, namedLocalModel } from "./local-models.ts";
import { modelFlags } from "./options/model-flags.ts";

/** The options that choose the controller, its model and the time that it plans for. */
export interface ControllerChoice {
  readonly controller?: string;
  readonly model?: string;
  readonly modelApi?: "chat" | "responses";
  /** Time limit of a model call, in seconds. */
  readonly modelTimeout?: number;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly reasoningEffort?: string;
  readonly structuredOutput?: "json_schema" | "tool" | "text";
  /** Of `hybrid`: a draft that is at least so sure of itself is the plan. 0 to 1. */
  readonly minConfidence?: number;
  /** Of `hybrid`: whose calls the plan has where the two differ. */
  readonly prefer?: "draft" | "model";
  /** Of `llm`: how a plan of the model is checked for what cannot be done. */
  readonly planCheck?: PlanCheck;
  readonly now?: string;
  readonly timeZone?: string;
}

/** Nobody says that a goal cannot be done; rules alone; the model too where the rules say so; the model of every plan. */
export const planChecks = ["none", "rules", "doubted", "always"] as const;
export type PlanCheck = (typeof planChecks)[number];

export type Clock = Pick<PlanloomConfig, "now" | "timeZone">;

export function clockOptions(options: ControllerChoice, config: PlanloomConfig): Clock {
  const now = options.now ?? config.now;
  if (typeof options.now === "string" && Number.isNaN(Date.parse(options.now))) {
    throw new CliError(
      CliErrorCode.USAGE,
      `Expected --now to be an ISO date such as 2025-10-12T06:00:00Z, got ${JSON.stringify(options.now)}.`,
    );
  }
  const timeZone = options.timeZone ?? config.timeZone;
  if (options.timeZone !== undefined) {
    try {
      new Intl.DateTimeFormat("en", { timeZone: options.timeZone });
    } catch (cause) {
      throw new CliError(
        CliErrorCode.USAGE,
        `Expected --time-zone to be an IANA name such as Europe/Berlin, got ${JSON.stringify(options.timeZone)}.`,
        { cause },
      );
    }
  }
  return { ...(now === undefined ? {} : { now }), ...(timeZone === undefined ? {} : { timeZone }) };
}

/** The model of the options, the configuration or the environment; `undefined` where nothing names one. */
export async function chooseModel(
  options: ControllerChoice,
  config: PlanloomConfig,
  io: CliIo,
): Promise<Model | undefined> {
  const said = modelSettings(options);
  if (config.model !== undefined && options.model === undefined) {
    const [flag] = modelFlags.filter(([option]) => options[option] !== undefined);
    if (flag === undefined) return config.model;
    throw new CliError(CliErrorCode.USAGE, `${flag[1]} has no effect on the model that the configuration makes.`, {
      hint: "Give --model NAME as well, or set it where the configuration makes the model; `modelOptions` there takes flags.",
    });
  }
  const name = options.model ?? config.modelOptions?.model ?? io.env.PLANLOOM_MODEL;
  const isNamed = name !== undefined && name !== "";
  const here = isNamed && !name.startsWith(localPrefix) ? undefined : await localModelOf(name, options, config, io);
  if (here !== undefined) return here;
  const apiKey = io.env.OPENAI_API_KEY;
  const baseURL = io.env.OPENAI_BASE_URL;
  const wanted =
    options.model !== undefined ||
    config.modelOptions?.model !== undefined ||
    options.controller === "llm" ||
    options.controller === "hybrid";
  if (!wanted && (name === undefined || name === "" || (!apiKey && !baseURL))) {
    const [flag] = modelFlags.filter(([option]) => options[option] !== undefined);
    if (flag === undefined) return undefined;
    throw new CliError(CliErrorCode.USAGE, `${flag[1]} has an effect only on a model, and none is named.`, {
      hint: "Give --model NAME as well (or PLANLOOM_MODEL with OPENAI_API_KEY or OPENAI_BASE_URL), or leave it out.",
    });
  }
  const { openaiModel } = await import("planloom/planning");
  return openaiModel({
    environment: io.env,
    ...config.modelOptions,
    ...said,
    ...(name === undefined ? {} : { model: name }),
    ...(apiKey === undefined || config.modelOptions?.apiKey !== undefined ? {} : { apiKey }),
    ...(baseURL === undefined || config.modelOptions?.baseURL !== undefined ? {} : { baseURL }),
  });
}

/** The model of this machine that is named, or used where none is. */
async function localModelOf(
  name: string | undefined,
  options: ControllerChoice,
  config: PlanloomConfig,
  io: CliIo,
): Promise<Model | undefined> {
  const { timeoutMs, maxTokens, temperature } = { ...config.modelOptions, ...modelSettings(options) };
  const settings = {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
  const model = name ? await namedLocalModel(name, settings, io) : await localModelInUse(settings, io);
  const [flag] = endpointFlags.filter(([option]) => options[option] !== undefined);
  if (model === undefined || flag === undefined) return model;
  throw new CliError(CliErrorCode.USAGE, `${flag[1]} has no effect on a model in this process.`, {
    hint: "It is for endpoints: leave it out, or give --model NAME of one.",
  });
}

/** Those that only an endpoint knows. */
const endpointFlags = modelFlags.filter(([option]) =>
  ["modelApi", "reasoningEffort", "structuredOutput"].includes(option),
);

export function modelSettings(options: ControllerChoice): Omit<NonNullable<PlanloomConfig["modelOptions"]>, "model"> {
  const { modelApi, modelTimeout, maxTokens, temperature, reasoningEffort, structuredOutput } = options;
  return {
    ...(modelApi !== undefined && { api: modelApi }),
    ...(modelTimeout !== undefined && { timeoutMs: modelTimeout * 1_000 }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(structuredOutput !== undefined && { structuredOutput }),
  };
}

/** What says how a hybrid controller decides, with its flag. */
const hybridFlags = [
  ["minConfidence", "--min-confidence"],
  ["prefer", "--prefer"],
] as const satisfies readonly (readonly [keyof ControllerChoice, string])[];

/** What says how a model that plans alone is checked. */
const llmFlags = [["planCheck", "--plan-check"]] as const satisfies readonly (readonly [
  keyof ControllerChoice,
  string,
])[];

/** What one kind of controller alone knows, with its flag. */
export const controllerFlags = [...hybridFlags, ...llmFlags] as const;

export async function chooseController(
  options: ControllerChoice,
  config: PlanloomConfig,
  model: Model | undefined,
  clock: Clock,
  io: CliIo,
): Promise<{ controller: BehaviorController; notes: string[] }> {
  const library = await import("planloom/planning");
  const wish = options.controller;
  const [flag] = wish === "hybrid" ? [] : hybridFlags.filter(([option]) => options[option] !== undefined);
  if (flag !== undefined) {
    throw new CliError(CliErrorCode.USAGE, `${flag[1]} has an effect only where two controllers plan.`, {
      hint: "Give --controller hybrid as well, or leave it out.",
    });
  }
  const isModel = wish === "llm" || (wish === undefined && config.controller === undefined && model !== undefined);
  const [unused] = isModel ? [] : llmFlags.filter(([option]) => options[option] !== undefined);
  if (unused !== undefined) {
    throw new CliError(CliErrorCode.USAGE, `${unused[1]} has an effect only where a model plans alone.`, {
      hint: "Give --controller llm as well, or leave it out.",
    });
  }
  if (wish === undefined && config.controller !== undefined) return { controller: config.controller, notes: [] };
  if (wish === "embedded" || (wish === undefined && model === undefined)) {
    const keyless = wish === undefined && !io.env.OPENAI_API_KEY;
    return {
      controller: new library.EmbeddedController(clock),
      notes: keyless ? ["No model is configured: the embedded planner answers (deterministic, no key)."] : [],
    };
  }
  if (wish === undefined || wish === "llm" || wish === "hybrid") {
    if (model === undefined)
      throw new CliError(CliErrorCode.USAGE, `--controller ${wish} needs a model.`, { hint: "Set --model NAME." });
    // What a protocol asks for by itself, the user's word goes before.
    const { maxTokens, temperature } = { ...config.modelOptions, ...modelSettings(options) };
    const rules = new library.EmbeddedController(clock);
    const { planCheck = "doubted" } = options;
    const llm = new library.LlmController({
      model,
      // In hybrid planning the draft's planner says what cannot be done.
      ...(wish !== "hybrid" && {
        rules: planCheck !== "none" && rules,
        verify: planCheck === "none" || planCheck === "rules" ? "never" : planCheck,
      }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(temperature !== undefined && { temperature }),
    });
    if (wish !== "hybrid") return { controller: llm, notes: [] };
    const { minConfidence, prefer } = options;
    const settings = { ...(minConfidence !== undefined && { minConfidence }), ...(prefer !== undefined && { prefer }) };
    return { controller: new library.HybridController({ draft: rules, refine: llm, ...settings }), notes: [] };
  }
  if (/^https?:\/\//.test(wish)) return { controller: new library.HttpController({ url: wish }), notes: [] };
  throw new CliError(
    CliErrorCode.USAGE,
    `Expected --controller to be embedded, llm, hybrid or an http(s) URL, got ${JSON.stringify(wish)}.`,
  );
}
