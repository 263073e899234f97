export { agentGrid } from "./agent-grid/agent-grid.ts";
export {
  type ControllerService,
  type ControllerServiceOptions,
  controllerService,
  type ServiceTask,
} from "./agent-grid/controller-service.ts";
export {
  controllerPort,
  type ServeControllerOptions,
  type ServedController,
  serveController,
} from "./agent-grid/serve-controller.ts";
export { kirha } from "./kirha/kirha.ts";
export type { KirhaResult } from "./kirha/results.ts";
export type { KirhaTool, KirhaToolDefinition } from "./kirha/tools.ts";
export type { KirhaFault } from "./kirha/validate.ts";
export { mcpCli } from "./mcp-cli/mcp-cli.ts";
export type { McpCliCheckpoint, McpCliRun, McpCliStepResult } from "./mcp-cli/results.ts";
export { planExecute } from "./plan-execute/plan-execute.ts";
export { plannerAgent } from "./planner-agent/planner-agent.ts";
export type { PlannerAgentResult } from "./planner-agent/results.ts";
export type { StepOutcome } from "./planner-agent/templates.ts";
export type { TaskOutcome } from "./task-outcome.ts";
