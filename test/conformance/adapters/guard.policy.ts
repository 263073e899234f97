import { TaskData } from "@planloom/plan";
import { defineTool, type GuardPolicy, guardPolicies, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly order?: boolean;
  readonly preset?: keyof typeof guardPolicies;
  readonly guardRaises?: string;
  readonly guardStateMissing?: boolean;
  readonly entryPoints?: readonly string[];
  readonly parallelSteps?: number;
  readonly remainingBudget?: number;
}

const adapter: ConformanceAdapter<Input> = async (input, { signal, stubTools, skip }) => {
  if (input.preset !== undefined) return guardPolicies[input.preset];
  if (input.order === true) return skip("a call must pass every check; the first that blocks it says why");
  const calls = async (steps: number, guards?: GuardPolicy) => {
    const stubs = stubTools({ t: { returns: "ok" } });
    const executors = [toolExecutor(stubs.tools.map((stub) => defineTool(stub)))];
    const task = { execution_type: "tool" as const, tool_id: "t" };
    const planned_tasks = Array.from({ length: steps }, (_, n) => ({ ...task, task_id: `${n}`, arguments: { n } }));
    await run(TaskData.parse({ planned_tasks }), { executors, signal, guards });
    return stubs.calls.length;
  };
  const raising = () => {
    throw new Error(input.guardRaises);
  };
  if (input.guardRaises !== undefined) return { allowed: (await calls(1, { precondition: raising })) === 1 };
  if (input.guardStateMissing === true) return { allowed: (await calls(1)) === 1 };
  if (input.entryPoints !== undefined) {
    // More than any preset allows; all entry points run by this function.
    const capped = (await calls(21)) < 21;
    return { guardsEnabledByDefault: input.entryPoints.map(() => capped) };
  }
  return { callsAllowed: await calls(input.parallelSteps ?? 1, { total: input.remainingBudget ?? 0 }) };
};
export default adapter;
