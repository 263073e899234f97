import { dialects } from "@planloom/plan";
import { readOutput } from "../output/read-output.ts";
import { goalOf } from "./goal-of.ts";
import { cutOff, refused } from "./json-answer.ts";
import { planloomProtocol } from "./planloom.ts";
import type { Protocol, ProtocolAnswer } from "./protocol.ts";
import { readDialect } from "./read-dialect.ts";

/** What the dialect reads strictly, read loosely: only the outside is said here. */
const stepsSchema = { type: "array" } as const;

/**
 * For models trained on Kirha's format: the system message is the instructions and the tools, the user message the
 * query alone, the answer a think block and a plan block. Earlier attempts follow as turns of the conversation, so the
 * first two messages are always those that the model knows. Phase 2 has no such format and is asked in Planloom's.
 */
export const kirhaProtocol: Protocol = {
  name: "kirha",
  phase1: {
    maxTokens: 10_000,
    temperature: 0,
    write: (request, { instructions, prompts }) => {
      const { resources = [], feedback = [] } = request;
      const tools = resources.filter(({ kind }) => kind === "tool");
      const system = prompts.kirhaSystem({ resources: tools, ...(instructions ? { instructions } : {}) });
      const answer = feedback.at(-1)?.answer;
      return {
        messages: [
          { role: "system", content: system },
          { role: "user", content: goalOf(request) },
          ...(answer ? [{ role: "assistant", content: answer } as const] : []),
          ...(feedback.length > 0 ? [{ role: "user", content: prompts.feedback(feedback) } as const] : []),
        ],
      };
    },
    read(reply, request): ProtocolAnswer {
      if (reply.text.trim() === "") {
        return refused("No plan generated", []);
      }
      const context = { goal: goalOf(request) };
      const strict = readDialect(dialects.kirha, reply.text, context);
      if ("data" in strict) {
        return strict;
      }
      const loose = readOutput(reply.text, { schema: stepsSchema });
      if (!loose.found || !Array.isArray(loose.value)) {
        return reply.finishReason === "length" ? cutOff() : strict;
      }
      return loose.truncated ? cutOff() : readDialect(dialects.kirha, loose.value, context);
    },
  },
  phase2: planloomProtocol.phase2,
};
