import { dialects } from "@planloom/plan";

const described = "300 x characters";

/** One text is described in words, as is what becomes of it. */
const adapter: ConformanceAdapter<{ raw: unknown }> = ({ raw }) => {
  if (raw !== described) return { text: dialects.mcpCli.errorText(raw) };
  const long = "x".repeat(300);
  const text = dialects.mcpCli.errorText(long);
  return { text: text === `${long.slice(0, 200)}...` ? "first 200 characters + '...'" : text };
};
export default adapter;
