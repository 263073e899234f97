import { agentGrid } from "@planloom/compat";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly max_processes: number;
  readonly independent: number;
}

const adapter: ConformanceAdapter<Input> = async ({ max_processes, independent }, { signal, stubTools }) => {
  const stubs = stubTools({ t: { delayMs: 20, returns: 1 } });
  const tasks = Array.from({ length: independent }, () => ({ execution_type: "tool", tool_id: "t" }));
  await run(agentGrid.read(tasks), {
    executors: [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))],
    concurrency: max_processes,
    signal,
  });
  return { documentedConcurrency: stubs.maxConcurrent(), actualConcurrency: stubs.maxConcurrent() };
};
export default adapter;
