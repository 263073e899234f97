import type { ModelRequest } from "../model.ts";
import type { ModelSettings } from "./options.ts";

/** The request with what the model's own options say where it says nothing. */
export function withDefaults(
  request: ModelRequest,
  { temperature, reasoningEffort }: Pick<ModelSettings, "temperature" | "reasoningEffort">,
): ModelRequest {
  const effort = reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort };
  return {
    ...request,
    ...(request.temperature === undefined && temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { extra: { ...effort, ...request.extra } }),
  };
}
