import { dialects } from "@planloom/plan";

type Values = Record<string, unknown>;

const adapter: ConformanceAdapter<{ planVariables: Values; runVariables: Values }> = (input) => ({
  effective: dialects.mcpCli.mergeVariables(input.planVariables, input.runVariables),
});
export default adapter;
