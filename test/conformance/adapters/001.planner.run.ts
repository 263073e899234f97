import { plannerAgent } from "@planloom/compat";
import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { Planner } from "@planloom/planner";

interface Input {
  readonly responses: readonly string[];
  readonly config: { readonly maxRetries?: number; readonly validateToolAvailability?: boolean };
  readonly query: string;
  readonly tools: readonly string[];
}

const adapter: ConformanceAdapter<Input> = async ({ responses, config, query, tools }, { signal, skip }) => {
  const { maxRetries: maxAttempts = 3, ...others } = config;
  if (maxAttempts === 0) skip("no attempt at all is a wrong option: 2026-11-22-what-conformance-leaves-out.md");
  const model = scriptedModel(responses);
  const planner = new Planner({
    controller: new LlmController({ model, protocol: "planner-agent" }),
    resources: tools.map((id) => ({ kind: "tool" as const, id, description: `Does ${id}.` })),
    maxAttempts,
    ...others,
  });
  const outcome = await planner.createPlan(query, { signal }).then(
    (plan) => ({ plan: plannerAgent.write(plan) }),
    (error: unknown) => ({ throws: error }),
  );
  const [, second] = model.requests;
  return {
    ...outcome,
    attempts: model.requests.length,
    secondUserPrompt: second?.messages.map((each) => each.content),
  };
};
export default adapter;
