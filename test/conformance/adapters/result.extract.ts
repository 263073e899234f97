import { mcpCli } from "@planloom/compat";

const adapter: ConformanceAdapter<{ raw: unknown }> = ({ raw }) => ({ value: mcpCli.extractResult(raw) });
export default adapter;
