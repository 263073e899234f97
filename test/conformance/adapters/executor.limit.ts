import { defineTool, modelExecutor, planExecute, toolExecutor } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

/** An executor whose model calls a tool so many times before it says that it is done. */
const adapter: ConformanceAdapter<{ modelCallsWithToolUse: number }> = async (input, { signal }) => {
  const replies = Array.from({ length: input.modelCallsWithToolUse }, (_, index) => ({
    toolCalls: [{ id: "1", name: "look", arguments: JSON.stringify({ page: index }) }],
  }));
  const model = scriptedModel([...replies, "Done."]);
  const { session } = await planExecute("Go", {
    executors: [toolExecutor([defineTool({ id: "look", description: "Looks.", execute: () => "more" })])],
    planner: () => ["Look around"],
    executor: modelExecutor({ model }),
    replanner: () => ({ respond: "done" }),
    signal,
  });
  const [executed] = session.ExecutedSteps;
  return {
    error: executed?.failed === true ? new Error(executed.result) : null,
    modelCallsCompleted: model.requests.length,
  };
};
export default adapter;
