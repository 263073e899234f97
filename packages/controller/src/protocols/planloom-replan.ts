import { replanAnswerSchema } from "../answers/plan-answer-schema.ts";
import { readPlanAnswer } from "../answers/read-plan-answer.ts";
import type { Phase1Request } from "../behavior-controller.ts";
import { dropRule } from "../prompts/replan-system.ts";
import type { ReplanRequest } from "../replan-request.ts";
import { arrangedRequest } from "./arranged-request.ts";
import { readJsonAnswer } from "./json-answer.ts";
import type { Phase } from "./protocol.ts";

/**
 * How every protocol that has no form of its own asks for a replan: as for a plan, with a branch a resource, each task saying what it replaces. The request's text
 * says all there is; resources and feedback are in it too.
 */
export const planloomReplan: Phase<Phase1Request> = {
  maxTokens: 10_000,
  write(request, settings) {
    const { resources = [], replan } = request;
    const marked = replan?.tasks.map(({ task }) => task.task_id) ?? [];
    const droppable = droppableOf(replan);
    const schema = { name: "replan", ...replanAnswerSchema(resources, { marked, droppable }) };
    const system = settings.prompts.replanSystem(resources);
    return arrangedRequest(request, settings, system, schema, dropRule(droppable));
  },
  read(reply, { resources = [] }) {
    const answer = readJsonAnswer(reply, listOfTasks, ["tasks", "drop"]);
    return "data" in answer ? readPlanAnswer(answer.data, resources) : answer;
  },
};

/** Marked tasks that no task reads but those that are marked too: only they may go with nothing in their place. Optional ones may stay in any case. */
function droppableOf(replan: ReplanRequest | undefined): string[] {
  return (replan?.tasks ?? []).flatMap(({ task, consumers, optional }) =>
    optional === true || consumers.every(({ marked }) => marked === true) ? [task.task_id] : [],
  );
}

/** What is looked for in a text: models that are not held to the schema write tasks in other forms too. */
const listOfTasks = {
  type: "object",
  properties: {
    tasks: { type: "array", items: { type: "object" } },
    drop: { type: "array", items: { type: "string" } },
  },
} as const;
