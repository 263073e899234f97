import { TaskData } from "@planloom/plan";
import { approve, defineTool, memoryJournal, resume, toolExecutor } from "@planloom/runtime";
import { Planloom, type PlanloomOptions } from "planloom";
import { expect, test } from "vitest";

const plan = TaskData.parse({
  planned_tasks: [
    { task_id: "a", execution_type: "tool", tool_id: "look", approval: "required" },
    { task_id: "b", execution_type: "tool", tool_id: "pay", dependencies: ["a"] },
  ],
});

/** A run that waits at `a`, begun by an instance with `before`. */
async function waiting(before: PlanloomOptions = {}) {
  const journal = memoryJournal();
  const state = { paid: 0 };
  const tools = [
    defineTool({ id: "look", description: "", execute: () => 1 }),
    defineTool({ id: "pay", description: "", execute: () => ++state.paid }),
  ];
  await new Planloom({ tools, journal, ...before }).run(plan, { runId: "r" });
  await approve("r", "a", { journal });
  return { journal, state, tools };
}

const stricter: readonly [name: string, options: PlanloomOptions, end: string][] = [
  ["gates", { approval: { resources: ["pay"] } }, "waiting_approval"],
  ["budgets of a resource", { budgets: { resources: { pay: { calls: 0 } } } }, "budget"],
  ["budgets of the run", { budgets: { run: { calls: 1 } } }, "budget"],
  ["guards", { guards: { tools: { pay: 0 } } }, "failed"],
  [
    "preconditions",
    { guards: { precondition: ({ resource }) => (resource.id === "pay" ? "closed" : undefined) } },
    "failed",
  ],
];

test.for(stricter)("stricter %s of an instance reach a run that is resumed, or forked", async ([, options, end]) => {
  for (const door of ["resume", "fork"] as const) {
    const { journal, state, tools } = await waiting({ budgets: { run: { calls: 9 } }, guards: { total: 9 } });
    const after = new Planloom({ tools, journal, ...options });
    if (door === "fork") await new Planloom({ tools, journal }).resume("r");
    const result = await (door === "resume" ? after.resume("r") : after.fork("r", "b"));
    expect(result.end_reason, door).toBe(end);
    expect(state.paid, door).toBe(door === "resume" ? 0 : 1);
  }
});

test("what the run was begun with holds where it is stricter; nothing makes a gate go", async () => {
  const { journal, state, tools } = await waiting({ approval: { resources: ["pay"] }, budgets: { run: { calls: 1 } } });
  const lax = new Planloom({ tools, journal, budgets: { run: { calls: 99 } }, approval: { resources: [] } });
  expect((await lax.resume("r")).end_reason).toBe("waiting_approval");
  expect((await lax.resume("r", { approval: { resources: [] } })).end_reason).toBe("waiting_approval");
  await approve("r", "b", { journal });
  expect((await lax.resume("r")).end_reason).toBe("budget");
  // Whoever resumes may raise a budget by giving it there.
  expect((await lax.resume("r", { budgets: { run: { calls: 2 } } })).end_reason).toBe("completed");
  expect(state.paid).toBe(1);
});

test("a misspelt gate of an instance is refused when a run is resumed", async () => {
  const { journal, tools } = await waiting();
  const misspelt = new Planloom({ tools, journal, approval: { resources: ["pya"] } });
  await expect(misspelt.resume("r")).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
});

test("each limit by itself: the lower one holds", async () => {
  const { journal, tools } = await waiting({ limits: { resources: { pay: 1, look: 7 } }, concurrency: 2 });
  const atLeast = { limits: { resources: { pay: 5, look: 3 }, kinds: { llm: 2 } }, concurrency: 8 };
  expect((await resume("r", { journal, executors: [toolExecutor(tools)], atLeast })).end_reason).toBe("completed");
  const { certificate } = await journal.getRun("r");
  const limits = { concurrency: 2, kinds: { llm: 2 }, resources: { "tool:pay": 1, "tool:look": 3 } };
  expect(certificate?.limits).toEqual(limits);
});
