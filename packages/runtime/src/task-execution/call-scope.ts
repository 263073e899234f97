import { type CallUsage, checkUsage, isRecord } from "@planloom/plan";
import { type RunScope, TaskScope } from "../executors/scope.ts";
import { describe, TaskErrorCode, TaskFailure } from "../task-error.ts";
import type { RunningCall } from "./running-call.ts";
import type { NestedParent, ShellParts } from "./shell-parts.ts";
import type { TimedWork } from "./timed-work.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** One attempt of a call, and what is done with what its executor reports. */
interface ScopedCall {
  readonly task: number;
  /** The idempotency key of the call, which begins those of tasks within it. */
  readonly keyPrefix: string;
  readonly attempt: TimedWork;
  readonly call: RunningCall;
  readonly approved: NestedParent["approved"];
  /** Counts the usage of the run. */
  readonly usage: UsageCounter;
  onProgress(progress: unknown): void;
  /** The call only waits for a nested plan from now on. */
  lend(): void;
  /** Writes down a model call. */
  onCall: (recorded: Parameters<RunScope["addCall"]>[0]) => void;
}

/** What the executor of a running call may do beside answering: run plans within the task, report usage and model calls. */
export function callScope(parts: ShellParts, scoped: ScopedCall): RunScope {
  const { task, keyPrefix, attempt, call, approved, usage: counter, onProgress, lend, onCall } = scoped;
  const { signal } = attempt;
  const addUsage = (reported: CallUsage) => {
    if (attempt.ended) return;
    const { usage, fault } = checkUsage(reported);
    if (fault !== undefined) throw new TaskFailure(TaskErrorCode.FAILED, fault, { retryable: false });
    const { inputTokens = 0, outputTokens = 0, cost = 0 } = usage;
    counter.addCall(usage);
    const within = call.add(inputTokens + outputTokens, cost);
    parts.admission.noteUse(table.prepared[task]!.resource, call.tokens, call.cost);
    if (!within) attempt.stop(new Error("The budget is used up."));
  };
  const { registry, runId, table } = parts;
  const taskId = table.tasks[task]!.task_id;
  const path = `${parts.host.keyPrefix}/${taskId}`.slice(runId.length + 1);
  return new TaskScope({
    path,
    registry,
    approved,
    recorded: (plan, input, inner) => parts.recorded(taskId, plan, input, inner),
    runNested: async (plan, input, executors, isCovered = false) => {
      lend();
      const parent: NestedParent = {
        taskId,
        path,
        keyPrefix,
        signal,
        approved,
        isCovered,
        onProgress,
        addUsage: (used) => counter.add(used),
        addWork: (workMs) => {
          call.nestedMs += workMs;
        },
      };
      const { result, answersKnown } = await parts.runNested(plan, input, parent, executors);
      call.answersKnown = Math.min(call.answersKnown, answersKnown);
      return result;
    },
    addUsage,
    addCall: (recorded) => {
      if (attempt.ended) return;
      if (!isRecord(recorded)) {
        const message = `Expected \`onCall\` to be given a call ({ request, latencyMs, reply?, … }), got ${describe(recorded)}.`;
        throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false });
      }
      onCall(recorded);
      if (recorded.usage !== undefined) addUsage(recorded.usage);
    },
  });
}
