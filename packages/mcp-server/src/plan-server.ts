import { McpServer } from "@modelcontextprotocol/server";
import { memoryPlans, type Planloom } from "planloom";
import { checkOptions, checkPlanloom, type PlanServerOptions, planServerChecks } from "./options.ts";
import { PlanCalls } from "./plan-calls.ts";
import { registerPlanTools } from "./plan-tools.ts";
import { roundStates } from "./rounds.ts";
import { tasksCapability } from "./tasks/protocol.ts";
import { registerTaskMethods } from "./tasks/register-task-methods.ts";

export type { PlanServerOptions } from "./options.ts";

/**
 * A factory of MCP servers whose tools plan, run, follow and approve: one server for each connection (stdio) or request (HTTP), all over the same
 * `Planloom` and plans.
 * @throws PlanloomError OPTION
 */
export function planServer(planloom: Planloom, options: PlanServerOptions = {}): () => McpServer {
  checkPlanloom("`planServer`", planloom);
  checkOptions("`planServer`", options, planServerChecks);
  const calls = new PlanCalls(planloom, { ...options, plans: options.plans ?? memoryPlans() });
  const states = roundStates();
  return () => {
    const server = new McpServer(
      { name: "planloom", version: "0.1.0" },
      {
        capabilities: { tools: {}, ...tasksCapability },
        requestState: { verify: states.verify },
        instructions:
          "Plans of tool calls: use them where several calls build on one another. plan_create shows the steps before anything runs.",
      },
    );
    registerPlanTools(server, calls, states);
    registerTaskMethods(server, calls);
    return server;
  };
}
