import assert from "node:assert";
import { TaskData } from "@planloom/plan";
import { defineTool, type GuardPolicy, guardPolicies, run, toolExecutor } from "@planloom/runtime";

/** Each alone would block the second of two calls; by what a blocked call names as its guard. */
const blocking: readonly [guard: string, check: string, part: GuardPolicy][] = [
  ["per_tool", "per-tool", { tools: { t: 1 } }],
  ["ungrounded_numbers", "ungrounded numbers", { groundedNumbers: true }],
  ["budget", "budget", { total: 1 }],
  ["precondition", "precondition", { precondition: ({ input }) => (input.n === 0 ? undefined : "no") }],
  ["per_tool_cap", "per-tool cap", { perToolCap: 1 }],
];
const adapter: ConformanceAdapter = async (input, { signal, stubTools, callsThrough }) => {
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
    const { blockedBy } = await calls([0, 77], Object.assign({}, ...left.map(([, , part]) => part)), 1);
    const check = left.find(([guard]) => guard === blockedBy)?.[1] ?? `blocked by ${blockedBy}`;
    const capped = blockedBy === "per_tool_cap" && (await calls([0, 77], { perToolCap: 0 }, 1)).made === 2;
    checks.push(capped ? `${check} (only when cap > 0)` : check);
    left = left.filter(([guard]) => guard !== blockedBy);
  }
  if (input.order === true) return { checks };
  const precondition = () => assert.fail(input.guardRaises);
  if (input.guardRaises !== undefined) return { allowed: (await calls([0], { precondition })).made === 1 };
  if (input.guardStateMissing === true) return { allowed: (await calls([0])).made === 1 };
  // 21 calls are more than any preset allows.
  const made: number[] = await Promise.all((input.entryPoints ?? []).map((door: string) => callsThrough(door, 21)));
  if (input.entryPoints) return { guardsEnabledByDefault: made.map((calls) => calls < 21) };
  return { callsAllowed: (await calls(Array(input.parallelSteps).keys(), { total: input.remainingBudget })).made };
};
export default adapter;
