import { defineTool } from "planloom";
import { dialects } from "planloom/plan";
import { run, toolExecutor } from "planloom/runtime";

/** The situation that the case puts in words. */
const steps = [
  { index: "1", title: "short", tool: "short", args: {}, depends_on: [] },
  { index: "2", title: "long", tool: "long", args: {}, depends_on: [] },
  { index: "3", title: "after 1", tool: "after", args: {}, depends_on: ["1"] },
];

const adapter: ConformanceAdapter<unknown> = async (_, { signal, stubTools }) => {
  const stubs = stubTools({ short: { delayMs: 10 }, long: { delayMs: 300 }, after: {} });
  const executors = [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))];
  const { results } = await run(dialects.mcpCli.read({ id: "p", title: "", steps }), { executors, signal });
  return { startOf3Ms: results[2]?.started_ms, endOf2Ms: results[1]?.duration_ms };
};
export default adapter;
