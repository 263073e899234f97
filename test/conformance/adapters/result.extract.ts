import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ raw: unknown }> = ({ raw }) => ({ value: dialects.mcpCli.extractResult(raw) });
export default adapter;
