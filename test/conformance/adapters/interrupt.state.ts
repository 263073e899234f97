import { defineTool, memoryJournal, modelExecutor, planExecute, toolExecutor } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

/** The executor is interrupted in the second round. */
const adapter: ConformanceAdapter = async (_, { signal }) => {
  const book = defineTool({ id: "book", description: "Books.", execute: () => "booked" });
  const calls = { toolCalls: [{ id: "1", name: "book", arguments: "{}" }] };
  const { interrupted } = await planExecute("Go", {
    executors: [toolExecutor([book])],
    journal: memoryJournal(),
    approval: { resources: ["book"] },
    planner: () => ["Look", "Book"],
    executor: modelExecutor({ model: scriptedModel(["Looked.", calls]) }),
    replanner: () => ({ plan: ["Book"] }),
    signal,
  });
  const order = ["executor", "replanner"];
  return { saved: { loopIterations: interrupted?.round, subAgentIndex: order.indexOf(interrupted?.agent ?? "") } };
};
export default adapter;
