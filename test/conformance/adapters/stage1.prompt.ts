import { scriptedController } from "@planloom/controller/testing";
import { Planner } from "@planloom/planner";

interface Input {
  readonly job_goal: Record<string, unknown>;
  readonly job_objectives: Record<string, unknown>;
  readonly job_steerability_data: Record<string, unknown>;
  readonly task_description: string;
  readonly custom: Record<string, string>;
  readonly agents: readonly { readonly id: string }[];
  readonly tools: readonly { readonly id: string }[];
}

const adapter: ConformanceAdapter<Input> = ({ custom, agents, tools, ...job }) => {
  const resources = [
    ...agents.map(({ id }) => ({ kind: "agent" as const, id, description: id })),
    ...tools.map(({ id }) => ({ kind: "tool" as const, id, description: id })),
  ];
  const planner = new Planner({ controller: scriptedController([]), resources });
  for (const [key, text] of Object.entries(custom)) planner.setCustomDescription(key, text);
  const text = planner.generateFinalInput(job);
  const sections = {
    "job data (goal, objectives, steerability)": planner.prepareJobData(job),
    "resources (agents, tools)": planner.prepareResourcesDescription(),
    "task description": planner.addTaskDescription(job.task_description),
  };
  const places = Object.entries(sections).map(([name, section]) => ({ name, at: text.indexOf(section) }));
  const found = places.filter(({ at }) => at >= 0).sort((left, right) => left.at - right.at);
  return { order: found.map(({ name }) => name), text };
};
export default adapter;
