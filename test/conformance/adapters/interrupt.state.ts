import { defineTool, memoryJournal, modelExecutor, planExecute, toolExecutor } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

/** An agent's model calls a tool that a person has to approve, in the round that the case names. */
const adapter: ConformanceAdapter<{ interruptedIn: string }> = async ({ interruptedIn }, { signal, inWords }) => {
  const { round } = inWords.roundInWords(interruptedIn);
  const book = defineTool({ id: "book", description: "Books.", execute: () => "booked" });
  const calls = { toolCalls: [{ id: "1", name: "book", arguments: "{}" }] };
  let plans = 0;
  const { interrupted } = await planExecute("Go", {
    executors: [toolExecutor([book])],
    journal: memoryJournal(),
    approval: { resources: ["book"] },
    planner: () => ["Step 0"],
    executor: modelExecutor({ model: scriptedModel([...Array(round).fill("Looked."), calls]) }),
    replanner: () => ({ plan: [`Step ${++plans}`] }),
    signal,
  });
  const order = ["executor", "replanner"];
  return { saved: { loopIterations: interrupted?.round, subAgentIndex: order.indexOf(interrupted?.agent ?? "") } };
};
export default adapter;
