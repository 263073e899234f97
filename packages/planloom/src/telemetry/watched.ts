import { isRecord } from "@planloom/plan";
import type { DispatchOptions, RunDispatchOptions } from "../grouping/dispatch-options.ts";
import type { PlanloomOptions } from "../planloom-options.ts";
import type { Telemetry } from "./telemetry.ts";

/** The options of an instance with its models and its dispatcher watched. Its executors and its controller are watched where they are made. */
export function watchedOptions<Options extends PlanloomOptions>(options: Options): Options {
  const { telemetry, model, llms, agents, dispatch } = options;
  if (telemetry === undefined) return options;
  return {
    ...options,
    ...(model !== undefined && { model: telemetry.model(model) }),
    // Anything else is refused where it is used.
    ...(Array.isArray(llms) && { llms: llms.map((llm) => withWatchedModel(llm, telemetry)) }),
    ...(Array.isArray(agents) && {
      agents: agents.map((agent) =>
        isRecord(agent) && isRecord(agent.options)
          ? { ...agent, options: withWatchedModel(agent.options as object, telemetry) }
          : agent,
      ),
    }),
    ...(dispatch !== undefined && { dispatch: watchedDispatch(dispatch, telemetry) }),
  };
}

/** The same for the dispatcher of one run. */
export function watchedDispatch<Options extends DispatchOptions | RunDispatchOptions>(
  dispatch: Options,
  telemetry: Telemetry | undefined,
): Options {
  return telemetry === undefined ? dispatch : { ...dispatch, to: telemetry.dispatcher(dispatch.to) };
}

function withWatchedModel<Definition extends object>(definition: Definition, telemetry: Telemetry): Definition {
  if (!isRecord(definition)) return definition;
  const { model } = definition as { readonly model?: PlanloomOptions["model"] };
  return model === undefined ? definition : { ...definition, model: telemetry.model(model) };
}
