import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ value: unknown; variables: Record<string, unknown> }> = ({ value, variables }) => ({
  value: dialects.mcpCli.resolveVariables(value, variables),
});
export default adapter;
