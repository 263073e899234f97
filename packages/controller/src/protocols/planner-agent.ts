import { dialects, type PlanIssue } from "@planloom/plan";
import { checkPlannerAgentPlan, parsePlannerAgentPlan } from "@planloom/plan/internals";
import type { Phase1Request } from "../behavior-controller.ts";
import type { ControllerPrompts } from "../prompts/controller-prompts.ts";
import { dataBlock } from "../prompts/data-block.ts";
import { shortNames } from "../prompts/short-names.ts";
import { goalOf } from "./goal-of.ts";
import { readJsonAnswer, refused } from "./json-answer.ts";
import { planloomProtocol } from "./planloom.ts";
import type { Protocol } from "./protocol.ts";
import { readDialect } from "./read-dialect.ts";

function stepsSchema(tools: readonly string[] = []) {
  return {
    type: "object",
    properties: {
      steps: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            tool: tools.length === 0 || tools.length > 200 ? { type: "string" } : { type: "string", enum: tools },
            params: { type: "object" },
            depends_on: { type: "array", items: { type: "integer" } },
            parallel: { type: "boolean" },
          },
          required: ["tool", "params"],
        },
      },
    },
    required: ["steps"],
  };
}

/**
 * The Planner Agent's: numbered steps with `${step[N].data…}`. The user message is the query, the context
 * when there is any, and what earlier attempts got wrong, cumulatively. Phase 2 is asked in Planloom's form.
 */
export const plannerAgentProtocol: Protocol = {
  name: "planner-agent",
  phase1: {
    maxTokens: 1_000,
    write: (request, { instructions, prompts, resourcesLeftOut = 0 }) => {
      const resources = (request.resources ?? []).filter(({ kind }) => kind === "tool");
      const system = prompts.plannerAgentSystem({ resources, leftOut: resourcesLeftOut });
      return {
        messages: [
          { role: "system", content: instructions ? `${system}\n\n# Instructions\n${instructions}` : system },
          { role: "user", content: userText(request, prompts) },
        ],
        schema: { name: "plan", schema: stepsSchema(shortNames(resources)) },
      };
    },
    read(reply, request) {
      const answer = readJsonAnswer(reply, stepsSchema(), ["steps"]);
      if (!("data" in answer)) {
        return answer;
      }
      const plan = readDialect(dialects.plannerAgent, answer.data, { goal: goalOf(request) });
      // Numbers are this format's own; once they are ids, an issue could no longer name them.
      const faults = "data" in plan ? wrongNumbers(answer.data) : [];
      return faults[0] === undefined ? plan : refused(faults[0].message, faults);
    },
  },
  phase2: planloomProtocol.phase2,
};

function wrongNumbers(data: unknown): PlanIssue[] {
  const issues = checkPlannerAgentPlan(parsePlannerAgentPlan(data), { forwardReferences: true });
  return issues.filter(({ severity }) => severity === "error");
}

function userText(request: Phase1Request, prompts: ControllerPrompts): string {
  const { context = {}, feedback = [] } = request;
  const parts = [`Query: ${goalOf(request)}`];
  if (Object.values(context).some((part) => part !== undefined && part.length > 0)) {
    parts.push(`Context:\n${dataBlock("context", JSON.stringify(context, null, 2))}`);
  }
  if (feedback.length > 0) {
    parts.push(prompts.feedback(feedback));
  }
  return parts.join("\n\n");
}
