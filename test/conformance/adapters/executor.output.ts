import { modelExecutor, planExecute } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

interface Input {
  readonly plan: string[];
  readonly finalAssistantText: string;
}

const adapter: ConformanceAdapter<Input> = async ({ plan, finalAssistantText }, { signal }) => {
  const { session } = await planExecute("Go", {
    executors: [],
    planner: () => plan,
    executor: modelExecutor({ model: scriptedModel([finalAssistantText]) }),
    replanner: () => ({ respond: "done" }),
    signal,
  });
  return { session: { ...session, Plan: session.Plan?.steps } };
};
export default adapter;
