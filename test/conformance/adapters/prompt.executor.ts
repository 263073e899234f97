import { planExecute } from "@planloom/compat";
import { type LoopPlan, type LoopSession, loopVariables, planExecutePrompts } from "@planloom/runtime";

interface Input {
  readonly userInput: string[];
  readonly plan: LoopPlan;
  readonly executedSteps: LoopSession["ExecutedSteps"];
}

const adapter: ConformanceAdapter<Input> = ({ userInput, plan, executedSteps }) => {
  const session = { UserInput: userInput, Plan: plan, ExecutedSteps: executedSteps };
  const step = planExecute.firstStep(plan) ?? "";
  const messages = planExecutePrompts.executor({ ...loopVariables(session, 10_000), step });
  return { userMessage: messages.filter(({ role }) => role === "user").map(({ content }) => content), stepIs: step };
};
export default adapter;
