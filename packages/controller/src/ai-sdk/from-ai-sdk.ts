import type { OptionChecks } from "@planloom/plan";
import { abortable } from "@planloom/plan/internals";
import { checkOptions } from "../check-options.ts";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import type { Model } from "../model.ts";
import { modelOf } from "../openai/model-of.ts";
import { askingChecks, type OpenaiModelOptions, readCallOptions, readEffort } from "../openai/options.ts";
import type { Endpoint } from "../openai/wire.ts";
import { answerKeys, keyHider } from "./hide-keys.ts";
import type { AiSdkCallOptions, AiSdkLanguageModel } from "./language-model.ts";
import { readSdkError } from "./read-error.ts";
import { readGenerated } from "./read-parts.ts";
import { readPartStream } from "./read-stream.ts";
import { writeCallOptions } from "./write-call.ts";

/** As of `openaiModel`, where a provider's package has no option of its own for it. */
export interface FromAiSdkOptions
  extends Pick<
    OpenaiModelOptions,
    | "timeoutMs"
    | "idleTimeoutMs"
    | "maxRetries"
    | "retryDelayMs"
    | "maxRetryDelayMs"
    | "maxResponseBytes"
    | "prices"
    | "structuredOutput"
    | "maxTokens"
    | "temperature"
    | "reasoningEffort"
    | "stream"
    | "now"
    | "random"
  > {
  /** Sent with every call: options of the provider, by its name: `{ anthropic: { thinking: { … } } }`. */
  readonly providerOptions?: Readonly<Record<string, unknown>>;
}

const checks = { ...askingChecks, providerOptions: "object" } as const satisfies OptionChecks<FromAiSdkOptions>;

const versions: ReadonlySet<unknown> = new Set(["v2", "v3", "v4"]);

/**
 * Any `LanguageModel` object of the AI SDK as a `Model`: what `anthropic("…")`, `google("…")` and all other providers of it give, and what
 * its middleware makes of them. Keys and addresses are the provider's business. Schemas, calls, thoughts that must come back,
 * retries, limits and prices are as of `openaiModel`: what a provider refuses or ignores is asked for otherwise.
 * @throws ControllerError OPTION when an option is unknown or of a wrong type, CONFIG when `model` is not a language model of the specification
 *   v2, v3 or v4, or a limit is out of its range
 */
export function fromAiSdk(model: AiSdkLanguageModel, options: FromAiSdkOptions = {}): Model {
  checkOptions("`fromAiSdk`", options, checks);
  checkLanguageModel(model);
  const { providerOptions = {}, reasoningEffort: effort } = options;
  const settings = { ...readCallOptions(options), extraBody: providerOptions, model: model.modelId };
  const endpoint = endpointOf(model, settings);
  const made = modelOf(endpoint, {
    ...settings,
    reasoningEffort: readEffort(effort),
    secrets: [],
    keys: () => answerKeys(model, process.env),
  });
  return {
    ...made,
    // `anthropic.messages`: the part after the point is the API.
    ...(typeof model.provider === "string" && { provider: model.provider.split(".")[0]! }),
    // Another name would need another object: better an error than the wrong model.
    generate: async (request, callOptions) => {
      if (request.model !== undefined && request.model !== model.modelId) throw otherModel(request.model, model);
      return made.generate(request, callOptions);
    },
  };
}

function endpointOf(model: AiSdkLanguageModel, settings: ReturnType<typeof readCallOptions>): Endpoint {
  const source = `${model.provider} (${model.modelId})`;
  const [provider = model.provider] = model.provider.split(".");
  const hide = keyHider(model, process.env);
  return {
    url: source,
    offer: "this provider",
    title: "API",
    otherwise: "",
    writeBody: (request, body) =>
      writeCallOptions(request, body, { provider, hasReasoning: model.specificationVersion === "v4" }),
    async send({ stream, ...body }, { signal, onDelta, onWhole }) {
      // What `writeBody` made; each version of the specification names it so.
      const call = { ...body, abortSignal: signal } as unknown as AiSdkCallOptions;
      try {
        // Some models, and middleware around them, take no notice of the signal.
        if (stream === true) {
          const begun = await abortable(model.doStream(call), signal, (late) => late?.stream.cancel());
          const { idleTimeoutMs, maxResponseBytes: maxCharacters } = settings;
          return await readPartStream(begun?.stream, { source, signal, idleTimeoutMs, maxCharacters, onDelta });
        }
        const reply = readGenerated(await abortable(model.doGenerate(call), signal), source);
        onWhole(reply.text);
        return reply;
      } catch (error) {
        throw signal.aborted ? signal.reason : readSdkError(error, source, { now: settings.now(), hide });
      }
    },
  };
}

function checkLanguageModel(model: unknown): void {
  const { specificationVersion, doGenerate, doStream, modelId } = (model ?? {}) as Partial<AiSdkLanguageModel>;
  const isModel = typeof doGenerate === "function" && typeof doStream === "function" && typeof modelId === "string";
  if (isModel && versions.has(specificationVersion)) return;
  const got = isModel
    ? `one of the specification ${JSON.stringify(specificationVersion)}`
    : typeof model === "string"
      ? `the text ${JSON.stringify(model)}; pass what the provider's function makes of a name, such as anthropic("…")`
      : `${model === null ? "null" : typeof model}`;
  throw new ControllerError(
    ControllerErrorCode.CONFIG,
    `Expected a language model of the AI SDK (specification v2, v3 or v4), got ${got}.`,
    { details: { option: "model" } },
  );
}

function otherModel(name: string, { modelId, provider }: AiSdkLanguageModel): ControllerError {
  return new ControllerError(
    ControllerErrorCode.CONFIG,
    `This model of ${provider} is "${modelId}", but a request asks for "${name}". Make a model of the provider for that name as well.`,
    { details: { option: "model" } },
  );
}
