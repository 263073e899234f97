import type { RecordedCall } from "@planloom/plan";
import { type RunScope, TaskContext, TaskScope } from "../executors/scope.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import { cloneJson } from "../json-copy.ts";
import { fillIn } from "../secrets/fill-in.ts";
import { redacted, redactedError } from "../secrets/redacted.ts";
import type { SecretResolver } from "../secrets/secret-resolver.ts";
import { TimedWork, type WorkLimits, type WorkOutcome } from "./timed-work.ts";

export interface CallFields extends Required<WorkLimits> {
  readonly runId: string;
  readonly idempotencyKey: string;
  /** 1 for the first. */
  readonly number: number;
  /** Not called any more once the attempt has ended. */
  onProgress(progress: unknown): void;
  scope(attempt: TimedWork): RunScope;
  /** Calls the executor. */
  within<Value>(work: () => Value): Value;
  onEnd(outcome: WorkOutcome): void;
}

/**
 * What one call is made with. A class, since of object literals V8 counts how many live on: when a full collection comes in the
 * first few hundred tasks, most of which run or have just ended, it takes these for long-lived and makes all later ones in the old
 * generation, where each keeps all that its call had until the next full collection (measured: 1.0 KB a task).
 */
class CallOptions implements CallFields {
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly runId: string;
  readonly idempotencyKey: string;
  readonly number: number;
  readonly onProgress: CallFields["onProgress"];
  readonly scope: CallFields["scope"];
  readonly within: CallFields["within"];
  readonly onEnd: CallFields["onEnd"];

  constructor(fields: CallFields) {
    this.timeoutMs = fields.timeoutMs;
    this.graceMs = fields.graceMs;
    this.idleMs = fields.idleMs;
    this.totalMs = fields.totalMs;
    this.runId = fields.runId;
    this.idempotencyKey = fields.idempotencyKey;
    this.number = fields.number;
    this.onProgress = fields.onProgress;
    this.scope = fields.scope;
    this.within = fields.within;
    this.onEnd = fields.onEnd;
  }
}

/** Calls the executor once, under a time limit. Its secrets are filled in here, and blanked in all that comes back. */
export function executeStep(
  prepared: PreparedStep,
  resolver: SecretResolver | undefined,
  fields: CallFields,
): TimedWork {
  const { executor, step, task, secrets } = prepared;
  const options = new CallOptions(fields);
  const attempt = new TimedWork(options, options.onEnd);
  const { signal } = attempt;
  const context = new TaskContext({
    signal,
    attempt: options.number,
    idempotencyKey: options.idempotencyKey,
    runId: options.runId,
    task,
    onProgress(progress) {
      if (attempt.ended) return;
      attempt.heartbeat();
      options.onProgress(resolver === undefined ? progress : redacted(progress, resolver));
    },
    scope: resolver === undefined ? options.scope(attempt) : withoutSecrets(options.scope(attempt), resolver),
  });
  // A copy, so that neither other tasks nor later attempts see what an executor does to its input.
  const input = { ...step, input_data: cloneJson(step.input_data) };
  let output: unknown;
  try {
    output =
      secrets === undefined || resolver === undefined
        ? options.within(() => executor.execute(input, context))
        : fillIn(input, secrets, prepared, resolver, signal).then((filled) =>
            options.within(() => executor.execute(filled, context)),
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

function withoutSecrets(scope: RunScope, resolver: SecretResolver): RunScope {
  return new TaskScope({
    ...scope,
    addCall: (call) => scope.addCall(redacted(call, resolver) as RecordedCall),
    redact: (value) => redacted(value, resolver) as typeof value,
  });
}
