import { type PlannerTaskInput, planView, TaskData } from "@planloom/plan";
import {
  defineTool,
  dryRun,
  estimatePlan,
  learnBehaviours,
  memoryJournal,
  resume,
  run,
  signal,
  toolExecutor,
  whatIf,
} from "@planloom/runtime";
import { expect, test } from "vitest";

const tool = (id: string, ms: number) =>
  defineTool({
    id,
    description: "",
    readOnly: true,
    estimate: { duration_ms: ms, tokens: 10, cost: 2 },
    execute: (input) => input,
  });
const executors = [toolExecutor([tool("list", 100), tool("fetch", 50), tool("sum", 20)])];
const task = (task_id: string, tool_id: string, rest: Partial<PlannerTaskInput> = {}): PlannerTaskInput => ({
  task_id,
  tool_id,
  ...rest,
});
const each = (items: unknown, rest: Partial<PlannerTaskInput> = {}): PlannerTaskInput =>
  task("each", "fetch", { arguments: { x: "${item}" }, for_each: { items: items as unknown[] }, ...rest });

test("a dry run takes a list as all of its elements, where their number is known and where it is not", () => {
  const known = dryRun(
    { planned_tasks: [each("${numbers}")], variables: { numbers: [1, 2, 3, 4, 5] } },
    { executors, concurrency: 2 },
  );
  expect(known).toMatchObject({ predictedMs: 150, calls: { "tool:fetch": 5 }, tokens: 50, cost: 10 });
  expect(known.steps[0]).toMatchObject({ elements: { items: 5, known: true } });
  const later = dryRun(
    { planned_tasks: [task("list", "list"), each("${list.hits}", { estimate_data: { items: 40 } })] },
    { executors, concurrency: 4 },
  );
  expect(later).toMatchObject({ predictedMs: 600, calls: { "tool:list": 1, "tool:fetch": 40 } });
  expect(later.steps[1]).toMatchObject({ elements: { items: 40, known: false } });
});

test("a dry run shows the calls of a list's tasks, the conditions and the branches", () => {
  const inner = [task("page", "fetch"), task("sum", "sum", { arguments: { x: "${page.x?}" } })];
  const planned_tasks: PlannerTaskInput[] = [
    { task_id: "route", choose: { branches: [{ name: "some", condition: "${input.on}" }], else: "none" } },
    {
      task_id: "each",
      for_each: { items: [1, 2, 3], concurrency: 1, tasks: inner },
      when: { condition: "${route.some}" },
    },
  ];
  const { steps, calls, predictedMs } = dryRun({ planned_tasks }, { executors });
  expect(steps[0]).toMatchObject({ task_id: "route", branches: ["some", "none"] });
  expect(steps[1]).toMatchObject({
    condition: "${route.some}",
    inner: [
      { task_id: "each[]/page", uid: "fetch", calls: 3 },
      { task_id: "each[]/sum", uid: "sum", calls: 3 },
    ],
  });
  expect([calls, predictedMs]).toEqual([{ "tool:fetch": 3, "tool:sum": 3 }, 210]);
});

test("what is under way in several elements shares the slots of the run, and known lists within lists are counted", () => {
  const inner = task("pages", "fetch", { for_each: { items: "${group.pages}", as: "page" } });
  const groups = [[1, 2, 3], [4], [5, 6, 7, 8]].map((pages) => ({ pages }));
  const lists = (items: unknown): PlannerTaskInput[] => [
    task("list", "list"),
    { task_id: "out", for_each: { items: items as string, as: "group", tasks: [inner] }, estimate_data: { items: 3 } },
  ];
  // Eight calls of 50 ms, two at once.
  const known = dryRun(
    { planned_tasks: lists("${groups}").slice(1), variables: { groups } },
    { executors, concurrency: 2 },
  );
  expect(known).toMatchObject({ predictedMs: 200, calls: { "tool:fetch": 8 } });
  // Three lists that are taken for ten each.
  const later = dryRun({ planned_tasks: lists("${list.groups}") }, { executors, concurrency: 2 });
  expect(later).toMatchObject({ predictedMs: 100 + (30 * 50) / 2, calls: { "tool:fetch": 30 } });
  const { scenarios } = whatIf({ planned_tasks: lists("${list.groups}") }, { executors, concurrency: 2, samples: 2 });
  expect(scenarios).toMatchObject([{ p50Ms: 850, spends: { calls: 31, seconds: 1.6 } }]);
});

test.each([
  ["a resource", { resources: { fetch: 1 } }],
  ["a kind", { kinds: { tool: 1 } }],
])("a limit of %s holds for the elements of a list, and for what is in them", (_, limits) => {
  const options = { executors, concurrency: 4, limits };
  const lists: PlannerTaskInput[] = [
    each([1, 2, 3, 4, 5, 6]),
    { task_id: "out", for_each: { items: [1, 2], as: "x", tasks: [each([1, 2, 3])] } },
  ];
  for (const list of lists) {
    // Six calls of 50 ms, one at once.
    expect(dryRun({ planned_tasks: [list] }, options).predictedMs).toBe(300);
    expect(whatIf({ planned_tasks: [list] }, { ...options, samples: 1 }).scenarios).toMatchObject([{ p50Ms: 300 }]);
    expect(dryRun({ planned_tasks: [list] }, { ...options, limits: {} }).predictedMs).toBeLessThan(150);
  }
});

