import type { PlannerTaskInput } from "@planloom/plan";
import { defineTool, memoryJournal, replay, resume, run, toolExecutor, verifyRun } from "@planloom/runtime";
import { describe, expect, test } from "vitest";

const echo = defineTool({ id: "echo", description: "", readOnly: true, execute: (input) => input });
const broken = defineTool({
  id: "broken",
  description: "",
  readOnly: true,
  execute: () => {
    throw new Error("it is broken");
  },
});

function world() {
  const journal = memoryJournal();
  return { journal, executors: [toolExecutor([echo, broken])], retry: { max_attempts: 1 } };
}
const task = (task_id: string, rest: Partial<PlannerTaskInput> = {}): PlannerTaskInput => ({
  task_id,
  tool_id: "echo",
  ...rest,
});
const when = (condition: string) => ({ when: { condition } });

test.for([
  { condition: "${a.n} > 3", runs: true },
  { condition: "${a.n} > 30", runs: false },
  { condition: "$count(${a.list}[price > ${a.n}]) = 1", runs: true },
  { condition: "${a.yes}", runs: true },
  { condition: "${a.no}", runs: false },
  { condition: '${a.text} = "x} or true or {"', runs: true },
  { condition: "${a.missing?} = null", runs: true },
  { condition: "$not(${input.fast}) and ${limit} < 10", runs: true },
])("$condition", async ({ condition, runs }) => {
  const options = world();
  const a = { n: 5, list: [{ price: 4 }, { price: 6 }], yes: true, no: false, text: "x} or true or {" };
  const planned_tasks = [task("a", { arguments: a }), task("b", when(condition)), task("c", { dependencies: ["b"] })];
  const result = await run({ planned_tasks, variables: { limit: 3 } }, { ...options, input: { fast: false } });
  expect(result.end_reason).toBe("completed");
  expect(result.results.map(({ status }) => status)).toEqual([
    "completed",
    runs ? "completed" : "skipped",
    runs ? "completed" : "skipped",
  ]);
  if (!runs) {
    expect(result.results[1]?.error).toMatchObject({
      code: "TASK_NOT_MET",
      message: expect.stringContaining(condition),
    });
    expect(result.results[2]?.error?.message).toBe('It depends on task "b", which was skipped.');
  }
  expect((await verifyRun(options.journal, result.run_id)).problems).toEqual([]);
  expect((await replay(result.run_id, { journal: options.journal })).divergence).toBeUndefined();
});

test.for([
  { name: "throws", condition: '$error("no")', text: "`when.condition` failed" },
  { name: "is no expression", condition: "${a} >", text: "is not a JSONata expression" },
  { name: "gives a number", condition: "${a.n} + 1", text: "to give true or false, got 2 (number)" },
  { name: "gives nothing", condition: "${a}.nothing", text: "to give true or false, got nothing" },
  { name: "is a reference to a text", condition: "${a.t}", text: 'to give true or false, got "yes"' },
  {
    name: "calls itself without end",
    condition: "($f := function($x) { 1 + $f($x + 1) }; $f(0))",
    text: "`when.condition` failed",
  },
  { name: "is nested too deep", condition: "(".repeat(200), text: "nested at most 100 deep" },
  { name: "names what is not there", condition: "${a.gone} = 1", text: "Expected a value for ${a.gone}" },
])("a condition that $name fails its task", async ({ condition, text }) => {
  const planned_tasks = [task("a", { arguments: { n: 1, t: "yes" } }), task("b", when(condition))];
  const result = await run({ planned_tasks }, world());
  expect(result.end_reason).toBe("failed");
  expect(result.results[1]?.error?.message).toContain(text);
});

test.for([
  // [join, status of b, status of c, runs]
  { join: "all", b: "skip", c: "run", runs: false },
  { join: "all", b: "run", c: "run", runs: true },
  { join: "any", b: "skip", c: "run", runs: true },
  { join: "any", b: "fail", c: "run", runs: true },
  { join: "any", b: "skip", c: "skip", runs: false },
  { join: "any", b: "fail", c: "skip", runs: false },
  { join: "none_failed", b: "skip", c: "run", runs: true },
  { join: "none_failed", b: "skip", c: "skip", runs: true },
  { join: "none_failed", b: "fail", c: "run", runs: false },
] as const)("after branches that $b and $c, a join of $join runs: $runs", async ({ join, b, c, runs }) => {
  const branch = (id: string, how: "skip" | "run" | "fail") => [
    task(
      id,
      how === "skip"
        ? when("${a.no}")
        : how === "fail"
          ? { tool_id: "broken", dependencies: ["a"] }
          : { dependencies: ["a"] },
    ),
    // The failure or the skip reaches the join through another task.
    task(`${id}2`, { dependencies: [id] }),
  ];
  const options = world();
  const planned_tasks = [
    task("a", { arguments: { no: false } }),
    ...branch("b", b),
    ...branch("c", c),
    task("d", { dependencies: ["b2", "c2"], join }),
    task("e", { dependencies: ["d"] }),
  ];
  const result = await run({ planned_tasks }, options);
  const statusOf = (id: string) => result.results.find(({ task_id }) => task_id === id)?.status;
  expect([statusOf("d"), statusOf("e")]).toEqual(runs ? ["completed", "completed"] : ["skipped", "skipped"]);
  expect((await verifyRun(options.journal, result.run_id)).problems).toEqual([]);
  expect((await replay(result.run_id, { journal: options.journal })).divergence).toBeUndefined();
  const resumed = await resume(result.run_id, options);
  expect(resumed.results.map(({ status }) => status)).toEqual(result.results.map(({ status }) => status));
});

