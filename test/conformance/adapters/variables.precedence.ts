import { mcpCli } from "@planloom/compat";

type Values = Record<string, unknown>;

const adapter: ConformanceAdapter<{ planVariables: Values; runVariables: Values }> = (input) => ({
  effective: mcpCli.mergeVariables(input.planVariables, input.runVariables),
});
export default adapter;
