import { mcpCli } from "@planloom/compat";

const adapter: ConformanceAdapter<{ steps: { index?: string; depends_on?: string[] }[] }> = ({ steps }) => ({
  batches: mcpCli.computeBatches(steps),
});
export default adapter;
