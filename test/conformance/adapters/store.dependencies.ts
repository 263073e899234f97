import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ depends_on: (string | number)[][] }> = ({ depends_on }) => ({
  stored: dialects.mcpCli.storedDependencies(depends_on),
});
export default adapter;
