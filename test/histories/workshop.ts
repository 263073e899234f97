import { scriptedModel } from "@planloom/controller/testing";
import { type Executor, TaskData } from "@planloom/plan";
import {
  agentExecutor,
  defineAgent,
  defineTool,
  defineWorkflow,
  type Replan,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import { callsOf } from "../support/agents.ts";
import { useInstead } from "../support/replans.ts";
import { planOf } from "../support/run-plans.ts";

/** What the recorded runs are executed with, then and now. The tools' answers follow from their input alone. */
export interface Workshop {
  readonly executors: readonly Executor[];
  readonly replan: Replan;
  /** Ids of the tools that were called, in order. */
  readonly calls: string[];
}

/** @param broken tools that fail; @param held settles what `hold` waits for. */
export function workshop(broken: ReadonlySet<string>, held: Promise<unknown> = Promise.resolve(1)): Workshop {
  const calls: string[] = [];
  const make = (id: string, work: (input: Record<string, unknown>) => unknown) =>
    defineTool({
      id,
      description: `Does ${id}.`,
      idempotent: true,
      execute(input: Record<string, unknown>) {
        calls.push(id);
        if (broken.has(id)) throw new Error(`${id} is broken`);
        return work(input);
      },
    });
  const tools = [
    make("count", ({ n = 1, of = [] }) => ({ count: Number(n) + (of as unknown[]).length })),
    make("join", ({ left, right }) => ({ text: `${JSON.stringify(left)}+${JSON.stringify(right)}` })),
    make("saw", ({ wood }) => ({ boards: [`${String(wood)} 1`, `${String(wood)} 2`] })),
    make("glue", () => ({ glued: true })),
    make("pay", ({ amount }) => ({ paid: amount })),
    make("hold", () => held),
    make("login", () => ({ ok: true })),
  ];
  const shelf = planOf(
    { cut: [], fix: ["cut"] },
    {
      cut: { tool_id: "saw", arguments: { wood: "${input.wood}" } },
      fix: { tool_id: "count", arguments: { of: "${cut.boards}" } },
    },
  );
  const model = scriptedModel([callsOf(["saw", { wood: "ash" }]), { text: "Two boards of ash." }]);
  const carpenter = defineAgent({ id: "carpenter", description: "Works wood.", model, tools: ["saw"] });
  const executors = [
    toolExecutor(tools),
    workflowExecutor([defineWorkflow({ id: "shelf", description: "A shelf.", plan: shelf })]),
    agentExecutor([carpenter]),
  ];
  return { executors, replan: useInstead("glue"), calls };
}

const pair = planOf(
  { a: [], b: ["a"] },
  {
    a: { tool_id: "count", arguments: { n: 2 } },
    b: { tool_id: "join", arguments: { left: "${a.count}", right: "${v}" } },
  },
);

/** The plans of the recorded runs, by run id. */
export const recordedPlans = {
  diamond: planOf(
    { a: [], b: ["a"], c: ["a"], d: ["b", "c"] },
    {
      a: { tool_id: "saw", arguments: { wood: "oak" } },
      b: { tool_id: "count", arguments: { of: "${a.boards}" } },
      c: { tool_id: "count", arguments: { n: 5 } },
      d: { tool_id: "join", arguments: { left: "${b.count}", right: "cut ${a.boards[0]}" } },
    },
  ),
  variables: { ...pair, variables: { v: ["x"] } },
  failed: planOf(
    { a: [], bad: ["a"], after: ["bad"], beside: [] },
    {
      a: { tool_id: "count" },
      bad: { tool_id: "glue" },
      after: { tool_id: "count" },
      beside: { tool_id: "saw", arguments: { wood: "fir" } },
    },
  ),
  waiting: planOf({ a: [], buy: ["a"] }, gated()),
  approved: planOf({ a: [], buy: ["a"] }, gated()),
  denied: planOf({ a: [], buy: ["a"] }, gated()),
  workflow: TaskData.parse({
    task_id: "plan",
    planned_tasks: [
      { task_id: "s", execution_type: "dsl", parameters: { uid: "shelf" }, arguments: { wood: "elm" } },
      { task_id: "n", execution_type: "tool", tool_id: "count", arguments: { n: "${s.count}" } },
    ],
  }),
  agent: TaskData.parse({
    task_id: "plan",
    planned_tasks: [
      { task_id: "w", execution_type: "agent", agent_id: "carpenter", arguments: { prompt: "Saw some ash." } },
    ],
  }),
  replanned: planOf(
    { a: [], bad: ["a"], b: ["bad"] },
    { a: { tool_id: "count" }, bad: { tool_id: "pay", arguments: { amount: 1 } }, b: { tool_id: "count" } },
  ),
  budget: planOf(
    { a: [], b: ["a"], c: ["b"] },
    { a: { tool_id: "count" }, b: { tool_id: "count" }, c: { tool_id: "count" } },
  ),
  grouped: planOf(
    { a: [], b: ["a"], c: [] },
    { a: { tool_id: "count" }, b: { tool_id: "count" }, c: { tool_id: "glue" } },
  ),
  secret: planOf({ a: [] }, { a: { tool_id: "login", arguments: { password: { $secret: "DOOR" } } } }),
  interrupted: planOf(
    { a: [], b: ["a"], c: ["b"] },
    { a: { tool_id: "count" }, b: { tool_id: "hold" }, c: { tool_id: "count", arguments: { n: "${a.count}" } } },
  ),
} as const satisfies Record<string, TaskData>;

function gated() {
  return {
    a: { tool_id: "count", arguments: { n: 30 } },
    buy: { tool_id: "pay", arguments: { amount: "${a.count}" }, approval: "required" as const },
  };
}
