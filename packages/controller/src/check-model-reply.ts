import { isRecord } from "@planloom/plan";
import { ControllerError, ControllerErrorCode } from "./errors.ts";
import type { ModelReply } from "./model.ts";
import { shown } from "./transport/cut.ts";

/** A model may be the user's own, so its reply is checked before it is used. @throws ControllerError PROTOCOL for what is not a reply */
export function checkModelReply(model: string, reply: unknown): ModelReply {
  if (isRecord(reply) && typeof reply.text === "string" && Array.isArray(reply.toolCalls ?? [])) {
    return reply.toolCalls === undefined
      ? { ...(reply as unknown as ModelReply), toolCalls: [] }
      : (reply as unknown as ModelReply);
  }
  throw new ControllerError(
    ControllerErrorCode.PROTOCOL,
    `Expected \`generate\` of the model "${model}" to give { text, toolCalls }, got ${shown(reply)}.`,
    { details: { model, body: shown(reply) } },
  );
}
