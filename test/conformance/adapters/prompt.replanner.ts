import { type LoopPlan, type LoopSession, loopVariables, planExecutePrompts } from "@planloom/runtime";

interface Input {
  readonly userInput?: string[];
  readonly plan: LoopPlan;
  readonly executedSteps: LoopSession["ExecutedSteps"];
  readonly planTool: string;
  readonly respondTool: string;
}

const adapter: ConformanceAdapter<Input> = ({ userInput = [], plan, executedSteps, planTool, respondTool }) => {
  const session = { UserInput: userInput, Plan: plan, ExecutedSteps: executedSteps };
  const names = { plan_tool: planTool, respond_tool: respondTool };
  const messages = planExecutePrompts.replanner({ ...loopVariables(session, 10_000), ...names });
  const of = (wanted: string) => messages.filter(({ role }) => role === wanted).map(({ content }) => content);
  return { system: of("system"), user: of("user") };
};
export default adapter;
