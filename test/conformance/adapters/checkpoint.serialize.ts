import { memoryJournal, TaskData } from "planloom";
import { run } from "planloom/runtime";

const adapter: ConformanceAdapter<{ readonly variables: Record<string, unknown> }> = async (input, { signal }) => {
  const journal = memoryJournal();
  const { variables } = input;
  const declared = Object.fromEntries(Object.keys(variables).map((name) => [name, null]));
  const plan = TaskData.parse({ variables: declared });
  const { run_id } = await run(plan, { executors: [], journal, variables, signal });
  return { saved: (await journal.getRun(run_id)).options.variables };
};
export default adapter;
