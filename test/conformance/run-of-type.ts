import { agentGrid } from "@planloom/compat";
import { executionKinds } from "@planloom/plan";
import { defineExecutor, defineWorkflow, run, workflowExecutor } from "@planloom/runtime";

/** Runs one task of a type as AgentGrid writes it, with one resource of every kind; that of a workflow is a plan within the plan. */
export async function runOfType(type: string, signal: AbortSignal) {
  const called: string[] = [];
  const executors = executionKinds.map((kind) => {
    const resources = () => [{ kind, id: "only", description: `The ${kind}.` }];
    return defineExecutor({ kind, resources, execute: async () => called.push(kind) });
  });
  const inner = { planned_tasks: [{ execution_type: "tool" as const, tool_id: "only" }] };
  const workflow = workflowExecutor([defineWorkflow({ id: "nested", description: "A plan.", plan: inner })]);
  const kind = agentGrid.executionTypes.get(type);
  const uid = kind === "dsl" ? "nested" : "only";
  const pins = { tool_id: kind === "tool" ? uid : null, agent_id: kind === "agent" ? uid : null, parameters: { uid } };
  const plan = agentGrid.read([{ task_id: "t", execution_type: type, ...pins }]);
  const { results } = await run(plan, { executors: [workflow, ...executors], signal });
  const executed = results[0]?.status === "completed" && called.length === 1;
  return { executed, kind, nested: executed && called[0] === "tool" && kind === "dsl" };
}
