// Plans as tools of a model, and as commands in a chat.
export {
  handlePlanCommand,
  type PlanAction,
  type PlanCommand,
  type PlanCommandOptions,
  type PlanCommandResult,
  parsePlanCommand,
} from "../plan-command.ts";
export {
  describePlan,
  describeRecordedRun,
  describeRun,
  handlePlanTool,
  isPlanTool,
  type PlanToolDefinition,
  type PlanToolName,
  type PlanToolOptions,
  planTools,
} from "../plan-tools.ts";
export type { ToolCallOptions, ToolCallResult } from "../tool-call.ts";
