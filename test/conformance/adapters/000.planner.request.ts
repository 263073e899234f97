import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { Planner } from "@planloom/planner";

interface Input {
  readonly query: string;
  readonly model?: string;
  readonly options: { readonly instructions?: string; readonly temperature?: number; readonly maxTokens?: number };
}

const adapter: ConformanceAdapter<Input> = async ({ query, model: name, options }, { signal }) => {
  const { instructions, temperature, maxTokens } = options;
  const model = scriptedModel([`<plan>[{"toolName":"t","arguments":{}}]</plan>`]);
  const controller = new LlmController({
    model,
    protocol: "kirha",
    ...(instructions !== undefined && { instructions }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
  });
  const resources = [{ kind: "tool" as const, id: "t", description: "Does t." }];
  await new Planner({ controller, resources, llmData: name ? { model: name } : {} }).createPlan(query, { signal });
  const [request] = model.requests;
  const said = (role: string) => request?.messages.find((message) => message.role === role)?.content;
  return { ...request, system: said("system"), user: said("user") };
};
export default adapter;
