import { modelReplanner, planExecuteTools } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

type Given = string | { readonly name: string } | null;

const adapter: ConformanceAdapter<{ planTool: Given; respondTool: Given }> = async (input, { signal }) => {
  const named = (given: Given) => (typeof given === "string" ? { name: given } : given);
  const planTool = { ...planExecuteTools.plan, ...named(input.planTool) };
  const respondTool = { ...planExecuteTools.respond, ...named(input.respondTool) };
  const model = scriptedModel([{ toolCalls: [{ id: "1", name: respondTool.name, arguments: '{"response":"x"}' }] }]);
  const session = { UserInput: ["Go"], Plan: { steps: ["A"] }, ExecutedStep: "r", ExecutedSteps: [] };
  const tools = { ...(input.planTool && { planTool }), ...(input.respondTool && { respondTool }) };
  await modelReplanner({ model, ...tools })(session, { signal });
  return { boundTools: model.requests[0]?.tools?.map(({ name }) => name) };
};
export default adapter;
