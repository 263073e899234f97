import type { ControllerReply, Phase1Request } from "@planloom/controller";
import { type ControllerStep, scriptedController } from "@planloom/controller/testing";
import type { PlannerTask, Resource, SubGraph, TaskData } from "@planloom/plan";
import { SubGraphRePlanner, type SubGraphRePlannerOptions } from "@planloom/planner";
import { planOf, task } from "./plans.ts";

export const rows = { type: "array", items: { type: "object", properties: { id: { type: "string" } } } };
export const resources: Resource[] = [
  { kind: "tool", id: "list_old", description: "Lists", output_schema: { type: "object", properties: { rows } } },
  {
    kind: "tool",
    id: "list_new",
    description: "Lists anew",
    input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    output_schema: { type: "object", properties: { rows }, additionalProperties: false },
  },
  {
    kind: "tool",
    id: "clean",
    description: "Cleans",
    output_schema: { type: "object", properties: { city: { type: "string" } } },
  },
  { kind: "agent", id: "writer", description: "Writes" },
  { kind: "llm", id: "small", description: "A model" },
  { kind: "dsl", id: "flow", description: "A workflow" },
];
export const tool = (task_id: string, more: object): PlannerTask =>
  task({ task_id, execution_type: "tool", main_task_id: "plan", description: `Do ${task_id}`, ...more });

export const plan = (): TaskData =>
  planOf([
    tool("city", { tool_id: "clean", status: "completed", output: { city: "Lyon" } }),
    tool("list", { tool_id: "list_old", arguments: { where: "${city.city}" }, status: "failed", mark_replan: true }),
    task({
      task_id: "write",
      execution_type: "agent",
      agent_id: "writer",
      arguments: { ids: "${list.rows.*.id}" },
      status: "skipped",
      description: "Write",
    }),
    tool("secret", { tool_id: "clean", arguments: { note: "not to be shown" } }),
  ]);
export const whole = (data: TaskData): SubGraph => ({ subgraph_id: "s", tasks: data.planned_tasks, dependencies: [] });
export const good = {
  task_id: "list",
  replaces: ["list"],
  description: "List",
  execution_type: "tool",
  tool_id: "list_new",
  arguments: { city: "${city.city}" },
};

export function replanner(replies: (ControllerReply | Error)[], options: Partial<SubGraphRePlannerOptions> = {}) {
  const controller = scriptedController(replies.map((phase1): ControllerStep => ({ phase1 })));
  return { controller, replanner: new SubGraphRePlanner({ controller, resources, ...options }) };
}

export const requestOf = (controller: ReturnType<typeof scriptedController>, index = 0): Phase1Request =>
  controller.requests[index]!.request as Phase1Request;
