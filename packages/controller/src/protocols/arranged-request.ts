import type { PlanningContext, Resource } from "@planloom/plan";
import type { AttemptFeedback, Phase1Request, Phase2Request } from "../behavior-controller.ts";
import { dataBlock } from "../prompts/data-block.ts";
import type { ProtocolRequest, ProtocolSettings } from "./protocol.ts";

/**
 * A request in the order in which its beginning stays the same. The system message has the resources, rules and instructions, and after them what only this request needs of rules. The resources come
 * first, so that plans, steps and replans over the same ones begin alike; where they were chosen for this request they follow the rules, which are what it shares with others.
 * The user message has the sections, the day, and last what is asked. A text without sections is sent as it is, with what it lacks.
 * @param further rules of this request alone, a line each. @default none
 */
export function arrangedRequest(
  request: Phase1Request | Phase2Request,
  settings: ProtocolSettings,
  rules: string,
  schema: NonNullable<ProtocolRequest["schema"]>,
  further = "",
): ProtocolRequest {
  const { sections, resources = [], time } = request;
  const { instructions, prompts, resourcesLeftOut = 0, isRanked = false } = settings;
  const asked = "phase_1_data" in request ? request.phase_1_data : request.phase_2_data;
  const today = prompts.today(time, sections?.at(-1) ?? asked.task_input_data);
  const fixed = [rules, ...(instructions ? [`# Instructions\n${instructions}`] : [])];
  const described =
    sections === undefined || resources.length === 0 ? [] : [prompts.resources(resources, resourcesLeftOut, isRanked)];
  const system = [
    ...(isRanked ? [...fixed, ...described] : [...described, ...fixed]),
    ...(further === "" ? [] : [`Further rules:\n${further}`]),
  ];
  const user = sections === undefined ? [completeText(request, settings), today] : withDay(sections, today);
  return {
    messages: [
      { role: "system", content: system.join("\n\n") },
      { role: "user", content: user.filter((section) => section !== "").join("\n\n") },
    ],
    schema,
  };
}

function withDay(sections: readonly string[], today: string): readonly string[] {
  return [...sections.slice(0, -1), today, ...sections.slice(-1)];
}

function completeText(request: Phase1Request | Phase2Request, settings: ProtocolSettings): string {
  const { resources = [], feedback = [] } = request;
  const text = ("phase_1_data" in request ? request.phase_1_data : request.phase_2_data).task_input_data;
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
