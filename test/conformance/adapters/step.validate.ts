import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ step: unknown; tools: string[] }> = ({ step, tools }) => {
  const issues = dialects.mcpCli.checkStep(step, tools);
  return { ok: issues.length === 0, messages: issues.map((issue) => issue.message) };
};
export default adapter;
