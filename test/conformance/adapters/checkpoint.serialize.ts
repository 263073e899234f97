import { memoryJournal, TaskData } from "planloom";
import { run } from "planloom/runtime";

const adapter: ConformanceAdapter<{ readonly variables: Record<string, unknown> }> = async (input, { signal }) => {
  const journal = memoryJournal();
  const { run_id } = await run(TaskData.parse({}), { executors: [], journal, variables: input.variables, signal });
  return { saved: (await journal.getRun(run_id)).options.variables };
};
export default adapter;
