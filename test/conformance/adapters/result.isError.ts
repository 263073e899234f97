import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ raw: unknown }> = ({ raw }) => ({ isError: dialects.mcpCli.isErrorResult(raw) });
export default adapter;
