import { plannerAgent } from "@planloom/compat";

const adapter: ConformanceAdapter = () => {
  const { concurrency, taskTimeoutMs, maxAttempts, onFailure } = plannerAgent.runRules;
  return {
    maxParallelExecutions: concurrency,
    toolTimeout: taskTimeoutMs,
    maxRetries: maxAttempts,
    failFast: onFailure !== "continue",
  };
};
export default adapter;
