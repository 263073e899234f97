import type { Phase1Request } from "../behavior-controller.ts";
import { replanSchema } from "../prompts/replan-schema.ts";
import { arrangedRequest } from "./arranged-request.ts";
import { readJsonAnswer } from "./json-answer.ts";
import type { Phase } from "./protocol.ts";

/**
 * How every protocol that has no form of its own asks for a replan. The request's text says all there is; resources and
 * feedback are in it too.
 */
export const planloomReplan: Phase<Phase1Request> = {
  maxTokens: 10_000,
  write(request, settings) {
    const marked = request.replan?.tasks.map(({ task }) => task.task_id);
    const schema = { name: "replan", schema: replanSchema(request.resources, marked) };
    return arrangedRequest(request, settings, settings.prompts.replanSystem(), schema);
  },
  read: (reply, { resources }) => readJsonAnswer(reply, replanSchema(resources), ["tasks", "drop"]),
};
