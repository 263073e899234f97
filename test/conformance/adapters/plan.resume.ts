import { mcpCli } from "@planloom/compat";
import { defineTool, memoryJournal } from "planloom";
import { resume, run, toolExecutor } from "planloom/runtime";

interface Input {
  readonly plan: unknown;
  readonly firstRunFails: string;
}

const adapter: ConformanceAdapter<Input> = async ({ plan, firstRunFails }, { signal, stubTools }) => {
  const [written, read] = [mcpCli.planSchema.parse(plan), mcpCli.read(plan)];
  const also = read.planned_tasks.map((task) => task.tool_id ?? "");
  const journal = memoryJournal();
  const rules = (stubs: StubTools) => {
    const executors = [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))];
    return { executors, journal, signal };
  };
  const first = await run(read, rules(stubTools({ [firstRunFails]: { fails: "no" } }, { silent: "name", also })));
  const stubs = stubTools({}, { silent: "name", also });
  const second = await resume(first.run_id, rules(stubs));
  const { success, variables } = mcpCli.writeRun(written, second.results);
  return {
    checkpointAfterFailure: mcpCli.writeRun(written, first.results).checkpoint,
    resumedCalls: stubs.calls.map(({ tool }) => tool),
    success,
    variablesAvailable: Object.keys(variables),
  };
};
export default adapter;
