// Plans as tools of a model, and as commands in a chat.
export { describePlan } from "../describe-plan.ts";
export { describeRecordedRun, describeRun } from "../describe-run.ts";
export {
  handlePlanCommand,
  type PlanAction,
  type PlanCommand,
  type PlanCommandOptions,
  type PlanCommandResult,
  parsePlanCommand,
} from "../plan-command.ts";
export { isPlanTool, type PlanToolDefinition, type PlanToolName, planTools } from "../plan-tool-definitions.ts";
export { handlePlanTool, type PlanToolOptions } from "../plan-tools.ts";
export type { ToolCallOptions, ToolCallResult } from "../tool-call.ts";
