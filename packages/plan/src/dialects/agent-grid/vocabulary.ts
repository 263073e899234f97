import type { ExecutionKind, ExecutionType, TaskStatus } from "../../records/planner-task.ts";
import type { PlanStatus } from "../../records/task-data.ts";

/** Spellings of `execution_type` and of `parameters.sub_type`, in lower case. `l2_task` is open: `sub_type` decides. */
export const executionTypeSpellings: ReadonlyMap<string, ExecutionType> = new Map([
  ["", ""],
  ["l2_task", ""],
  ["agent", "agent"],
  ["agents", "agent"],
  ["agent_call", "agent"],
  ["tool", "tool"],
  ["tools", "tool"],
  ["tool_call", "tool"],
  ["function", "tool"],
  ["functions", "tool"],
  ["function_call", "tool"],
  ["codegen_call", "tool"],
  ["system_call", "tool"],
  ["llm", "llm"],
  ["llms", "llm"],
  ["llm_call", "llm"],
  ["dsl", "dsl"],
  ["dsl_workflow", "dsl"],
  ["l2_call", "dsl"],
]);

export const taskStatusSpellings: ReadonlyMap<string, TaskStatus> = new Map([
  ["", "pending"],
  ["pending", "pending"],
  ["running", "running"],
  ["in_progress", "running"],
  ["completed", "completed"],
  ["complete", "completed"],
  ["done", "completed"],
  ["success", "completed"],
  ["failed", "failed"],
  ["error", "failed"],
  ["skipped", "skipped"],
  ["waiting_approval", "waiting_approval"],
  ["cancelled", "cancelled"],
  ["canceled", "cancelled"],
]);

export const planStatusSpellings: ReadonlyMap<string, PlanStatus> = new Map([
  ["", "pending"],
  ["pending", "pending"],
  ["in_progress", "in_progress"],
  ["running", "in_progress"],
  ["done", "done"],
  ["completed", "done"],
  ["complete", "done"],
  ["failed", "failed"],
  ["error", "failed"],
  ["cancelled", "cancelled"],
  ["canceled", "cancelled"],
]);

/** Which Stage 2 planner and which executor a kind of task goes to. */
export interface L2Route {
  readonly kind: ExecutionKind;
  readonly planner: "AgentsPlanner" | "ToolsPlanner" | "LLMSelectorPlanner" | "DSLPlanner";
}

const routes: Readonly<Record<ExecutionKind, L2Route>> = {
  agent: { kind: "agent", planner: "AgentsPlanner" },
  tool: { kind: "tool", planner: "ToolsPlanner" },
  llm: { kind: "llm", planner: "LLMSelectorPlanner" },
  dsl: { kind: "dsl", planner: "DSLPlanner" },
};

/** The route of a `sub_type`, in any spelling; undefined for one that is not supported. */
export function l2Route(subType: string): L2Route | undefined {
  const kind = executionTypeSpellings.get(spelling(subType));
  return kind ? routes[kind] : undefined;
}

export function spelling(text: string): string {
  return text.trim().toLowerCase();
}
