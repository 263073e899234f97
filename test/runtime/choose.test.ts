import { type PlannerTaskInput, TaskData } from "@planloom/plan";
import {
  childProcessDispatcher,
  defineLlm,
  defineTool,
  llmExecutor,
  memoryJournal,
  replay,
  resume,
  run,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { executors as workerExecutors } from "../support/dispatch-worker.ts";
import { group, statuses } from "../support/run-plans.ts";

const echo = defineTool({ id: "echo", description: "", readOnly: true, execute: (input) => input });

function world(route: (input: Record<string, unknown>) => unknown = () => "a") {
  const journal = memoryJournal();
  const calls: Record<string, unknown>[] = [];
  const router = defineTool({
    id: "router",
    description: "",
    readOnly: true,
    execute(input) {
      calls.push(input);
      return route(input);
    },
  });
  const options = { journal, executors: [toolExecutor([echo, router])], retry: { max_attempts: 1 } };
  return { journal, calls, options };
}
const task = (task_id: string, rest: Partial<PlannerTaskInput> = {}): PlannerTaskInput => ({
  task_id,
  tool_id: "echo",
  ...rest,
});
const branch = (name: string) => ({ when: { condition: `\${route.${name}}` } });
const byAmount: PlannerTaskInput = {
  task_id: "route",
  choose: {
    branches: [
      { name: "refund", condition: "${order.total} < 50" },
      { name: "review", condition: "${order.total} < 500 and $count(${order.items}) > 0" },
    ],
    else: "escalate",
  },
};
const after = (decider: PlannerTaskInput): PlannerTaskInput[] => [
  decider,
  task("refund", branch("refund")),
  task("refunded", { dependencies: ["refund"] }),
  task("review", branch("review")),
  task("escalate", branch("escalate")),
  task("end", { dependencies: ["refunded", "review", "escalate"], join: "none_failed" }),
];

test.for([
  { total: 10, chosen: "refund" },
  { total: 100, chosen: "review" },
  { total: 1_000, chosen: "escalate" },
])("an order of $total takes the branch $chosen", async ({ total, chosen }) => {
  const { journal, options } = world();
  const planned_tasks = [task("order", { arguments: { total, items: [1] } }), ...after(byAmount)];
  const result = await run({ planned_tasks }, options);
  const of = (id: string) => result.results.find(({ task_id }) => task_id === id);
  expect(result.end_reason).toBe("completed");
  expect(of("route")?.output).toEqual({
    chosen,
    refund: chosen === "refund",
    review: chosen === "review",
    escalate: chosen === "escalate",
  });
  for (const name of ["refund", "review", "escalate"]) {
    expect(of(name)?.status).toBe(name === chosen ? "completed" : "skipped");
    if (name !== chosen)
      expect(of(name)?.error).toMatchObject({
        code: "TASK_NOT_MET",
        message: `Task "route" chose the branch "${chosen}" and not "${name}".`,
      });
  }
  expect(of("refunded")?.status).toBe(chosen === "refund" ? "completed" : "skipped");
  expect(of("end")?.status).toBe("completed");
  expect((await verifyRun(journal, result.run_id)).problems).toEqual([]);
  expect((await replay(result.run_id, { journal: journal })).divergence).toBeUndefined();
});

test("conditions after the first true one are not asked", async () => {
  const choose = {
    branches: [
      { name: "a", condition: "${order.total} < 50" },
      { name: "b", condition: "${order.gone} = 1" },
    ],
  };
  const planned_tasks = [task("order", { arguments: { total: 10 } }), { task_id: "route", choose }];
  expect((await run({ planned_tasks }, world().options)).output_data.route).toMatchObject({ chosen: "a" });
});

test.for([
  {
    name: "gives a number",
    condition: "${order.total} + 1",
    code: "TASK_CONDITION",
    text: "to give true or false, got 11 (number)",
  },
  { name: "is a reference to a number", condition: "${order.total}", code: "TASK_CONDITION", text: "got 10 (number)" },
  { name: "throws", condition: '$error("no")', code: "TASK_CONDITION", text: "`choose.branches[0].condition` failed" },
  { name: "is nested too deep", condition: "(".repeat(200), code: "TASK_CONDITION", text: "nested at most 100 deep" },
  {
    name: "names what is not there",
    condition: "${order.gone} = 1",
    code: "TASK_REFERENCE",
    text: "Expected a value for ${order.gone}",
  },
  {
    name: "is false, without an else",
    condition: "${order.total} > 10",
    code: "TASK_CHOICE",
    text: "None of the conditions",
  },
])("a decision whose condition $name fails, and its branches are skipped", async ({ condition, code, text }) => {
  const planned_tasks = [
    task("order", { arguments: { total: 10 } }),
    { task_id: "route", choose: { branches: [{ name: "refund", condition }] } },
    task("refund", branch("refund")),
  ];
  const result = await run({ planned_tasks }, world().options);
  expect(result.end_reason).toBe("failed");
  expect(result.results[1]?.error).toMatchObject({ code, message: expect.stringContaining(text) });
  expect(result.results[2]?.status).toBe("skipped");
});

const byFunction: PlannerTaskInput = {
  task_id: "route",
  tool_id: "router",
  arguments: { total: "${order.total}" },
  choose: { branches: [{ name: "refund" }, { name: "review" }], else: "escalate" },
};

test.for([
  { answer: "refund", chosen: "refund" },
  { answer: "Review", chosen: "review" },
  { answer: { chosen: "review", score: 0.7 }, chosen: "review" },
  { answer: { branch: "escalate" }, chosen: "escalate" },
  { answer: null, chosen: "escalate" },
  { answer: { chosen: null }, chosen: "escalate" },
  { answer: { branch: null }, chosen: "escalate" },
  { answer: { text: '{"chosen": null}' }, chosen: "escalate" },
  { answer: '```json\n{"branch": null}\n```', chosen: "escalate" },
  { answer: { text: " null " }, chosen: "escalate" },
  { answer: { text: '<think>refund?</think>```json\n{"chosen": "review"}\n```' }, chosen: "review" },
])("a function that answers $answer chooses $chosen", async ({ answer, chosen }) => {
  const { journal, calls, options } = world(() => answer);
  const planned_tasks = [task("order", { arguments: { total: 1 } }), ...after(byFunction)];
  const result = await run({ planned_tasks }, options);
  expect(result.results[1]?.output).toMatchObject({ chosen, answer });
  expect(result.results.filter(({ status }) => status === "completed").map(({ task_id }) => task_id)).toContain(chosen);
  expect((await replay(result.run_id, { journal: journal })).divergence).toBeUndefined();
  // What was decided is recorded, so that nobody is asked again.
  await resume(result.run_id, options);
  expect(calls).toHaveLength(1);
});

test.for([
  "refnd",
  "I think refund or review",
  7,
  { text: null },
  '{"other": null}',
  { other: "refund" },
  true,
  ["refund"],
  "",
])("an answer that names no branch fails the decision: %j", async (answer) => {
  const planned_tasks = [task("order", { arguments: { total: 1 } }), ...after(byFunction)];
  const result = await run({ planned_tasks }, world(() => answer).options);
  expect(result.results[1]?.error).toMatchObject({
    code: "TASK_CHOICE",
    message: expect.stringContaining("one of the branches refund, review, escalate"),
  });
  expect(result.results.slice(2).every(({ status }) => status === "skipped")).toBe(true);
});

test("a model is asked with the branches, and asked again where it names none", async () => {
  const asked: unknown[] = [];
  const replies = ["I would rather not say.", '{"chosen": "complaint"}'];
  const model = {
    name: "scripted",
    async generate(request: unknown) {
      asked.push(request);
      return { text: replies[asked.length - 1] ?? "", toolCalls: [] };
    },
  };
  const llm = defineLlm({ id: "reader", description: "", model });
  const planned_tasks: PlannerTaskInput[] = [
    {
      task_id: "route",
      execution_type: "llm",
      parameters: { uid: "reader" },
      arguments: { prompt: "What is this letter?", letter: "It is broken." },
      retry: { max_attempts: 2, initial_delay_ms: 0 },
      choose: {
        branches: [{ name: "complaint", description: "something is broken" }, { name: "order" }],
        else: "other",
      },
    },
    task("complaint", branch("complaint")),
    task("order", branch("order")),
  ];
  const journal = memoryJournal();
  const options = { journal, executors: [toolExecutor([echo]), llmExecutor([llm])] };
  const result = await run({ planned_tasks }, options);
  expect(result.results.map(({ status }) => status)).toEqual(["completed", "completed", "skipped"]);
  expect(asked).toHaveLength(2);
  expect(JSON.stringify(asked[0])).toContain("- complaint: something is broken");
  expect(JSON.stringify(asked[0])).not.toContain("An earlier answer");
  expect(JSON.stringify(asked[1])).toContain(
    "named none of them. It is one of complaint, order, other, without other text",
  );
  expect(asked[0]).toMatchObject({
    schema: { schema: { properties: { chosen: { enum: ["complaint", "order", "other"] } } } },
  });
  await resume(result.run_id, options);
  expect(asked).toHaveLength(2);
  expect((await replay(result.run_id, { journal })).divergence).toBeUndefined();
});

test("each element of a list decides for itself", async () => {
  const tasks: PlannerTaskInput[] = [
    {
      task_id: "route",
      choose: { branches: [{ name: "even", condition: "${item} % 2 = 0" }], else: "odd" },
    },
    task("even", { arguments: { even: "${item}" }, ...branch("even") }),
    task("odd", { arguments: { odd: "${item}" }, ...branch("odd") }),
    task("end", { arguments: { even: "${even.even?}", odd: "${odd.odd?}" }, join: "any" }),
  ];
  const { journal, options } = world();
  const planned_tasks = [{ task_id: "each", for_each: { items: [1, 2, 3], tasks, result: "end" } }];
  const result = await run({ planned_tasks }, options);
  expect(result.output_data.each).toEqual([
    { even: null, odd: 1 },
    { even: 2, odd: null },
    { even: null, odd: 3 },
  ]);
  expect((await verifyRun(journal, result.run_id)).problems).toEqual([]);
});

test("a replay with other conditions says where it differs", async () => {
  const { journal, options } = world();
  const planned_tasks = [task("order", { arguments: { total: 10, items: [] } }), ...after(byAmount)];
  const { run_id } = await run({ planned_tasks }, options);
  const other = structuredClone(byAmount);
  other.choose!.branches[0]!.condition = "${order.total} < 5";
  const plan = { planned_tasks: [planned_tasks[0]!, ...after(other)] };
  expect((await replay(run_id, { journal: journal, plan })).divergence).toMatchObject({
    task_id: "route",
    what: "outcome",
    actual: { chosen: "escalate" },
  });
});

test.for([
  { name: "a gate", rest: { approval: "required" as const }, text: "has `approval` and makes no call" },
  { name: "a tool", rest: { tool_id: "echo" }, text: "has `tool_id` and conditions" },
  { name: "arguments", rest: { arguments: { a: 1 } }, text: "has `arguments` and conditions" },
  { name: "a list", rest: { for_each: { items: [1] } }, text: "has `choose` and `for_each`" },
])("a decision by conditions with $name does not run", async ({ rest, text }) => {
  const planned_tasks = [task("order", { arguments: { total: 1, items: [] } }), { ...byAmount, ...rest }];
  await expect(run({ planned_tasks }, world().options)).rejects.toThrow(text);
  const within = [{ task_id: "each", for_each: { items: [1], tasks: planned_tasks } }];
  await expect(run({ planned_tasks: within }, world().options)).rejects.toThrow(text);
});

test("subgraphs that go whole decide, and take what others decided", async () => {
  const { journal, options } = world();
  const parsed = TaskData.parse({
    planned_tasks: [task("order", { arguments: { total: 100, items: [1] } }), ...after(byAmount)],
  });
  const subgraphs = group(parsed, {
    one: ["order", "route"],
    two: ["refund", "refunded"],
    three: ["review"],
    four: ["escalate", "end"],
  });
  const result = await run(parsed, { ...options, semantics: "atomic", subgraphs });
  expect(statuses(result)).toEqual({
    order: "completed",
    route: "completed",
    refund: "skipped",
    refunded: "skipped",
    review: "completed",
    escalate: "skipped",
    end: "completed",
  });
  expect((await verifyRun(journal, result.run_id)).problems).toEqual([]);
  expect((await replay(result.run_id, { journal })).divergence).toBeUndefined();
});

test("workers decide, also within lists", async () => {
  const module = new URL("../support/dispatch-worker.ts", import.meta.url);
  const dispatcher = childProcessDispatcher({ module });
  const journal = memoryJournal();
  const size = { branches: [{ name: "large", condition: "${input.total} > 50" }], else: "small" };
  const parity = { branches: [{ name: "even", condition: "${item} % 2 = 0" }], else: "odd" };
  const work = (task_id: string, rest: Partial<PlannerTaskInput> = {}) => task(task_id, { tool_id: "work", ...rest });
  const inner = [
    { task_id: "parity", choose: parity },
    work("even", { when: { condition: "${parity.even}" } }),
    work("odd", { when: { condition: "${parity.odd}" } }),
  ];
  const parsed = TaskData.parse({
    planned_tasks: [
      { task_id: "route", choose: size },
      work("large", branch("large")),
      work("small", branch("small")),
      { task_id: "each", for_each: { items: [1, 2], tasks: inner }, dependencies: ["large"] },
    ],
  });
  const subgraphs = group(parsed, { one: ["route", "large"], two: ["small"], three: ["each"] });
  try {
    const result = await run(parsed, {
      executors: await workerExecutors(),
      journal,
      semantics: "atomic",
      subgraphs,
      dispatcher,
      input: { total: 100 },
    });
    expect(statuses(result)).toEqual({ route: "completed", large: "completed", small: "skipped", each: "completed" });
    expect(result.output_data.each).toEqual([{ odd: expect.anything() }, { even: expect.anything() }]);
    expect(result.results[2]?.error?.message).toBe('Task "route" chose the branch "large" and not "small".');
    expect((await verifyRun(journal, result.run_id)).problems).toEqual([]);
  } finally {
    await dispatcher.close();
  }
});

test("a join that no failure may precede sees one in an earlier subgraph", async () => {
  const { journal, options } = world(() => {
    throw new Error("no");
  });
  const parsed = TaskData.parse({
    planned_tasks: [
      task("broken", { tool_id: "router" }),
      task("skipped", { when: { condition: "${input.yes}" } }),
      task("own", { dependencies: ["start"] }),
      task("start"),
      task("safe", { dependencies: ["own", "skipped"], join: "none_failed" }),
      task("never", { dependencies: ["own", "broken"], join: "none_failed" }),
      task("after", { dependencies: ["never"] }),
    ],
  });
  const subgraphs = group(parsed, {
    one: ["broken", "skipped", "start"],
    two: ["own", "safe", "never", "after"],
  });
  const input = { yes: false };
  const expected = {
    broken: "failed",
    skipped: "skipped",
    own: "completed",
    start: "completed",
    safe: "completed",
    never: "skipped",
    after: "skipped",
  };
  const atomic = await run(parsed, { ...options, input, semantics: "atomic", subgraphs });
  expect(statuses(atomic)).toEqual(expected);
  expect((await verifyRun(journal, atomic.run_id)).problems).toEqual([]);
  expect(statuses(await run(parsed, { ...options, input }))).toEqual(expected);
});
