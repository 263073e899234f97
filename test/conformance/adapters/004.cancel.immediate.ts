import { defineTool, TaskData } from "planloom";
import { run, toolExecutor } from "planloom/runtime";

interface Input {
  readonly executorModelDelayMs: number;
  readonly cancelRecursiveAfterMs: number;
}

/** Two steps in a row; the first is slow and is cancelled. */
const adapter: ConformanceAdapter<Input> = async (input, { signal, stubTools }) => {
  const stubs = stubTools({ executor: { delayMs: input.executorModelDelayMs }, next: {} });
  const planned_tasks = [
    { task_id: "A", execution_type: "tool" as const, tool_id: "executor" },
    { task_id: "B", execution_type: "tool" as const, tool_id: "next", dependencies: ["A"] },
  ];
  const began = performance.now();
  const { end_reason } = await run(TaskData.parse({ planned_tasks }), {
    executors: [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))],
    signal: AbortSignal.any([signal, AbortSignal.timeout(input.cancelRecursiveAfterMs)]),
  });
  return {
    cancelErrorEvent: end_reason === "cancelled",
    finishesWithinMs: Math.max(3000, performance.now() - began),
    replannerCalls: stubs.counts().next,
  };
};
export default adapter;
