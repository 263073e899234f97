import { plannerAgent } from "@planloom/compat";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly steps: { readonly tool: string; readonly params: Record<string, unknown>; depends_on?: number[] }[];
  readonly tools: Record<string, StubTool>;
  readonly config: {
    readonly toolTimeout?: number;
    readonly maxRetries?: number;
    readonly maxParallelExecutions?: number;
    readonly failFast?: boolean;
  };
}

const adapter: ConformanceAdapter<Input> = async ({ steps, tools, config }, { signal, stubTools }) => {
  const { runRules } = plannerAgent;
  const stubs = stubTools(tools, { silent: "echo" });
  const outcome = await run(steps.length === 0 ? {} : plannerAgent.read({ steps }), {
    executors: [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))],
    ...(config.failFast && { onFailure: "halt" }),
    concurrency: config.maxParallelExecutions,
    taskTimeoutMs: config.toolTimeout,
    retry: { max_attempts: config.maxRetries ?? runRules.maxAttempts, initial_delay_ms: 1 },
    signal,
  }).then(
    ({ results }) => ({ results: plannerAgent.writeResults({ steps }, results) }),
    (error: unknown) => ({ throws: plannerAgent.runError(error) }),
  );
  return { ...outcome, toolCalls: stubs.counts() };
};
export default adapter;
