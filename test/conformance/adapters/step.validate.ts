import { mcpCli } from "@planloom/compat";

const adapter: ConformanceAdapter<{ step: unknown; tools: string[] }> = ({ step, tools }) => {
  const issues = mcpCli.checkStep(step, tools);
  return { ok: issues.length === 0, messages: issues.map((issue) => issue.message) };
};
export default adapter;
