import type { Executor, JsonSchema } from "@planloom/plan";
import { TaskErrorCode, TaskFailure } from "../../task-error.ts";
import type { RunScope } from "../scope.ts";
import { scopeOf } from "../scope.ts";
import type { DelegationOptions } from "./delegation-options.ts";
import { handedOn, type NestedEnd, nestedCall, recordedCall } from "./nested-call.ts";
import type { OwnEnd, OwnTool } from "./own-tool.ts";
import type { ToolBox } from "./tool-box.ts";

const defaultParts = 16;

/** What a sub-agent is asked to do. */
export interface DelegatedPart {
  readonly task: string;
  readonly context?: string;
  /** Ids of the run's tools. */
  readonly tools: readonly string[];
  /** Depth that is left. */
  readonly depth: number;
}

const kind = "sub-agent";
const parameters: JsonSchema = {
  type: "object",
  properties: {
    task: {
      type: "string",
      minLength: 1,
      description: "All that is to be done, with every name, number and condition that it needs.",
    },
    context: { type: "string", description: "What is known already and needed for it." },
    tools: {
      type: "array",
      items: { type: "string" },
      description: "Names of the tools that it may call; all of yours by default.",
    },
  },
  required: ["task"],
  additionalProperties: false,
};

/**
 * The tool by which an agent hands a part of its work to another one, which has a conversation of its own and may call the same tools or
 * fewer. It is a task nested in the agent's: budgets, limits, guards, gates and the journal of the run hold for it and for all that it calls,
 * and one that ended in an earlier session is not run again.
 * @param work carries out a part, within the scope of its own task
 */
export function delegateTool(
  scope: RunScope,
  box: Pick<ToolBox, "idOf" | "names">,
  { depth = 1, maxParts = defaultParts }: DelegationOptions,
  work: (scope: RunScope, part: DelegatedPart) => Promise<unknown>,
): OwnTool {
  let parts = 0;
  return {
    name: "delegate",
    description:
      "Hands a part of the work to another agent, which sees nothing of this conversation but what you write here, calls tools, and answers in words. For parts that need many calls or long outputs.",
    parameters,
    async call(input, { taskId, conversation }) {
      if (parts >= maxParts) {
        return { ok: false, message: `${maxParts} parts were handed on already (maxParts). Do the rest yourself.` };
      }
      const chosen = chooseTools(input.tools, box);
      if ("problem" in chosen) return { ok: false, message: chosen.problem };
      parts += 1;
      const executor: Executor = {
        kind: "agent",
        resources: () => [{ kind: "agent", id: kind, description: "Carries out a part of an agent's task." }],
        delegates: () => true,
        execute({ input_data }, context) {
          const within = scopeOf(context);
          if (within === undefined) {
            throw new TaskFailure(TaskErrorCode.FAILED, "A sub-agent can only work within a run.", {
              retryable: false,
            });
          }
          const { task, context: known } = input_data as { readonly task: string; readonly context?: string };
          return work(within, {
            task,
            ...(known !== undefined && { context: known }),
            tools: chosen.ids,
            depth: depth - 1,
          });
        },
      };
      const task = taskOf(taskId, input);
      const outcome = await nestedCall(scope, task, input, { executors: [executor], place: conversation });
      return outcome.status === "waiting" ? { waiting: outcome.waiting } : endOf(outcome);
    },
    recorded(input, { taskId, conversation }) {
      const end = recordedCall(scope, taskOf(taskId, input), input, conversation);
      return end && endOf(end);
    },
  };
}

function taskOf(task_id: string, input: Readonly<Record<string, unknown>>) {
  return { task_id, execution_type: "agent" as const, agent_id: kind, arguments: handedOn(input) };
}

function endOf(outcome: NestedEnd): OwnEnd {
  return outcome.status === "completed"
    ? { ok: true, output: outcome.output }
    : { ok: false, message: outcome.error.message };
}

function chooseTools(
  given: unknown,
  box: Pick<ToolBox, "idOf" | "names">,
): { readonly ids: readonly string[] } | { readonly problem: string } {
  const ids: string[] = [];
  for (const name of Array.isArray(given) ? given : box.names) {
    const id = box.idOf(String(name));
    if (id === undefined) {
      const known = box.names.length === 0 ? "You have none." : `Yours are: ${box.names.join(", ")}.`;
      return { problem: `The tool ${JSON.stringify(String(name).slice(0, 100))} cannot be handed on. ${known}` };
    }
    ids.push(id);
  }
  return { ids };
}
