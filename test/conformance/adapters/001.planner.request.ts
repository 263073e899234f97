import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import type { PlanningContext } from "@planloom/plan";
import { Planner } from "@planloom/planner";

interface Input {
  readonly query: string;
  readonly context?: PlanningContext;
  readonly config?: { readonly temperature?: number };
}

const adapter: ConformanceAdapter<Input> = async ({ query, context, config }, { catalogue, signal }) => {
  const [tool] = catalogue;
  const model = scriptedModel([JSON.stringify({ steps: [{ tool: tool?.id, params: {} }] })]);
  const controller = new LlmController({ model, protocol: "planner-agent" });
  const planner = new Planner({ controller, resources: catalogue, ...config });
  await planner.createPlan(query, { signal, ...(context && { context }) });
  const [request] = model.requests;
  const user = request?.messages.filter(({ role }) => role === "user").map(({ content }) => content);
  return { ...request, user };
};
export default adapter;
