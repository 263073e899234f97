import { memoryJournal, TaskData } from "planloom";
import { run } from "planloom/runtime";

const adapter: ConformanceAdapter<{ variables: Record<string, unknown> }> = async (input, { signal, inWords }) => {
  const entries = Object.entries(input.variables).map(([name, value]) => [name, inWords.valueInWords(value)]);
  const variables = Object.fromEntries(entries);
  const journal = memoryJournal();
  const plan = TaskData.parse({ variables: Object.fromEntries(Object.keys(variables).map((name) => [name, null])) });
  const { run_id } = await run(plan, { executors: [], journal, variables, signal });
  const saved = (await journal.getRun(run_id)).options.variables ?? {};
  const lengths = Object.entries(saved).map(([name, value]) => [name, JSON.stringify(value).length]);
  return { saved, savedLengths: Object.fromEntries(lengths) };
};
export default adapter;
