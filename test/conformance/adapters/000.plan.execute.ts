import { kirha } from "@planloom/compat";
import type { KirhaStep } from "@planloom/plan";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly steps: readonly KirhaStep[];
  readonly tools: Record<string, StubTool>;
}

const adapter: ConformanceAdapter<Input> = async ({ steps, tools }, { signal, stubTools }) => {
  const stubs = stubTools(tools);
  const { results } = await run(kirha.read(steps), {
    executors: [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))],
    concurrency: Number.POSITIVE_INFINITY,
    signal,
  });
  const callOrder = stubs.inOrder(steps.map(({ toolName }) => toolName)).map(({ tool }) => tool);
  return { results: kirha.writeResults(steps, results), callOrder };
};
export default adapter;
