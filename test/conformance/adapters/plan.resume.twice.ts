import { mcpCli } from "@planloom/compat";
import { defineTool, memoryJournal } from "planloom";
import { resume, run, toolExecutor } from "planloom/runtime";

interface Input {
  readonly plan: unknown;
  readonly firstRunFails: string;
  readonly secondRunFails: string;
}

const adapter: ConformanceAdapter<Input> = async (input, { signal, stubTools }) => {
  const read = mcpCli.read(input.plan);
  const also = read.planned_tasks.map((task) => task.tool_id ?? "");
  const journal = memoryJournal();
  const rules = (stubs: StubTools) => {
    const executors = [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))];
    return { executors, journal, signal };
  };
  const failing = (tool: string) => stubTools({ [tool]: { fails: "no" } }, { silent: "name", also });
  const { run_id } = await run(read, rules(failing(input.firstRunFails)));
  await resume(run_id, rules(failing(input.secondRunFails)));
  const stubs = stubTools({}, { silent: "name", also });
  await resume(run_id, rules(stubs));
  return { thirdRunCalls: stubs.calls.map(({ tool }) => tool) };
};
export default adapter;
