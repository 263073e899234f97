import { mcpCli } from "@planloom/compat";

/** What a case describes in words is answered in the same words where it is cut. */
const adapter: ConformanceAdapter<{ raw: unknown }> = ({ raw }, { inWords }) => {
  const long = inWords.textInWords(raw);
  const text = mcpCli.errorText(long ?? raw);
  const cut = long !== undefined && text !== long && text === `${long.slice(0, text.length - 3)}...`;
  return { text: cut ? `first ${text.length - 3} characters + '...'` : text };
};
export default adapter;
