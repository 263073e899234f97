import { agentGrid } from "./agent-grid/agent-grid.ts";
import type { Dialect } from "./dialect.ts";
import { kirha } from "./kirha/kirha.ts";
import { mcpCli } from "./mcp-cli/mcp-cli.ts";
import { planExecute } from "./plan-execute/plan-execute.ts";
import { plannerAgent } from "./planner-agent/planner-agent.ts";
import { stepFunctions } from "./step-functions/step-functions.ts";

/** All dialects, in the order in which `readPlan` tries them; beside the `Dialect` contract each has its own functions. */
export const dialects = {
  agentGrid,
  kirha,
  plannerAgent,
  mcpCli,
  planExecute,
  stepFunctions,
} as const satisfies Record<string, Dialect>;
