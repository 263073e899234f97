import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter = () => {
  const { concurrency, taskTimeoutMs, maxAttempts, onFailure } = dialects.plannerAgent.runRules;
  return {
    maxParallelExecutions: concurrency,
    toolTimeout: taskTimeoutMs,
    maxRetries: maxAttempts,
    failFast: onFailure !== "continue",
  };
};
export default adapter;
