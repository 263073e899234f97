import { FaultLog, notify } from "@planloom/plan";
import type OpenAI from "openai";
import { checkOptions } from "../check-options.ts";
import type { Model } from "../model.ts";
import { withoutSecrets } from "../transport/cut.ts";
import { startDeadline } from "../transport/deadline.ts";
import { createClient, timedOut } from "./client.ts";
import { wantedAnswer } from "./forms.ts";
import { negotiate } from "./negotiate.ts";
import { type OpenaiModelOptions, openaiChecks, readOptions } from "./options.ts";
import { withDefaults } from "./request-defaults.ts";

/**
 * A model behind any OpenAI-compatible chat-completions endpoint.
 *
 * A request with a schema is asked as json_schema response format, else as a forced tool call, else in words; one that must call a
 * function as such, else as a response format with the function's parameters, else in words. What an
 * endpoint refuses for a model is remembered for the life of the process, what an answer ignores for the next requests. Every
 * request counts against `maxRequests`, and the reply says how many it took. `onDelta` may start the text anew after a retry; what
 * it throws is ignored.
 * @throws ControllerError OPTION or CONFIG at once when an option is unknown, or key, model or URL are missing or wrong. `generate` rejects with the signal's reason, or with
 * a ControllerError whose `retryable` says whether the same call may end otherwise.
 */
export function openaiModel(options: OpenaiModelOptions = {}): Model {
  checkOptions("`openaiModel`", options, openaiChecks);
  const settings = readOptions(options);
  let client: Promise<OpenAI> | undefined;
  return {
    name: settings.model,
    timeoutMs: settings.timeoutMs,
    async generate(asked, options = {}) {
      const { signal, onDelta: listener, maxRetries = Number.POSITIVE_INFINITY, maxRequests } = options;
      const onDelta = listener && shielded(listener);
      const watch = options.watch && shielded(options.watch);
      using deadline = startDeadline(signal, settings.timeoutMs);
      try {
        deadline.signal.throwIfAborted();
        client ??= createClient(settings);
        const request = withDefaults(asked, settings);
        const call = {
          client: await client,
          settings,
          request,
          model: request.model ?? settings.model,
          wanted: wantedAnswer(request),
          maxRetries: Math.min(settings.maxRetries, maxRetries),
          maxRequests: maxRequests ?? Number.POSITIVE_INFINITY,
          sent: 0,
          signal: deadline.signal,
          ...(onDelta ? { onDelta } : {}),
          ...(watch ? { watch } : {}),
        };
        return await negotiate(call, maxRequests === undefined);
      } catch (error) {
        if (signal?.aborted) {
          throw signal.reason;
        }
        throw deadline.passed ? timedOut(settings, error) : withoutSecrets(error, settings.secrets);
      }
    },
  };
}

/** A listener only watches, so its failure must not cost the answer. */
function shielded(listener: (text: string) => void): (text: string) => void {
  const faults = new FaultLog();
  return (text) => notify(listener, text, (error) => faults.report("onDelta", error));
}
