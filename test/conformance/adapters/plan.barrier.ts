import { mcpCli } from "@planloom/compat";
import { defineTool } from "planloom";
import { run, toolExecutor } from "planloom/runtime";

/** When the last step starts. */
const adapter: ConformanceAdapter<{ steps: string }> = async ({ steps: words }, { signal, stubTools, inWords }) => {
  const steps = inWords.stepsInWords(words);
  const stubs = stubTools(Object.fromEntries(steps.map(({ tool, delayMs }) => [tool, { delayMs }])));
  const executors = [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))];
  await run(mcpCli.read({ id: "p", title: "", steps }), { executors, signal });
  const last = stubs.calls.find(({ tool }) => tool === steps.at(-1)?.tool);
  const others = stubs.calls.filter((call) => call !== last);
  const waited = others.every(({ endedMs }) => endedMs <= (last?.startedMs ?? 0));
  const documentedStartOf3 = waited ? "after the whole batch" : "when what it needs is done";
  return { documentedStartOf3, wantedStartOf3Ms: last?.nominalStartMs };
};
export default adapter;
