import { mcpCli } from "@planloom/compat";

const adapter: ConformanceAdapter<{ raw: unknown }> = ({ raw }) => ({ isError: mcpCli.isErrorResult(raw) });
export default adapter;
