import { mcpCli } from "@planloom/compat";

const adapter: ConformanceAdapter<{ plan: unknown }> = ({ plan }) => ({ text: mcpCli.renderDag(plan) });
export default adapter;
