import { planExecuteDefaults, planExecuteTools } from "@planloom/runtime";

const adapter: ConformanceAdapter = () => ({
  planExecuteMaxIterations: planExecuteDefaults.maxRounds,
  executorMaxIterations: planExecuteDefaults.maxCycles,
  planTool: planExecuteTools.plan.name,
  respondTool: planExecuteTools.respond.name,
  agentNames: planExecuteDefaults.agentNames,
});
export default adapter;
