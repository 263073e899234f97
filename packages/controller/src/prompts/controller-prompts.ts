import { cardsPrompt } from "./cards.ts";
import { feedbackPrompt } from "./feedback.ts";
import { kirhaSystemPrompt } from "./kirha-system.ts";
import { flowRulesPrompt, planSystemPrompt } from "./plan-system.ts";
import { plannerAgentSystemPrompt } from "./planner-agent-system.ts";
import { replanSystemPrompt } from "./replan-system.ts";
import { stepSystemPrompt } from "./step-system.ts";
import { todayPrompt } from "./today.ts";
import { verifyPrompt } from "./verify.ts";

/** Every text that `LlmController` adds to a request; each can be replaced by the option `prompts`. */
export const controllerPrompts = {
  planSystem: planSystemPrompt,
  flowRules: flowRulesPrompt,
  stepSystem: stepSystemPrompt,
  replanSystem: replanSystemPrompt,
  resources: cardsPrompt,
  today: todayPrompt,
  feedback: feedbackPrompt,
  verify: verifyPrompt,
  kirhaSystem: kirhaSystemPrompt,
  plannerAgentSystem: plannerAgentSystemPrompt,
};
export type ControllerPrompts = typeof controllerPrompts;
