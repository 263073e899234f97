import { isRecord, type Resource } from "@planloom/plan";
import { stepInPlainForm } from "../answers/plain-form.ts";
import { maxAnsweredTasks, planAnswerSchema, stepAnswerSchema } from "../answers/plan-answer-schema.ts";
import { readPlanAnswer } from "../answers/read-plan-answer.ts";
import { flowSpokenOf, speaksOfOrder, spokenOf } from "../answers/spoken-of.ts";
import { withoutNulls } from "../answers/without-nulls.ts";
import type { Phase1Request } from "../behavior-controller.ts";
import { stepSchema } from "../prompts/plan-schema.ts";
import { arrangedRequest } from "./arranged-request.ts";
import { goalOf } from "./goal-of.ts";
import { readJsonAnswer } from "./json-answer.ts";
import type { Protocol, ProtocolAnswer } from "./protocol.ts";

/**
 * Planloom's own. What stays the same comes first: the system message has the rules and the resources as cards; the user message has
 * context, notes and what went wrong before, then the day and at last the goal. A text that the caller wrote whole is sent as it is, with what it
 * lacks. The schema of the answer has one branch a resource.
 */
export const planloomProtocol: Protocol = {
  name: "planloom",
  maxResources: 20,
  ranksAbove: 12,
  phase1: {
    maxTokens: 10_000,
    write: (request, settings) => {
      const { resources = [] } = request;
      const { prompts, resourcesLeftOut = 0 } = settings;
      const said = saidIn(request);
      const flow = flowSpokenOf(goalOf(request));
      const tries = request.feedback?.length ?? 0;
      const order = tries > 0 || speaksOfOrder(said);
      const system = prompts.planSystem(resources, resourcesLeftOut);
      const offers =
        tries === 0 ? { offers: spokenOf(said), mayOrder: order, maxTasks: mostTasks(said, resources) } : {};
      const loops = { mayLoop: flow.each, mayDecide: flow.when, mayWait: flow.wait, mayRepeat: flow.until };
      const schema = planAnswerSchema(resources, { ...offers, ...loops, mayAskForMore: resourcesLeftOut > 0 });
      const further = prompts.flowRules({ ...flow, order });
      return arrangedRequest(request, settings, system, { name: "plan", ...schema }, further);
    },
    read(reply, request) {
      const { resources = [] } = request;
      const answer = readJsonAnswer(reply, listOfTasks, ["tasks"]);
      return "data" in answer ? bareList(readPlanAnswer(answer.data, resources, saidIn(request))) : answer;
    },
  },
  phase2: {
    maxTokens: 10_000,
    write: (request, settings) => {
      // As for a plan: offered all optional arguments, small models fill them all. A text that the caller wrote describes the resources too.
      const { sections, feedback = [] } = request;
      const offers = sections === undefined || feedback.length > 0 ? undefined : spokenOf(sections.join("\n"));
      const schema = stepAnswerSchema(request.resources ?? [], offers);
      return arrangedRequest(request, settings, settings.prompts.stepSystem(), { name: "step", ...schema });
    },
    read: (reply, { resources = [] }) => {
      const answer = readJsonAnswer(reply, stepSchema(resources), ["uid", "input_data"]);
      return "data" in answer ? { data: withoutNulls(stepInPlainForm(answer.data, resources), resources) } : answer;
    },
  },
};

/**
 * How many tasks a goal can mean: of tools four and one for every fifth word, but at least eight (no right plan of 2,143 goals of ten benchmarks has
 * more than three and one for every eighth); where agents or models take part, who are asked for more than the words say, one for every second
 * word, but at least 24. A model that is held to a grammar may otherwise continue for as long as it is let; a second attempt is let.
 */
function mostTasks(said: string, resources: readonly Resource[]): number {
  const words = said.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  const isOfTools = resources.length > 0 && resources.every(({ kind }) => kind === "tool");
  const most = isOfTools ? Math.max(8, 4 + Math.ceil(words / 5)) : Math.max(24, Math.ceil(words / 2));
  return Math.min(maxAnsweredTasks, most);
}

/** What is looked for in a text: models that are not held to the schema write tasks in other forms too, and validation says what is wrong with them. */
const listOfTasks = {
  type: "object",
  properties: { tasks: { type: "array", items: { type: "object" } } },
  required: ["tasks"],
} as const;

/** The bare list is what the Agents Planning System's controllers answer with. */
function bareList(answer: ProtocolAnswer): ProtocolAnswer {
  if (!("data" in answer)) return answer;
  const { data } = answer;
  const alone = isRecord(data) && Array.isArray(data.tasks) && Object.keys(data).length === 1;
  return alone ? { ...answer, data: data.tasks } : answer;
}

/** What the caller said, without what day it is. */
function saidIn({ sections, phase_1_data }: Phase1Request): string {
  return sections?.join("\n") ?? phase_1_data.task_input_data;
}
