import { checkOptions } from "../check-options.ts";
import type { Model, ModelReply, ModelRequest } from "../model.ts";
import { cut } from "../transport/cut.ts";
import { Script } from "./script.ts";

/** What the model does next: says a text, gives a reply, throws, or looks at the request first. */
export type ModelStep = string | Partial<ModelReply> | Error | ((request: ModelRequest) => ModelStep);

export interface ScriptedModel extends Model {
  /** Every request so far. */
  readonly requests: readonly ModelRequest[];
  /** @throws ControllerError SCRIPT when steps are left over. */
  assertDone(): void;
}

/** A model that follows a script. A call that the script does not have rejects with ControllerError SCRIPT. */
export function scriptedModel(
  steps: readonly ModelStep[],
  options: { readonly name?: string | undefined } = {},
): ScriptedModel {
  checkOptions("`scriptedModel`", options, { name: "text" });
  const { name = "scripted" } = options;
  const script = new Script("scripted model", steps);
  const requests: ModelRequest[] = [];
  return {
    name,
    requests,
    async generate(request, { signal, onDelta } = {}) {
      signal?.throwIfAborted();
      requests.push(request);
      let step = script.take(cut(request.messages.at(-1)?.content ?? "no message", 200));
      while (typeof step === "function") {
        step = step(request);
      }
      if (step instanceof Error) {
        throw step;
      }
      const reply = typeof step === "string" ? { text: step } : step;
      if (reply.text) {
        onDelta?.(reply.text);
      }
      return { text: "", toolCalls: [], model: request.model ?? name, finishReason: "stop", ...reply };
    },
    assertDone: () => script.assertDone(),
  };
}
