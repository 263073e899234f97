import type { PlanloomEvent } from "../events.ts";
import type { LogFields, Logger } from "./logger.ts";

type Level = "debug" | "info" | "warn" | "error";
type Line = readonly [level: Level, fields: LogFields, message: string];

/**
 * Writes what happens in an instance to a logger: plans, runs and replans at `info`, single tasks at `debug`, retries at `warn`, failures at `error`. No
 * arguments, outputs or texts of models are in it, but messages of errors are.
 */
export function logEvents(logger: Logger): (event: PlanloomEvent) => void {
  // Each run has a logger with its id, where there are such.
  const ofRuns = new Map<string, Logger>();
  return (event) => {
    const runId = "runId" in event ? event.runId : undefined;
    if (event.type === "run-start" && logger.child !== undefined)
      ofRuns.set(event.runId, logger.child({ run_id: event.runId }));
    const line = lineOf(event);
    if (line !== undefined) {
      const [level, fields, message] = line;
      const own = runId === undefined ? undefined : ofRuns.get(runId);
      if (own !== undefined) own[level](fields, message);
      else logger[level]({ ...(runId !== undefined && { run_id: runId }), ...fields }, message);
    }
    if (event.type === "run-end") ofRuns.delete(event.runId);
  };
}

function lineOf(event: PlanloomEvent): Line | undefined {
  switch (event.type) {
    case "plan-end":
      return ["info", { plan_id: event.planId, tasks: event.tasks, ms: event.at }, "a plan was made"];
    case "plan-error":
    case "replan-error":
      return ["error", { code: event.code, reason: event.message, ms: event.at }, "no plan could be made"];
    case "plan-attempt":
    case "replan-attempt": {
      const codes = [...new Set(event.issues.map(({ code }) => code))];
      if (codes.length === 0) return undefined;
      return ["debug", { attempt: event.attempt, issues: codes }, "an attempt at a plan had faults"];
    }
    case "bind-error":
      return ["warn", { task_id: event.taskId, code: event.code, reason: event.message }, "a task could not be bound"];
    case "plan-grouped": {
      const { dispatcher, dispatches } = event.grouping;
      return ["info", { plan_id: event.planId, dispatcher, dispatches }, "a plan was grouped"];
    }
    case "run-start":
      return ["info", { plan_id: event.planId, tasks: event.tasks, recorded: event.recorded }, "a run began"];
    case "task-start":
      return ["debug", { task_id: event.taskId, attempt: event.attempt, resource: event.uid }, "a task started"];
    case "task-end":
      return ["debug", { task_id: event.taskId, ms: Math.round(event.durationMs) }, "a task was completed"];
    case "task-retry": {
      const { code, message } = event.error;
      const fields = { task_id: event.taskId, attempt: event.attempt, code, reason: message, delay_ms: event.delayMs };
      return ["warn", fields, "an attempt failed, and is repeated"];
    }
    case "task-error": {
      const { code, message } = event.error;
      return ["error", { task_id: event.taskId, attempts: event.attempts, code, reason: message }, "a task failed"];
    }
    case "task-skip":
      return ["info", { task_id: event.taskId, because: event.because, code: event.error.code }, "a task was skipped"];
    case "task-waiting":
      return ["info", { task_id: event.taskId, resource: event.uid }, "a call waits for a person"];
    case "task-wait":
      return ["info", { task_id: event.taskId }, "a task waits for a time or a signal"];
    case "task-approve":
      return ["info", { task_id: event.taskId, answer: event.answer }, "a person answered"];
    case "patch-request":
      return ["info", { tasks: event.taskIds, replan: event.replan }, "tasks are to be replaced"];
    case "patch-apply":
      return ["info", { revision: event.revision, added: event.added.length }, "the plan was changed"];
    case "patch-refuse":
      return ["warn", { code: event.code, reason: event.message }, "the plan stays as it is"];
    case "run-end": {
      const isFailure = event.endReason === "failed" || event.endReason === "budget" || event.endReason === "stalled";
      const fields = { end_reason: event.endReason, ms: Math.round(event.achievedMs) };
      return [isFailure ? "error" : "info", fields, "a run ended"];
    }
    case "loop-end":
      return ["info", { end_reason: event.endReason, rounds: event.rounds }, "a loop ended"];
    default:
      return undefined;
  }
}
