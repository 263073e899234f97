import { modelReplanner } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

const adapter: ConformanceAdapter = async (_, { signal }) => {
  const model = scriptedModel([{ toolCalls: [{ id: "1", name: "respond", arguments: '{"response":"x"}' }] }]);
  const session = { UserInput: ["Go"], Plan: { steps: ["A"] }, ExecutedStep: "r", ExecutedSteps: [] };
  await modelReplanner({ model })(session, { signal });
  return { boundTools: model.requests[0]?.tools?.map(({ name }) => name) };
};
export default adapter;
