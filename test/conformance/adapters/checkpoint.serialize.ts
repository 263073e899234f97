import { memoryJournal, run, TaskData } from "planloom";

const adapter: ConformanceAdapter<{ readonly variables: Record<string, unknown> }> = async (input, { signal }) => {
  const journal = memoryJournal();
  const plan = TaskData.parse({ variables: input.variables });
  const { run_id } = await run(plan, { executors: [], journal, signal });
  return { saved: (await journal.getRun(run_id)).options.variables };
};
export default adapter;
