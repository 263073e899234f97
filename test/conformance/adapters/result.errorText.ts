import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ raw: unknown }> = ({ raw }, { skip }) =>
  typeof raw === "string" ? skip("the input is described in words") : { text: dialects.mcpCli.errorText(raw) };
export default adapter;
