import { modelPlanner } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

interface Input {
  readonly formattedModel: boolean;
  readonly toolModel: boolean;
}

const adapter: ConformanceAdapter<Input> = async ({ formattedModel, toolModel }, { signal }) => {
  const plan = '{"steps":["A"]}';
  const formatted = scriptedModel([plan]);
  const withTools = scriptedModel([{ toolCalls: [{ id: "1", name: "plan", arguments: plan }] }]);
  const options = { ...(formattedModel && { formattedModel: formatted }), ...(toolModel && { model: withTools }) };
  await modelPlanner(options)({ UserInput: ["Go"], ExecutedSteps: [] }, { signal });
  const [asked] = withTools.requests;
  return {
    uses: formatted.requests.length > 0 ? "formattedModel" : "toolModel",
    boundTools: asked?.tools?.map(({ name }) => name),
  };
};
export default adapter;
