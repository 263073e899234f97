import { TaskData } from "@planloom/plan";
import { defineTool, type GuardPolicy, guardPolicies, run, toolExecutor } from "@planloom/runtime";

/** Each alone would block the second of two calls; by what a blocked call names as its guard. */
const blocking: readonly [guard: string, check: string, part: GuardPolicy][] = [
  ["per_tool", "per-tool", { tools: { t: 1 } }],
  ["ungrounded_numbers", "ungrounded numbers", { groundedNumbers: true }],
  ["budget", "budget", { total: 1 }],
  ["precondition", "precondition", { precondition: ({ input }) => (input.n === 0 ? undefined : "no") }],
  ["per_tool_cap", "per-tool cap (only when cap > 0)", { perToolCap: 1 }],
];
const adapter: ConformanceAdapter = async (input, { signal, stubTools }) => {
  if (input.preset !== undefined) return guardPolicies[input.preset as keyof typeof guardPolicies];
  const calls = async (numbers: Iterable<number>, guards?: GuardPolicy, concurrency = 4) => {
    const stubs = stubTools({ t: { returns: "ok" } });
    const executors = [toolExecutor(stubs.tools.map((stub) => defineTool(stub)))];
    const task = { execution_type: "tool" as const, tool_id: "t" };
    const planned_tasks = Array.from(numbers, (n) => ({ ...task, task_id: `t${n}`, arguments: { n } }));
    const { results } = await run(TaskData.parse({ planned_tasks }), { executors, signal, guards, concurrency });
    return { made: stubs.calls.length, blockedBy: results.at(-1)?.error?.details?.guard };
  };
  const checks: string[] = [];
  for (let left = [...blocking]; input.order === true && checks.length < blocking.length; ) {
    const policy = Object.assign({ perToolCap: 0 }, ...left.map(([, , part]) => part));
    const { blockedBy } = await calls([0, 77], policy, 1);
    checks.push(left.find(([guard]) => guard === blockedBy)?.[1] ?? `blocked by ${blockedBy}`);
    left = left.filter(([guard]) => guard !== blockedBy);
  }
  if (input.order === true) return { checks };
  const raising = () => {
    throw new Error(input.guardRaises);
  };
  if (input.guardRaises !== undefined) return { allowed: (await calls([0], { precondition: raising })).made === 1 };
  if (input.guardStateMissing === true) return { allowed: (await calls([0])).made === 1 };
  // More than any preset allows; all entry points run by this function.
  const capped = input.entryPoints && (await calls(Array(21).keys())).made < 21;
  if (input.entryPoints) return { guardsEnabledByDefault: Array(input.entryPoints.length).fill(capped) };
  return { callsAllowed: (await calls(Array(input.parallelSteps).keys(), { total: input.remainingBudget })).made };
};
export default adapter;
