import { FaultLog, notify, redact } from "@planloom/plan";
import { RedactedPieces } from "@planloom/plan/internals";
import type { Model } from "../model.ts";
import { credentialsIn, unmistakableKeys, withoutSecrets } from "../transport/cut.ts";
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
      const given = credentialsIn(asked.extra);
      const keys = given.length === 0 ? settings.keys() : [...settings.keys(), ...unmistakableKeys(given)];
      const heard = listener && withoutKeys(shielded("onDelta", listener), keys);
      const watched = options.watch && withoutKeys(shielded("watch", options.watch), keys);
      const restarted = options.onRestart && shielded("onRestart", options.onRestart);
      const onRestart = () => {
        heard?.restart();
        watched?.restart();
        restarted?.();
      };
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
          onRestart,
          ...(heard && { onDelta: heard.add }),
          ...(watched && { watch: watched.add }),
        };
        const reply = await negotiate(call, maxRequests === undefined);
        // An answer may have been whole before its connection closed.
        signal?.throwIfAborted();
        heard?.end();
        watched?.end();
        return redact(reply, keys);
      } catch (error) {
        const usage = call && usageOf(call);
        if (usage !== undefined) spent?.(usage);
        if (signal?.aborted) {
          throw signal.reason;
        }
        throw deadline.passed
          ? timedOut(endpoint.url, settings.timeoutMs, { cause: error, usage })
          : withoutSecrets(error, [...settings.secrets, ...given]);
      }
    },
  };
}

type Listener = (text: string, said?: string) => void;

/** A listener to pieces of an answer that hears no key, not even one that is split over several. */
function withoutKeys(listener: Listener, keys: readonly string[]) {
  const texts = new RedactedPieces();
  /** The answer's own words, where the model tells them apart. */
  let words: RedactedPieces | undefined;
  const give = (text: string, said: string | undefined) => {
    if (text !== "" || (said ?? "") !== "") listener(text, said);
  };
  return {
    add(text: string, said?: string) {
      if (said !== undefined) words ??= new RedactedPieces();
      give(texts.add(text, keys), said === undefined ? undefined : words?.add(said, keys));
    },
    restart() {
      texts.restart();
      words?.restart();
    },
    end: () => give(texts.end(keys), words?.end(keys)),
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
