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
  /** Step 1, so many steps after it that fail, step 3 after the first of those. */
  together: (failing: number) => [
    step("1", "works", [], { result_variable: "one" }),
    ...Array.from({ length: failing }, (_, at) => step(at === 0 ? "2" : `2.${at}`, "fails", ["1"])),
    step("3", "works", ["2"]),
  ],
  /** Three steps that fail one after the other, each by itself. */
  apart: () => [
    ...["1", "2", "3"].map((n) => step(`before ${n}`, "works", n === "1" ? [] : [`before ${Number(n) - 1}`])),
    ...["1", "2", "3"].map((n) => step(n, "fails", [`before ${n}`])),
  ],
};

export interface StubReplan {
  /** How many steps fail at one time; none: three, one after the other. */
  readonly failing: number;
  /** What the revised steps do; `nothing` is no valid answer. */
  readonly revised: "works" | "fails" | "nothing";
  readonly policy: ReplanPolicy | undefined;
  readonly signal: AbortSignal;
}

/** Runs a plan with a step that fails, revised by a planner that answers as seed 002's: steps by position. */
export async function stubReplan({ failing, revised, policy, signal }: StubReplan) {
  const requests: Phase1Request[] = [];
  const told: string[] = [];
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
    planloom.on(type, () => void told.push(type));
  const planned_tasks = failing === 0 ? plans.apart() : plans.together(failing);
  const plan = TaskData.parse({ task_id: "p", variables: { who: "ada" }, planned_tasks });
  const result: RunResult = await planloom.run(plan, { signal, ...(policy && { replanPolicy: policy }) });
  const asked = told.filter((type) => type === "patch-request").length;
  const completedWhileAsked = told
    .slice(told.indexOf("patch-request"), told.indexOf("patch-apply"))
    .includes("task-end");
  return { result, request: requests[0]?.replan, resources: requests[0]?.resources ?? [], asked, completedWhileAsked };
}