test("what-if draws lengths, conditions and branches", () => {
  const planned_tasks: PlannerTaskInput[] = [
    { task_id: "route", choose: { branches: [{ name: "long", condition: "${input.on}" }], else: "short" } },
    each([0], { when: { condition: "${route.long}" } }),
    task("short", "sum", { when: { condition: "${route.short}" } }),
    task("end", "sum", { dependencies: ["each", "short"], join: "none_failed" }),
  ];
  const behaviours = { tasks: { each: { items: [10, 20] }, route: { branches: { long: 3, short: 1 } } } };
  const { scenarios } = whatIf({ planned_tasks }, { executors, behaviours, concurrency: 5, samples: 2_000 });
  const [
    { spends, meanMs, p95Ms, failureChance } = { spends: { calls: 0 } as never, meanMs: 0, p95Ms: 0, failureChance: 1 },
  ] = scenarios;
  // Three of four runs take the list, of 15 elements in the mean; one takes `short`; all end with `end`.
  expect(spends.calls).toBeCloseTo(0.75 * 15 + 0.25 + 1, 0);
  expect(meanMs).toBeGreaterThan(0.75 * 150 + 0.25 * 20 + 20 - 8);
  expect(meanMs).toBeLessThan(0.75 * 150 + 0.25 * 20 + 20 + 8);
  expect(p95Ms).toBe(220);
  expect(failureChance).toBe(0);
});

test("what-if counts a list as failed by its own rule, and skips what depends on it", () => {
  const behaviours = { resources: { fetch: { failureProbability: 0.1 } } };
  const failing = (on_failure: "all" | "collect") =>
    whatIf(
      {
        planned_tasks: [
          each(
            Array.from({ length: 20 }, () => 0),
            { for_each: { items: Array.from({ length: 20 }, () => 0), on_failure }, retry: { max_attempts: 1 } },
          ),
        ],
      },
      { executors, behaviours, samples: 1_000 },
    ).scenarios[0]!.failureChance;
  expect(failing("all")).toBeGreaterThan(0.8);
  expect(failing("collect")).toBe(0);
});

test.for([
  [{ tasks: { each: { items: [] } } }, "behaviours.tasks.each.items"],
  [{ tasks: { each: { items: [-1] } } }, "behaviours.tasks.each.items"],
  [{ tasks: { each: { runProbability: 2 } } }, "behaviours.tasks.each.runProbability"],
  [{ tasks: { each: { branches: {} } } }, "behaviours.tasks.each.branches"],
])("%j is refused", ([behaviours, option]) => {
  expect(() => whatIf({ planned_tasks: [each([1])] }, { executors, behaviours: behaviours as never })).toThrow(
    option as string,
  );
});

test("lengths, conditions and branches are learned from runs of tasks that do the same, whatever they are called", async () => {
  const journal = memoryJournal();
  const planOf = (name: string): PlannerTaskInput[] => [
    {
      task_id: `${name}_route`,
      choose: { branches: [{ name: "many", condition: "$count(${input.list}) > 2" }], else: "few" },
    },
    task(name, "fetch", { arguments: { x: "${item}" }, for_each: { items: "${input.list}" } }),
    task(`${name}_sum`, "sum", { when: { condition: `\${${name}_route.many}` } }),
  ];
  for (const list of [[1], [1, 2, 3], [1, 2, 3, 4, 5]])
    await run({ planned_tasks: planOf("old") }, { executors, journal, input: { list } });
  const plan = TaskData.parse({ planned_tasks: planOf("new") });
  const behaviours = await learnBehaviours(journal, { plan });
  expect([...(behaviours.tasks?.new?.items ?? [])].sort()).toEqual([1, 3, 5]);
  expect(behaviours.tasks?.new_route?.branches).toEqual({ many: 2, few: 1 });
  expect(behaviours.tasks?.new_sum?.runProbability).toBeCloseTo(2 / 3);
  const estimated = estimatePlan(plan, { executors: [], behaviours }).plan;
  expect(estimated.planned_tasks[1]?.estimate_data).toMatchObject({ items: 3 });
  expect(estimated.planned_tasks[2]?.estimate_data?.run_probability).toBeCloseTo(2 / 3);
});

test("the work of a list, which groupings go by, is that of all of its elements", () => {
  const ms = (duration_ms: number) => ({ estimate_data: { duration_ms } });
  const inner = [task("a", "fetch", ms(10)), task("b", "sum", { ...ms(5), for_each: { items: [1, 2] } })];
  const { work } = planView(
    TaskData.parse({
      planned_tasks: [
        each([1, 2, 3], ms(10)),
        task("later", "fetch", { ...ms(10), for_each: { items: "${each}" } }),
        { task_id: "group", for_each: { items: [1, 2, 3], tasks: inner } },
        { task_id: "route", choose: { branches: [{ name: "x", condition: "true" }] } },
      ],
    }),
  );
  expect([...work]).toEqual([30, 100, 60, 0]);
});

