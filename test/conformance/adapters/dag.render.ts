import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ plan: unknown }> = ({ plan }) => ({ text: dialects.mcpCli.renderDag(plan) });
export default adapter;