test("a condition about elements is asked for each of them", async () => {
  const planned_tasks = [
    task("a", { arguments: { list: [1, 2, 3, 4], on: true } }),
    task("b", {
      arguments: { x: "${item}" },
      for_each: { items: "${a.list}", on_failure: "collect" },
      ...when("${item} % 2 = 0 and ${a.on}"),
    }),
  ];
  const result = await run({ planned_tasks }, world());
  expect(result.output_data.b).toEqual([null, { x: 2 }, null, { x: 4 }]);
  expect(result.results[1]?.elements).toEqual({ total: 4, completed: 2, failed: 0, skipped: 2 });
});

describe("an element that the plan leaves out is no failure", () => {
  const each = (rest: object, on_failure?: object) =>
    task("b", { arguments: { x: "${item}" }, for_each: { items: [1, 2, 3, 4], ...on_failure }, ...rest });

  test.for([
    { name: "all", on_failure: {} },
    { name: "the first", on_failure: { on_failure: { first: 1 } } },
  ])("$name: a condition", async ({ on_failure }) => {
    const options = world();
    const result = await run({ planned_tasks: [each(when("${item} % 2 = 0"), on_failure)] }, options);
    expect([result.end_reason, result.output_data.b]).toEqual(["completed", [null, { x: 2 }, null, { x: 4 }]]);
    expect((await verifyRun(options.journal, result.run_id)).problems).toEqual([]);
    expect((await replay(result.run_id, { journal: options.journal })).divergence).toBeUndefined();
  });

  test("a deadline that lets it be skipped, of signals and of repeated calls", async () => {
    const late = { event: "e", timeout_ms: 1, on_deadline: "skip" as const };
    const polled = { condition: "output.x = 2", interval_ms: 1, max_polls: 2, on_deadline: "skip" as const };
    const { tool_id: _, execution_type: __, ...open } = task("w");
    const planned_tasks = [{ ...open, wait: late, for_each: { items: [1, 2] } }, each({ retry_until: polled })];
    const result = await run({ planned_tasks }, world());
    expect(result.output_data).toEqual({ w: [null, null], b: [null, { x: 2 }, null, null] });
  });

  describe("the task within it whose output is the element's", () => {
    /** Two tasks of an element, the second of which gives its output, and is of a branch or depends on one that is. */
    const result = "b";
    const route = task("route", {
      tool_id: null,
      choose: { branches: [{ name: "even", condition: "${item} % 2 = 0" }], else: "odd" },
    });
    const ofBranch = [route, task("b", { arguments: { x: "${item}" }, ...when("${route.even}") })];
    const afterBranch = [
      task("a", { ...when("${item} % 2 = 0") }),
      task("b", { arguments: { x: "${item}" }, dependencies: ["a"] }),
    ];
    const error = { code: "TASK_DEPENDENCY", message: expect.stringContaining('Task "b", whose output') };

    test.for([
      { name: "of a branch", tasks: ofBranch, failed_as: "null" as const },
      { name: "of a branch, as an error", tasks: ofBranch, failed_as: "error" as const },
      { name: "after a task that is left out", tasks: afterBranch, failed_as: "null" as const },
    ])("$name", async ({ tasks, failed_as }) => {
      const options = world();
      const list = task("l", { tool_id: null, for_each: { items: [1, 2, 3, 4], failed_as, result, tasks } });
      const { end_reason, output_data, results, run_id } = await run({ planned_tasks: [list] }, options);
      const missing = failed_as === "null" ? null : { error };
      expect([end_reason, output_data.l]).toEqual(["completed", [missing, { x: 2 }, missing, { x: 4 }]]);
      expect(results[0]?.elements).toEqual({ total: 4, completed: 2, failed: 0, skipped: 2 });
      expect((await verifyRun(options.journal, run_id)).problems).toEqual([]);
      expect((await replay(run_id, { journal: options.journal })).divergence).toBeUndefined();
    });

    test("is lost with a task before it that failed", async () => {
      const tasks = [task("a", { tool_id: "broken" }), task("b", { dependencies: ["a"] })];
      const list = task("l", { tool_id: null, for_each: { items: [1], result, tasks } });
      const { results } = await run({ planned_tasks: [list] }, world());
      expect(results[0]).toMatchObject({ status: "failed", error: { code: "TASK_ELEMENT", details: { failed: 1 } } });
    });
  });

  test("one that fails beside them is the one that is named", async () => {
    const odd = each(when("${item} = 3 ? 7 : ${item} = 4"));
    const result = await run({ planned_tasks: [odd] }, world());
    expect(result.results[0]).toMatchObject({
      status: "failed",
      error: { code: "TASK_ELEMENT", details: { element: "b[2]", failed: 1, error: { code: "TASK_CONDITION" } } },
    });
  });
});

test("a condition about the whole list is asked once, before it", async () => {
  const planned_tasks = [
    task("a", { arguments: { list: [1] } }),
    task("b", { arguments: { x: "${item}" }, for_each: { items: "${a.list}" }, ...when("$count(${a.list}) > 1") }),
  ];
  const result = await run({ planned_tasks }, world());
  expect(result.results[1]).toMatchObject({ status: "skipped", error: { code: "TASK_NOT_MET" } });
});