test("a wait holds no slot in a dry run and in a what-if, alone or in a list", () => {
  const planned_tasks: PlannerTaskInput[] = [
    { task_id: "pause", wait: { for_ms: 1_000 } },
    task("a", "list"),
    task("b", "list"),
    task("end", "sum", { dependencies: ["pause", "a", "b"] }),
  ];
  expect(dryRun({ planned_tasks }, { executors, concurrency: 1 }).predictedMs).toBe(1_020);
  const { scenarios } = whatIf({ planned_tasks }, { executors, concurrency: 1, samples: 5 });
  expect(scenarios[0]).toMatchObject({ meanMs: 1_020, spends: { calls: 3 } });
  const inner: PlannerTaskInput[] = [
    { task_id: "rest", wait: { for_ms: 900 } },
    task("page", "list", { dependencies: ["rest"] }),
  ];
  // Two turns of 900 ms of waiting and 100 ms of work; five calls of 100 ms fit into what is waited.
  const calls = ["a", "b", "c", "d", "e"].map((id) => task(id, "list"));
  const lists: PlannerTaskInput[] = [
    { task_id: "each", for_each: { items: [1, 2], concurrency: 1, tasks: inner } },
    ...calls,
  ];
  expect(dryRun({ planned_tasks: lists }, { executors, concurrency: 1 }).predictedMs).toBe(2_000);
  expect(whatIf({ planned_tasks: lists }, { executors, concurrency: 1, samples: 5 }).scenarios[0]?.meanMs).toBe(2_000);
});

test("how long signals and repeated calls are waited for is learned from earlier runs, whatever their tasks are called", async () => {
  const journal = memoryJournal();
  const plan = (id: string) => ({
    planned_tasks: [
      task("first", "list"),
      { task_id: id, wait: { event: "paid" }, dependencies: ["first"] },
      task("end", "sum", { dependencies: [id] }),
    ],
  });
  const began = Date.now();
  await run(plan("paid"), { executors, journal, runId: "r" });
  await signal("r", "paid", { journal });
  await resume("r", { executors, journal });
  const asked = TaskData.parse(plan("money"));
  const behaviours = await learnBehaviours(journal, { plan: asked });
  const [waited] = behaviours.tasks?.money?.waitMs ?? [];
  expect(waited).toBeGreaterThanOrEqual(0);
  expect(waited).toBeLessThanOrEqual(Date.now() - began + 1);
  const known = { tasks: { money: { waitMs: [10_000, 30_000] } } };
  const { scenarios } = whatIf(asked, { executors, behaviours: known, samples: 2_000 });
  expect(scenarios[0]!.meanMs).toBeGreaterThan(19_000);
  expect(scenarios[0]!.meanMs).toBeLessThan(21_500);
  const { plan: estimated } = estimatePlan(asked, { executors, behaviours: known });
  expect(estimated.planned_tasks[1]?.estimate_data).toMatchObject({ duration_ms: 20_000 });
});

test("in each element one branch is drawn, as outside of lists, also in a list within", () => {
  const inner: PlannerTaskInput[] = [
    { task_id: "route", choose: { branches: [{ name: "some", condition: "${item} = 1" }], else: "rest" } },
    task("some", "fetch", { when: { condition: "${route.some}" } }),
    task("rest", "list", { when: { condition: "${route.rest}" } }),
    task("sum", "sum", { dependencies: ["some", "rest"], join: "any" }),
    task("lost", "list", { dependencies: ["some", "rest"] }),
  ];
  const element = (tasks: PlannerTaskInput[]): PlannerTaskInput => ({
    task_id: "each",
    for_each: { items: [1, 2, 3, 4, 5, 6, 7, 8], tasks },
  });
  const within: PlannerTaskInput = { task_id: "in", for_each: { items: [1], as: "one", tasks: inner } };
  for (const tasks of [inner, [within]]) {
    const behaviours = { tasks: { route: { branches: { some: 3, rest: 1 } } } };
    const options = { executors, behaviours, concurrency: 1, samples: 1_000 };
    const { meanMs, p50Ms, p95Ms, spends } = whatIf({ planned_tasks: [element(tasks)] }, options).scenarios[0]!;
    expect(spends).toMatchObject({ calls: 16, tokens: 160 });
    // Eight times 20 ms, and 50 ms in three of four, 100 ms in one.
    expect(meanMs).toBeGreaterThan(650);
    expect(meanMs).toBeLessThan(670);
    expect(p50Ms).toBeLessThan(p95Ms);
  }
  const unless = [
    task("some", "fetch", { when: { condition: "${item} = 1" }, estimate_data: { run_probability: 0.25 } }),
  ];
  const { spends } = whatIf({ planned_tasks: [element(unless)] }, { executors, samples: 2_000 }).scenarios[0]!;
  expect(spends.calls).toBeGreaterThan(1.9);
  expect(spends.calls).toBeLessThan(2.1);
});
