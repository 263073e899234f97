import { modelPlanner, planExecuteTools } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

interface Input {
  readonly formattedModel: boolean;
  readonly toolModel: boolean;
  readonly toolInfo?: { readonly name: string } | null;
}

const adapter: ConformanceAdapter<Input> = async ({ formattedModel, toolModel, toolInfo }, { signal }) => {
  const plan = '{"steps":["A"]}';
  const planTool = { ...planExecuteTools.plan, ...toolInfo };
  const formatted = scriptedModel([plan]);
  const withTools = scriptedModel([{ toolCalls: [{ id: "1", name: planTool.name, arguments: plan }] }]);
  const models = { ...(formattedModel && { formattedModel: formatted }), ...(toolModel && { model: withTools }) };
  const planner = modelPlanner({ ...models, ...(toolInfo && { planTool }) });
  await planner({ UserInput: ["Go"], ExecutedSteps: [] }, { signal });
  const [asked] = withTools.requests;
  return {
    uses: formatted.requests.length > 0 ? "formattedModel" : "toolModel",
    boundTools: asked?.tools?.map(({ name }) => name),
  };
};
export default adapter;
