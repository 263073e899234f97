import { mcpCli } from "@planloom/compat";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly namespace: string;
  readonly tool: string;
}

/** A step that names a server's tool by its bare name. */
const adapter: ConformanceAdapter<Input> = async ({ namespace, tool }, { signal, stubTools }) => {
  const stubs = stubTools({ [`${namespace}/${tool}`]: { returns: "ok" } });
  const executors = [toolExecutor(stubs.tools.map((stub) => defineTool(stub)))];
  const plan = mcpCli.planSchema.parse({ id: "p", steps: [{ index: "1", title: "Call it", tool }] });
  const { results } = await run(mcpCli.read(plan), { executors, signal });
  const [call] = stubs.calls;
  const [step] = mcpCli.writeRun(plan, results).steps;
  return { calledAs: call && mcpCli.functionName(call.tool), reportedAs: step?.tool };
};
export default adapter;
