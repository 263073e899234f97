import { memoryJournal, planExecute, planExecuteTools } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

/** A plan of another form: read by a function, kept as JSON, registered nowhere. */
const adapter: ConformanceAdapter<{ customPlanType: boolean }> = async (_, { signal }) => {
  const parameters = { type: "object", properties: { todo: { type: "string" } }, required: ["todo"] };
  const reply = { toolCalls: [{ id: "1", name: "plan", arguments: '{"todo":"A, B"}' }] };
  const { end_reason } = await planExecute("Go", {
    executors: [],
    journal: memoryJournal(),
    planner: {
      model: scriptedModel([reply]),
      planTool: { ...planExecuteTools.plan, parameters },
      readPlan: (value) => [(value as { todo: string }).todo],
    },
    executor: () => "done",
    replanner: () => ({ respond: "x" }),
    signal,
  });
  return { requires: end_reason === "responded" ? "nothing" : end_reason };
};
export default adapter;
