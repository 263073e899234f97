import { plannerAgent } from "@planloom/compat";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly steps: number;
  readonly perStepMs: number;
  readonly maxParallelExecutions: number;
}

const adapter: ConformanceAdapter<Input> = async (input, { signal, stubTools }) => {
  const stubs = stubTools({ t: { delayMs: input.perStepMs, returns: 1 } });
  const steps = Array.from({ length: input.steps }, () => ({ tool: "t", params: {} }));
  await run(plannerAgent.read({ steps }), {
    executors: [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))],
    concurrency: input.maxParallelExecutions,
    signal,
  });
  return { maxConcurrent: stubs.maxConcurrent() };
};
export default adapter;
