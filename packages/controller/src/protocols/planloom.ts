import { isRecord, type PlanningContext, type Resource } from "@planloom/plan";
import type { AttemptFeedback, Phase1Request, Phase2Request } from "../behavior-controller.ts";
import { dataBlock } from "../prompts/data-block.ts";
import { planSchema, stepSchema } from "../prompts/plan-schema.ts";
import { readJsonAnswer } from "./json-answer.ts";
import type { Protocol, ProtocolRequest, ProtocolSettings } from "./protocol.ts";

/**
 * Planloom's own: the system message has the rules and the form of the answer, the user message is the request's
 * text. What the structured fields say and the text does not (the text of `Planner` says all of it) is added.
 */
export const planloomProtocol: Protocol = {
  name: "planloom",
  phase1: {
    maxTokens: 10_000,
    write: (request, settings) =>
      ask(
        settings,
        settings.prompts.planSystem(),
        completeText(request.phase_1_data.task_input_data, request, settings),
        {
          name: "plan",
          schema: planSchema(request.resources),
        },
      ),
    read(reply, { resources }) {
      const answer = readJsonAnswer(reply, planSchema(resources), ["tasks"]);
      // The bare list is what the Agents Planning System's controllers answer with.
      return "data" in answer && isRecord(answer.data) && Array.isArray(answer.data.tasks) && onlyTasks(answer.data)
        ? { data: answer.data.tasks }
        : answer;
    },
  },
  phase2: {
    maxTokens: 10_000,
    write: (request, settings) =>
      ask(
        settings,
        settings.prompts.stepSystem(),
        completeText(request.phase_2_data.task_input_data, request, settings),
        {
          name: "step",
          schema: stepSchema(request.resources),
        },
      ),
    read: (reply, { resources }) => readJsonAnswer(reply, stepSchema(resources), ["uid", "input_data"]),
  },
};

function onlyTasks(data: Record<string, unknown>): boolean {
  return Object.keys(data).length === 1;
}

function ask(
  { instructions }: ProtocolSettings,
  system: string,
  user: string,
  schema: NonNullable<ProtocolRequest["schema"]>,
): ProtocolRequest {
  return {
    messages: [
      { role: "system", content: instructions ? `${system}\n\n# Instructions\n${instructions}` : system },
      { role: "user", content: user },
    ],
    schema,
  };
}

function completeText(text: string, request: Phase1Request | Phase2Request, settings: ProtocolSettings): string {
  const { resources = [], feedback = [] } = request;
  const parts = [text];
  if (!namesAll(text, resources)) {
    parts.push(settings.prompts.resources(resources, settings.resourcesLeftOut));
  }
  const context = "context" in request ? request.context : undefined;
  if (context !== undefined && lacksContext(text, context)) {
    parts.push(`## Context\n${dataBlock("context", JSON.stringify(context, null, 2))}`);
  }
  if ("input" in request && request.input !== undefined && !text.includes("## Input")) {
    parts.push(`## Input\n${dataBlock("input", JSON.stringify(request.input))}`);
  }
  if (lacksFeedback(text, feedback)) {
    parts.push(`## Feedback\n${settings.prompts.feedback(feedback)}`);
  }
  return parts.join("\n\n");
}

/** Whether `text` names every resource. Linear where it names them in their order, as descriptions do. */
function namesAll(text: string, resources: readonly Resource[]): boolean {
  let from = 0;
  return resources.every(({ id }) => {
    const next = text.indexOf(id, from);
    const found = next === -1 ? text.indexOf(id) : next;
    if (found !== -1) from = found;
    return found !== -1;
  });
}

function lacksContext(text: string, { semantic = [], episodic = [], entities = [] }: PlanningContext): boolean {
  const said = semantic[0]?.text ?? episodic[0]?.query ?? entities[0];
  return said !== undefined && !text.includes("## Context") && !text.includes(said);
}

function lacksFeedback(text: string, feedback: readonly AttemptFeedback[]): boolean {
  const last = feedback.at(-1);
  return last !== undefined && !last.issues.every(({ message }) => text.includes(message.slice(0, 80)));
}
