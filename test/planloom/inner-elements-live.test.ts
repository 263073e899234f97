import { defineTool, Planloom, TaskData } from "planloom";
import type { PlannerTaskInput } from "planloom/plan";
import { type Journal, markTasks, replay, verifyRun } from "planloom/runtime";
import { memoryJournal, scriptedController } from "planloom/testing";
import { expect, test } from "vitest";

const groups = [
  { name: "a", pages: [1, 2, 3] },
  { name: "b", pages: [4, 5] },
];
const inner: PlannerTaskInput[] = [
  { task_id: "title", tool_id: "title", arguments: { name: "${group.name}" } },
  {
    task_id: "in",
    tool_id: "fetch",
    arguments: { page: "${page}" },
    retry: { max_attempts: 1 },
    for_each: { items: "${group.pages}", as: "page" },
  },
  { task_id: "sum", tool_id: "join", arguments: { texts: "${in.*.text}", title: "${title}" } },
];
const plan = TaskData.parse({
  task_id: "plan",
  planned_tasks: [
    { task_id: "list", tool_id: "list" },
    { task_id: "out", for_each: { items: "${list.groups}", as: "group", result: "sum", tasks: inner } },
    { task_id: "all", tool_id: "join", arguments: { texts: "${out}" } },
    { task_id: "slow", tool_id: "slow" },
  ] satisfies PlannerTaskInput[],
});
const replies = (...tasks: PlannerTaskInput[]) =>
  scriptedController(
    tasks.map((task) => ({ phase1: { success: true, data: { tasks: [{ execution_type: "tool", ...task }] } } })),
  );
const again = { task_id: "again", tool_id: "mirror", arguments: { page: "${group.pages[0]}" } };

type Controller = ReturnType<typeof replies>;

/** A `Planloom` for the plan, and the calls that are made; `slow` ends with `end`. */
function parts(journal: Journal, controller: Controller, fails: readonly unknown[] = []) {
  const calls: string[] = [];
  const noted = (id: string, give: (input: Record<string, unknown>) => unknown, args: string) =>
    defineTool({
      id,
      description: "",
      readOnly: true,
      execute(input: Record<string, unknown>) {
        calls.push(`${id} ${JSON.stringify(input[args])}`);
        return give(input);
      },
    });
  const end = Promise.withResolvers<void>();
  const fetch = ({ page }: Record<string, unknown>) => {
    if (fails.includes(page)) throw new Error(`no page ${String(page)}`);
    return { text: `p${String(page)}` };
  };
  const tools = [
    defineTool({ id: "list", description: "", readOnly: true, execute: () => ({ groups }) }),
    noted("title", ({ name }) => String(name).toUpperCase(), "name"),
    noted("fetch", fetch, "page"),
    noted("mirror", ({ page }) => ({ text: `m${String(page)}` }), "page"),
    noted("join", ({ texts }) => texts, "texts"),
    defineTool({
      id: "slow",
      description: "",
      readOnly: true,
      async execute(_: unknown, { signal }) {
        signal.addEventListener("abort", () => end.resolve());
        await end.promise;
        return null;
      },
    }),
  ];
  const planloom = new Planloom({ tools, journal, controller, concurrency: 2, planner: { maxAttempts: 1 } });
  return { planloom, calls, end };
}

const policy = { runId: "live", replanPolicy: { on: ["marked" as const], maxReplans: 9 } };

/**
 * Executes the plan with a task beside it that goes on until each of the marks was answered. The first are set as soon as `out` starts, the
 * others once the first change is asked for. `calls` are those after that.
 */
