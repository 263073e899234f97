import { FaultLog, notify, redact } from "@planloom/plan";
import type { Model } from "../model.ts";
import { withoutSecrets } from "../transport/cut.ts";
import { startDeadline } from "../transport/deadline.ts";
import { wantedAnswer } from "./forms.ts";
import { negotiate, usageOf } from "./negotiate.ts";
import type { ModelSettings } from "./options.ts";
import { withDefaults } from "./request-defaults.ts";
import type { Call, CallSettings } from "./send-request.ts";
import { timedOut } from "./timed-out.ts";
import { TokenSum } from "./token-sum.ts";
import type { Endpoint } from "./wire.ts";

type Settings = CallSettings &
  Pick<ModelSettings, "model" | "timeoutMs" | "maxRetries" | "temperature" | "reasoningEffort" | "secrets" | "keys">;

/** The model at an endpoint: its limit of time, its defaults, and what is found out of the endpoint hold for every call. */
export function modelOf(endpoint: Endpoint, settings: Settings): Model {
  return {
    name: settings.model,
    timeoutMs: settings.timeoutMs,
    async generate(asked, options = {}) {
      const { signal, onDelta: listener, maxRetries = Number.POSITIVE_INFINITY, maxRequests } = options;
      // A proxy that repeats a request repeats its key, as an answer too.
      const keys = settings.keys();
      const heard = listener && shielded("onDelta", listener);
      const onDelta =
        heard && keys.length > 0
          ? (text: string, said?: string) =>
              said === undefined ? heard(redact(text, keys)) : heard(redact(text, keys), redact(said, keys))
          : heard;
      const watch = options.watch && shielded("watch", options.watch);
      const onRestart = options.onRestart && shielded("onRestart", options.onRestart);
      const spent = options.onSpent && shielded("onSpent", options.onSpent);
      using deadline = startDeadline(signal, settings.timeoutMs);
      let call: Call | undefined;
      try {
        deadline.signal.throwIfAborted();
        const request = withDefaults(asked, settings);
        call = {
          endpoint,
          settings,
          request,
          model: request.model ?? settings.model,
          wanted: wantedAnswer(request),
          maxRetries: Math.min(settings.maxRetries, maxRetries),
          maxRequests: maxRequests ?? Number.POSITIVE_INFINITY,
          sent: 0,
          refused: 0,
          tokens: new TokenSum(),
          hasWritten: false,
          signal: deadline.signal,
          leftMs: () => deadline.leftMs,
          ...(onDelta ? { onDelta } : {}),
          ...(onRestart ? { onRestart } : {}),
          ...(watch ? { watch } : {}),
        };
        const reply = await negotiate(call, maxRequests === undefined);
        // An answer may have been whole before its connection closed.
        signal?.throwIfAborted();
        return redact(reply, keys);
      } catch (error) {
        const usage = call && usageOf(call);
        if (usage !== undefined) spent?.(usage);
        if (signal?.aborted) {
          throw signal.reason;
        }
        throw deadline.passed
          ? timedOut(endpoint.url, settings.timeoutMs, { cause: error, usage })
          : withoutSecrets(error, settings.secrets);
      }
    },
  };
}

/** A listener only watches, so its failure must not cost the answer. */
function shielded<Given extends unknown[]>(
  name: string,
  listener: (...given: Given) => void,
): (...given: Given) => void {
  const faults = new FaultLog();
  return (...given) =>
    notify(
      () => listener(...given),
      undefined,
      (error) => faults.report(name, error),
    );
}
