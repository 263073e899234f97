import { setTimeout as wait } from "node:timers/promises";
import { defineTool, Planloom, type RunResult, TaskData } from "planloom";
import type { Phase1Request } from "planloom/controller";
import type { ReplanPolicy } from "planloom/runtime";

const step = (task_id: string, tool_id: string, dependencies: readonly string[], more = {}) => ({
  task_id,
  execution_type: "tool",
  tool_id,
  dependencies: [...dependencies],
  arguments: { of: "${who}", task_id },
  ...more,
});

const plans = {
  /** Steps in a row that work, steps after the last of them that fail at one time, and steps in a row after the first failure. */
  together: ({ completed, failed, remaining }: StepNames) => [
    ...inARow(completed, "works", [], { result_variable: "one" }),
    ...failed.map((id) => step(id, "fails", completed.slice(-1))),
    ...inARow(remaining, "works", failed.slice(0, 1)),
  ],
  /** Three steps that fail one after the other, each by itself. */
  apart: () => [
    ...["1", "2", "3"].map((n) => step(`before ${n}`, "works", n === "1" ? [] : [`before ${Number(n) - 1}`])),
    ...["1", "2", "3"].map((n) => step(n, "fails", [`before ${n}`])),
  ],
};

function inARow(ids: readonly string[], tool: string, before: readonly string[], ofFirst = {}) {
  return ids.map((id, at) => step(id, tool, at === 0 ? before : [ids[at - 1]!], at === 0 ? ofFirst : {}));
}

/** Which steps work, which fail at one time, and which are left when they have. */
export interface StepNames {
  readonly completed: readonly string[];
  readonly failed: readonly string[];
  readonly remaining: readonly string[];
}

export interface StubReplan {
  /** The steps of the plan; without any, three steps fail one after the other. */
  readonly steps: StepNames | undefined;
  /** What the revised steps do; `nothing` is no valid answer. */
  readonly revised: "works" | "fails" | "nothing";
  readonly policy: ReplanPolicy | undefined;
  readonly signal: AbortSignal;
}

/** Runs a plan with a step that fails, revised by a planner that answers as seed 002's: steps by position. */
export async function stubReplan({ steps, revised, policy, signal }: StubReplan) {
  const requests: Phase1Request[] = [];
  const reported: string[] = [];
  const controller = {
    name: "stub",
    processPhase2: () => Promise.reject(new Error("nothing is left to Stage 2")),
    async processPhase1(request: Phase1Request) {
      requests.push(request);
      const tasks = (request.replan?.tasks ?? []).map(({ task }, at) => ({
        replaces: [task.task_id],
        execution_type: "tool",
        tool_id: revised,
        arguments: { of: "${who}", at, round: requests.length },
        depends_on: at === 0 ? [] : [at - 1],
      }));
      return { success: true, data: revised === "nothing" ? [] : tasks };
    },
  };
  const tools = [
    defineTool({
      id: "works",
      description: "",
      async execute(got: object) {
        await wait(20);
        return { got, long: "x".repeat(500) };
      },
    }),
    defineTool({ id: "fails", description: "", execute: () => Promise.reject(new Error("no file")) }),
  ];
  await using planloom = new Planloom({ tools, controller });
  for (const type of ["patch-request", "patch-apply", "task-end"] as const)
    planloom.on(type, () => void reported.push(type));
  const planned_tasks = steps === undefined ? plans.apart() : plans.together(steps);
  const plan = TaskData.parse({ task_id: "p", variables: { who: "ada" }, planned_tasks });
  const result: RunResult = await planloom.run(plan, { signal, ...(policy && { replanPolicy: policy }) });
  const asked = reported.filter((type) => type === "patch-request").length;
  const completedWhileAsked = reported
    .slice(reported.indexOf("patch-request"), reported.indexOf("patch-apply"))
    .includes("task-end");
  const summary = summaryOf(result, { steps, asked, completedWhileAsked });
  return { result, request: requests[0]?.replan, resources: requests[0]?.resources ?? [], asked, summary };
}

/** How the run ended, in the words that seed 002 has for it. */
function summaryOf(
  { plan, results, replaced, end_reason, replanned }: RunResult,
  { steps, asked, completedWhileAsked }: { steps: StepNames | undefined; asked: number; completedWhileAsked: boolean },
) {
  const kept = steps?.completed.length ?? 0;
  const [first, second] = plan.planned_tasks.slice(kept);
  const byPosition = second?.dependencies.includes(first?.task_id ?? "");
  const merged = results[0]?.task_id === steps?.completed[0] && replaced?.[0]?.status === "failed";
  return {
    ...{ attempts: asked, secondReplan: asked > 1, replanAttempted: asked > 0 },
    ...{
      success: end_reason === "completed",
      replanned: replanned === true,
      checkpointDuringReplan: completedWhileAsked,
    },
    revisedPlanDependsOn: byPosition ? "0-based positions within the new plan" : "something else",
    steps: merged ? "original results (including the failed one) followed by the revised plan's" : "something else",
    ...{ planId: plan.task_id === "p" ? "original id" : "another" },
    variables: results.at(-1)?.input?.of === "ada" ? "carried over" : "lost",
  };
}
