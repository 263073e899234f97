import { FaultLog, notify } from "@planloom/plan";
import type { Model } from "../model.ts";
import { withoutSecrets } from "../transport/cut.ts";
import { startDeadline } from "../transport/deadline.ts";
import { wantedAnswer } from "./forms.ts";
import { negotiate } from "./negotiate.ts";
import type { ModelSettings } from "./options.ts";
import { withDefaults } from "./request-defaults.ts";
import type { CallSettings } from "./send-request.ts";
import { timedOut } from "./timed-out.ts";
import type { Endpoint } from "./wire.ts";

type Settings = CallSettings &
  Pick<ModelSettings, "model" | "timeoutMs" | "maxRetries" | "temperature" | "reasoningEffort" | "secrets">;

/** The model at an endpoint: its limit of time, its defaults, and what is found out of the endpoint hold for every call. */
export function modelOf(endpoint: Endpoint, settings: Settings): Model {
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
        const request = withDefaults(asked, settings);
        const call = {
          endpoint,
          settings,
          request,
          model: request.model ?? settings.model,
          wanted: wantedAnswer(request),
          maxRetries: Math.min(settings.maxRetries, maxRetries),
          maxRequests: maxRequests ?? Number.POSITIVE_INFINITY,
          sent: 0,
          refused: 0,
          signal: deadline.signal,
          ...(onDelta ? { onDelta } : {}),
          ...(watch ? { watch } : {}),
        };
        return await negotiate(call, maxRequests === undefined);
      } catch (error) {
        if (signal?.aborted) {
          throw signal.reason;
        }
        throw deadline.passed
          ? timedOut(endpoint.url, settings.timeoutMs, error)
          : withoutSecrets(error, settings.secrets);
      }
    },
  };
}

/** A listener only watches, so its failure must not cost the answer. */
function shielded(listener: (text: string, said?: string) => void): (text: string, said?: string) => void {
  const faults = new FaultLog();
  return (text, said) =>
    notify(
      () => listener(text, said),
      undefined,
      (error) => faults.report("onDelta", error),
    );
}
