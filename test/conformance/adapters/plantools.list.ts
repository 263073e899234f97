import { planTools } from "planloom/plan-tools";

const adapter: ConformanceAdapter<unknown> = () => {
  const tools = planTools();
  return {
    names: tools.map((tool) => tool.function.name),
    format: tools.every((tool) => tool.type === "function") ? "OpenAI function" : undefined,
    required: Object.fromEntries(tools.map((tool) => [tool.function.name, tool.function.parameters.required])),
  };
};
export default adapter;
