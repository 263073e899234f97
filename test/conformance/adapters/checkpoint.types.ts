import { memoryJournal, planExecute, planExecuteTools, resumePlanExecute } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

/** A plan of the built-in form, or of one that a function reads, is gone on with from the journal. */
const adapter: ConformanceAdapter<{ customPlanType: boolean }> = async ({ customPlanType }, { signal }) => {
  const parameters = { type: "object", properties: { todo: { type: "string" } }, required: ["todo"] };
  const text = JSON.stringify(customPlanType ? { todo: "A" } : { steps: ["A"] });
  const custom = {
    planTool: { ...planExecuteTools.plan, parameters },
    readPlan: (value: unknown) => [(value as { todo: string }).todo],
  };
  const journal = memoryJournal();
  const model = scriptedModel([{ toolCalls: [{ id: "1", name: "plan", arguments: text }] }]);
  const loop = { executors: [], journal, planner: { model, ...(customPlanType && custom) }, maxRounds: 1, signal };
  const first = await planExecute("Go", { ...loop, executor: () => "done", replanner: () => ({ plan: ["B"] }) });
  const answered = { ...loop, executor: () => "done", replanner: () => ({ respond: "x" }), maxRounds: 2 };
  const { end_reason, session } = await resumePlanExecute(first.run_id, answered);
  const kept = end_reason === "responded" && session.ExecutedSteps[0]?.step === "A" && model.requests.length === 1;
  return { requires: kept ? "nothing" : end_reason };
};
export default adapter;
