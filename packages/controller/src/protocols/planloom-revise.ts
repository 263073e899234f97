import { isRecord, type Resource } from "@planloom/plan";
import type { Phase1Request, PlanDraft } from "../behavior-controller.ts";
import { dataBlock } from "../prompts/data-block.ts";
import { planSchema } from "../prompts/plan-schema.ts";
import { readJsonAnswer } from "./json-answer.ts";
import type { Phase } from "./protocol.ts";

/** How a model is asked for what is to change in a draft, and what its answer makes of the draft. */
export const planloomRevise: Phase<Phase1Request> = {
  maxTokens: 10_000,
  write(request, { instructions, prompts, resourcesLeftOut = 0 }) {
    const { draft = noDraft, job, context, resources = [], phase_1_data } = request;
    const system = prompts.reviseSystem();
    const goal = job === undefined ? phase_1_data.task_input_data : goalOf(job);
    return {
      messages: [
        { role: "system", content: instructions ? `${system}\n\n# Instructions\n${instructions}` : system },
        {
          role: "user",
          content: [
            `## Goal\n${goal}`,
            ...(context === undefined ? [] : [`## Context\n${dataBlock("context", JSON.stringify(context))}`]),
            prompts.draft(draft, resources, resourcesLeftOut),
          ].join("\n\n"),
        },
      ],
      schema: { name: "revision", schema: revisionSchema(resources, draft) },
    };
  },
  read(reply, { draft = noDraft, resources }) {
    const answer = readJsonAnswer(reply, revisionSchema(resources, draft), ["tasks", "drop"]);
    return "data" in answer ? { data: { tasks: revised(draft, answer.data) } } : answer;
  },
};

const noDraft: PlanDraft = { tasks: [], open: [] };

function goalOf(job: NonNullable<Phase1Request["job"]>): string {
  const { job_goal, ...more } = job;
  const rest = Object.values(more).some((part) => part !== undefined && Object.keys(part).length > 0);
  const goal = typeof job_goal === "string" ? job_goal : JSON.stringify(job_goal);
  return rest ? `${goal}\n${JSON.stringify(more)}` : goal;
}

function revisionSchema(resources: readonly Resource[] = [], draft: PlanDraft) {
  const { items } = planSchema(resources).properties.tasks;
  const ids = draft.tasks.map(({ task_id }) => task_id);
  return {
    type: "object",
    properties: {
      tasks: { type: "array", items: { ...items, required: ["task_id"] } },
      drop: { type: "array", items: ids.length === 0 ? { type: "string" } : { type: "string", enum: ids } },
    },
    required: ["tasks"],
  };
}

/** The draft with what a model says of it. Its answer is data from outside: what is no task is left out. */
function revised(draft: PlanDraft, data: unknown): Record<string, unknown>[] {
  const answer = isRecord(data) ? data : { tasks: data };
  const listed: readonly unknown[] = Array.isArray(answer.tasks) ? answer.tasks : [];
  const changes = new Map(
    listed.flatMap((task) => (isRecord(task) && typeof task.task_id === "string" ? [[task.task_id, task]] : [])),
  );
  const dropped = new Set(Array.isArray(answer.drop) ? answer.drop.filter((id) => !changes.has(id)) : []);
  const kept = draft.tasks
    .filter(({ task_id }) => !dropped.has(task_id))
    .map((task) => {
      const change = changes.get(task.task_id) ?? {};
      changes.delete(task.task_id);
      const dependencies = Array.isArray(change.dependencies) ? change.dependencies : (task.dependencies ?? []);
      return { ...task, ...change, dependencies: dependencies.filter((id) => !dropped.has(id)) };
    });
  return [...kept, ...changes.values()];
}
