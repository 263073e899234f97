import type { BehaviorController, Model, PlanloomConfig } from "planloom";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";

/** The options that say who answers planning questions, and for which moment. */
export interface ControllerChoice {
  readonly controller?: string;
  readonly model?: string;
  readonly now?: string;
  readonly timeZone?: string;
}

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
  if (config.model !== undefined && options.model === undefined) return config.model;
  const name = options.model ?? io.env.PLANLOOM_MODEL;
  const apiKey = io.env.OPENAI_API_KEY;
  const baseURL = io.env.OPENAI_BASE_URL;
  const wanted = options.model !== undefined || options.controller === "llm" || options.controller === "hybrid";
  if (!wanted && (name === undefined || name === "" || (!apiKey && !baseURL))) return undefined;
  const { openaiModel } = await import("planloom/planning");
  return openaiModel({
    ...(name === undefined ? {} : { model: name }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseURL === undefined ? {} : { baseURL }),
  });
}

export async function chooseController(
  options: ControllerChoice,
  config: PlanloomConfig,
  model: Model | undefined,
  clock: Clock,
  io: CliIo,
): Promise<{ controller: BehaviorController; notes: string[] }> {
  const library = await import("planloom/planning");
  const wish = options.controller;
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
    const llm = new library.LlmController({ model });
    if (wish !== "hybrid") return { controller: llm, notes: [] };
    const draft = new library.EmbeddedController(clock);
    return { controller: new library.HybridController({ draft, refine: llm }), notes: [] };
  }
  if (/^https?:\/\//.test(wish)) return { controller: new library.HttpController({ url: wish }), notes: [] };
  throw new CliError(
    CliErrorCode.USAGE,
    `Expected --controller to be embedded, llm, hybrid or an http(s) URL, got ${JSON.stringify(wish)}.`,
  );
}
