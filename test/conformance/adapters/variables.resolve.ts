import { mcpCli } from "@planloom/compat";

const adapter: ConformanceAdapter<{ value: unknown; variables: Record<string, unknown> }> = ({ value, variables }) => ({
  value: mcpCli.resolveVariables(value, variables),
});
export default adapter;
