import { defineTool, modelExecutor, planExecute, toolExecutor } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

/** An executor whose model calls a tool every time it is asked. */
const adapter: ConformanceAdapter<{ modelCallsWithToolUse: number }> = async (input, { signal }) => {
  const replies = Array.from({ length: input.modelCallsWithToolUse }, (_, index) => ({
    toolCalls: [{ id: "1", name: "look", arguments: JSON.stringify({ page: index }) }],
  }));
  const model = scriptedModel(replies);
  const { session } = await planExecute("Go", {
    executors: [toolExecutor([defineTool({ id: "look", description: "Looks.", execute: () => "more" })])],
    planner: () => ["Look around"],
    executor: modelExecutor({ model }),
    replanner: () => ({ respond: "done" }),
    signal,
  });
  return { error: new Error(session.ExecutedStep), modelCallsCompleted: model.requests.length };
};
export default adapter;
