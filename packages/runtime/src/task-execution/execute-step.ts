import { type AttemptFields, RedactingScope, type RunScope, TaskContext } from "../executors/scope.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import { cloneJson } from "../json-copy.ts";
import { fillIn } from "../secrets/fill-in.ts";
import { redacted, redactedError } from "../secrets/redacted.ts";
import type { SecretResolver } from "../secrets/secret-resolver.ts";
import { TimedWork, type WorkLimits, type WorkOutcome } from "./timed-work.ts";

export interface CallFields extends AttemptFields, Required<WorkLimits> {
  /** Not called any more once the attempt has ended. */
  onProgress(progress: unknown): void;
  scope(attempt: TimedWork): RunScope;
  /** Calls the executor. */
  within<Value>(work: () => Value): Value;
  onEnd(outcome: WorkOutcome): void;
}

/** Calls the executor once, under a time limit. Its secrets are filled in here, and blanked in all that comes back. */
export function executeStep(prepared: PreparedStep, resolver: SecretResolver | undefined, call: CallFields): TimedWork {
  const { executor, step, task, secrets } = prepared;
  const attempt = new TimedWork(call, (outcome) => call.onEnd(outcome));
  const { signal } = attempt;
  const scope = call.scope(attempt);
  const onProgress = (progress: unknown) => {
    if (attempt.ended) return;
    attempt.heartbeat();
    call.onProgress(resolver === undefined ? progress : redacted(progress, resolver));
  };
  const context = new TaskContext(task, call, signal, onProgress, withoutSecrets(scope, resolver));
  // A copy, so that neither other tasks nor later attempts see what an executor does to its input.
  const input = { ...step, input_data: cloneJson(step.input_data) };
  let output: unknown;
  try {
    output =
      secrets === undefined || resolver === undefined
        ? call.within(() => executor.execute(input, context))
        : fillIn(input, secrets, prepared, resolver, signal).then((filled) =>
            call.within(() => executor.execute(filled, context)),
          );
  } catch (thrown) {
    output = Promise.reject(thrown);
  }
  const work = output instanceof Promise ? output : Promise.resolve(output);
  attempt.follow(
    resolver === undefined
      ? work
      : work.then(
          (value) => redacted(value, resolver),
          (thrown: unknown) => {
            throw redactedError(thrown, resolver);
          },
        ),
  );
  return attempt;
}

function withoutSecrets(scope: RunScope, resolver: SecretResolver | undefined): RunScope {
  if (resolver === undefined) return scope;
  return new RedactingScope(scope, (value) => redacted(value, resolver) as typeof value);
}