async function markedRun(
  [first, ...later]: readonly (readonly string[])[],
  controller: Controller,
  { fails = [], journal = memoryJournal() }: { readonly fails?: readonly number[]; readonly journal?: Journal } = {},
) {
  const { planloom, calls, end } = parts(journal, controller, fails);
  await using _ = planloom;
  const marked: Promise<unknown>[] = [];
  const mark = (runId: string, ids: readonly string[]) => {
    const kept = markTasks(runId, ids, { journal });
    // Where its journal dies the run says so.
    kept.catch(() => {});
    marked.push(kept);
  };
  const refused: string[] = [];
  let unanswered = 1 + later.length;
  const answer = () => {
    if (--unanswered === 0) end.resolve();
  };
  planloom.on("task-start", ({ runId, taskId }) => {
    if (taskId === "out") mark(runId, first!);
  });
  planloom.on("patch-request", ({ runId, replan }) => {
    if (replan === 1) calls.length = 0;
    for (const ids of later.splice(0)) mark(runId, ids);
  });
  planloom.on("patch-apply", ({ reason }) => {
    if (reason?.includes("of its own from here on") !== true) answer();
  });
  planloom.on("patch-refuse", ({ message }) => {
    refused.push(message);
    answer();
  });
  const result = await planloom.run(plan, policy).finally(end.resolve);
  await Promise.all(marked);
  const output = result.results.findLast(({ task_id }) => task_id.startsWith("all"))?.output;
  expect(await verifyRun(journal, "live")).toMatchObject({ ok: true, problems: [] });
  expect((await replay("live", { journal })).divergence).toBeUndefined();
  return { result, calls, refused, output };
}

test.each([
  [
    "out[0]/in[1]",
    again,
    ["mirror 1", 'join ["p1","m1","p3"]'],
    [
      ["p1", "m1", "p3"],
      ["p4", "p5"],
    ],
  ],
  [
    "out[1]/in",
    { ...again, arguments: { page: "${page}" }, for_each: { items: "${group.pages}", as: "page" } },
    ["mirror 4", "mirror 5", 'join ["m4","m5"]'],
    [
      ["p1", "p2", "p3"],
      ["m4", "m5"],
    ],
  ],
  [
    "out[0]/sum",
    { task_id: "again", tool_id: "join", arguments: { texts: "${title}" } },
    ['join "A"'],
    ["A", ["p4", "p5"]],
  ],
])(
  "%s is replaced while the run goes on: this and what reads it is done again, and nothing else",
  async (mark, task, expected, all) => {
    const { result, calls, output } = await markedRun([[mark]], replies(task as PlannerTaskInput));
    expect(result).toMatchObject({ end_reason: "completed", replanned: true });
    expect(calls).toEqual([...expected, `join ${JSON.stringify(all)}`]);
    expect(output).toEqual(all);
  },
);

test("what is marked while another change of the list is asked for is replaced in the list that takes its place", async () => {
  const { calls, output } = await markedRun(
    [["out[0]/in[1]"], ["out[1]/in[0]", "out[0]/title"]],
    replies(again, again, { ...again, task_id: "renamed", arguments: { page: "${group.pages[1]}" } }),
  );
  expect(output).toEqual([
    ["p1", "m1", "p3"],
    ["m4", "p5"],
  ]);
  expect(calls.filter((call) => !call.startsWith("join"))).toEqual(["mirror 1", "mirror 2", "mirror 4"]);
});

test("what is marked within an element that has a task of its own meanwhile stays as it ended where no replacement is found", async () => {
  const { calls, output, refused } = await markedRun(
    [["out[0]/in[1]"], ["out[1]/in[0]"]],
    replies(again, { task_id: "again", tool_id: "nothing" }),
  );
  expect(refused).toHaveLength(1);
  expect(output).toEqual([
    ["p1", "m1", "p3"],
    ["p4", "p5"],
  ]);
  expect(calls.filter((call) => !call.startsWith("join"))).toEqual(["mirror 1"]);
});

test("of an element that failed what is completed is kept, and the failure is shown", async () => {
  const controller = replies(again);
  const { calls, output } = await markedRun([["out[0]/in[1]"]], controller, { fails: [2] });
  expect(calls).toEqual(["mirror 1", 'join ["p1","m1","p3"]', 'join [["p1","m1","p3"],["p4","p5"]]']);
  expect(output).toEqual([
    ["p1", "m1", "p3"],
    ["p4", "p5"],
  ]);
  const [asked] = controller.requests;
  expect(asked?.phase === 1 && asked.request.replan?.tasks).toMatchObject([
    { task: { tool_id: "fetch", arguments: { page: "${group.pages[1]}" } }, failure: { message: "no page 2" } },
  ]);
});

