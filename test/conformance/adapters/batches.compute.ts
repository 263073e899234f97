import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ steps: { index?: string; depends_on?: string[] }[] }> = ({ steps }) => ({
  batches: dialects.mcpCli.computeBatches(steps),
});
export default adapter;
