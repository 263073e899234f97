import { mcpCli } from "@planloom/compat";

const adapter: ConformanceAdapter<{ depends_on: (string | number)[][] }> = ({ depends_on }) => ({
  stored: mcpCli.storedDependencies(depends_on),
});
export default adapter;
