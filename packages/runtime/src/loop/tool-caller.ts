import { hashValue } from "@planloom/plan";
import { gateOf, handedOn, nestedCall } from "../executors/agents/nested-call.ts";
import type { RunScope } from "../executors/scope.ts";
import { waitingFailure } from "../journal/waiting-call.ts";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";

const longestName = 100;

/**
 * Lets one call of a role call tools of the run, under its limits, budgets, guards and gates. What an earlier session completed is
 * not called again; of equal calls the first is the first, and so on.
 */
export function toolCaller(scope: RunScope): (id: string, input?: Record<string, unknown>) => Promise<unknown> {
  const made = new Map<string, number>();
  return async (id, input = {}) => {
    const tool = scope.registry.find("tool", id)?.resource;
    if (tool === undefined) {
      const known = scope.registry.resources.filter(({ kind }) => kind === "tool").map((resource) => resource.id);
      const message = `No tool "${id}" is known (${known.length === 0 ? "none is" : `known: ${known.slice(0, 10).join(", ")}`}).`;
      throw new TaskFailure(TaskErrorCode.RESOURCE_NOT_FOUND, message, {
        retryable: false,
        details: { kind: "tool", uid: id },
      });
    }
    const key = `${tool.id} ${hashValue(input)}`;
    const number = made.get(key) ?? 0;
    made.set(key, number + 1);
    const { isCovered, ...gate } = gateOf(scope, tool.id, input, number);
    const task = {
      task_id: `${tool.id.slice(0, longestName)}-${number}`,
      execution_type: "tool" as const,
      tool_id: tool.id,
      arguments: handedOn(input),
      ...gate,
    };
    const outcome = await nestedCall(scope, task, input, { executors: [], isCovered });
    if (outcome.status === "completed") return outcome.output;
    if (outcome.status === "waiting") {
      throw waitingFailure(outcome.waiting.map((each) => ({ ...each, uid: each.uid ?? tool.id, input })));
    }
    const { code, message, details } = outcome.error;
    throw new TaskFailure(code, message, { retryable: false, ...(details !== undefined && { details }) });
  };
}
