import { mcpCli } from "@planloom/compat";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly independentSteps?: number;
  readonly maxConcurrency?: number;
}

const adapter: ConformanceAdapter<Input> = async (input, { signal, stubTools }) => {
  const { independentSteps = 12, maxConcurrency } = input;
  const stubs = stubTools({ t: { delayMs: 20, returns: 1 } });
  const steps = Array.from({ length: independentSteps }, () => ({ title: "T", tool: "t" }));
  await run(mcpCli.read({ steps }), {
    executors: [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))],
    concurrency: maxConcurrency,
    signal,
  });
  return { maxObserved: stubs.maxConcurrent(), maxConcurrency: stubs.maxConcurrent() };
};
export default adapter;
