import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ raw: unknown }> = ({ raw }) => ({ text: dialects.mcpCli.errorText(raw) });
export default adapter;
