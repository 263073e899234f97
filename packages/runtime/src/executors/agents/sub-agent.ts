import { dataBlock } from "@planloom/controller";
import type { RunScope } from "../scope.ts";
import type { DelegatedPart } from "./delegate.ts";
import type { DelegationOptions } from "./delegation-options.ts";
import { finisher } from "./finisher.ts";
import { agentRules } from "./model-agent.ts";
import { type ToolLoopOptions, toolLoop } from "./tool-loop.ts";

const partRules =
  "You carry out one part of a larger task for another agent. It sees your last answer and nothing else of your work: put all that it needs into it.";

/** Carries out parts of an agent's work: with its model, limits and instructions, and a conversation of its own. */
export function subAgent(
  settings: Omit<ToolLoopOptions, "messages" | "tools" | "outputs" | "delegation" | "finish" | "stop">,
  delegation: DelegationOptions,
  instructions?: string,
): (scope: RunScope, part: DelegatedPart) => Promise<unknown> {
  const work = (scope: RunScope, { task, context, tools, depth }: DelegatedPart): Promise<unknown> => {
    const system = [agentRules, partRules, instructions].filter((text) => text).join("\n\n");
    const known = context === undefined ? "" : `\n\nKnown already:\n${dataBlock("context", context)}`;
    return toolLoop(scope, {
      ...settings,
      messages: [
        { role: "system", content: system },
        { role: "user", content: `${task}${known}` },
      ],
      tools,
      ...(depth > 0 && { delegation: { ...delegation, depth, work } }),
      finish: finisher("sub-agent", undefined),
    });
  };
  return work;
}