test.each([
  ["out[0]/in[1]", []],
  ["out[0]/in[1]", [2]],
  ["out[1]", [1, 4]],
])("where no replacement is found for %s its element stays as it ended (pages %j fail)", async (mark, fails) => {
  const controller = replies({ task_id: "again", tool_id: "nothing" });
  const { calls, refused, result } = await markedRun([[mark]], controller, { fails });
  expect(refused).toEqual([expect.stringMatching(/Tool not available: nothing/)]);
  expect(calls).toEqual(fails.length === 0 ? ['join [["p1","p2","p3"],["p4","p5"]]'] : []);
  expect(result.end_reason).toBe(fails.length === 0 ? "completed" : "failed");
});

test("an element that failed, and for which no replacement was found, is tried again without what is completed in it", async () => {
  const journal = memoryJournal();
  const none = replies({ task_id: "again", tool_id: "nothing" });
  const { result } = await markedRun([["out[0]"]], none, { fails: [2], journal });
  expect(result.end_reason).toBe("failed");
  const { planloom, calls, end } = parts(journal, replies());
  await using _ = planloom;
  end.resolve();
  expect(await planloom.resume("live")).toMatchObject({ end_reason: "completed" });
  // Page 3 may have been kept from starting by the failure of page 2.
  expect(calls.filter((call) => call !== "fetch 3")).toEqual([
    "fetch 2",
    'join ["p1","p2","p3"]',
    'join [["p1","p2","p3"],["p4","p5"]]',
  ]);
  expect(await verifyRun(journal, "live")).toMatchObject({ ok: true, problems: [] });
  expect((await replay("live", { journal })).divergence).toBeUndefined();
});

test.each([
  ["out[7]/in[1]", /list of task "out" has 2/],
  ["out[0]/in[9]", /list of task "in" has 3/],
])("%s, which is not there, is refused with what is wrong", async (mark, why) => {
  const { refused, output } = await markedRun([[mark]], replies(again));
  expect(output).toEqual([
    ["p1", "p2", "p3"],
    ["p4", "p5"],
  ]);
  expect(refused).toEqual([expect.stringMatching(why)]);
});

/** The journal of a process that dies at its write number `left`: this and what comes later is not written. */
function diesAt(journal: Journal, left: number): { readonly journal: Journal; isDead(): boolean } {
  let writes = 0;
  const isWrite = (name: string | symbol) => /^(record|begin|add|end)/.test(String(name));
  const proxy = new Proxy(journal, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (isWrite(name)) writes++;
        return writes > left ? Promise.reject(new Error("the process is gone")) : Reflect.apply(value, target, given);
      };
    },
  });
  return { journal: proxy, isDead: () => writes > left };
}

/** What is recorded of a call, as JSON. */
const outputOf: Readonly<Record<string, string>> = {
  'title "a"': '"A"',
  'title "b"': '"B"',
  'join ["p1","p2","p3"]': '["p1","p2","p3"]',
  'join ["p4","p5"]': '["p4","p5"]',
  ...Object.fromEntries([1, 2, 3, 4, 5].map((page) => [`fetch ${page}`, `{"text":"p${page}"}`])),
};

test.each(["out[0]", "out[0]/in[1]"])(
  "a process that dies at any of its writes while %s is replaced: what is recorded is not done again where no replacement is found",
  async (mark) => {
    const none = { task_id: "again", tool_id: "nothing" };
    for (let writes = 1, isOver = false; !isOver; writes++) {
      const journal = memoryJournal();
      const dying = diesAt(journal, writes);
      await markedRun([[mark]], replies(none), { journal: dying.journal }).catch(() => {});
      isOver = !dying.isDead();
      if (isOver) break;
      const nested = await journal.getNestedTasks("live");
      const outputs = nested.flatMap(({ record }) => (record.status === "completed" ? [record.output] : []));
      const made = (name: string) => outputs.some((output) => JSON.stringify(output) === name);
      const { planloom, calls, end } = parts(journal, replies(none, none));
      await using _ = planloom;
      end.resolve();
      const { results } = await planloom.resume("live");
      expect(calls.filter((call) => made(outputOf[call] ?? ""))).toEqual([]);
      expect(results.findLast(({ task_id }) => task_id.startsWith("all"))?.output).toEqual([
        ["p1", "p2", "p3"],
        ["p4", "p5"],
      ]);
    }
  },
);
