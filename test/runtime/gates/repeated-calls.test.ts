import { repeatText } from "@planloom/plan";
import {
  approve,
  defineTool,
  memoryJournal,
  type RunEvent,
  resume,
  run,
  toolExecutor,
  waitingFor,
} from "@planloom/runtime";
import { expect, test } from "vitest";

test("who is asked about a call that is repeated sees how often, and the yes is one to that", async () => {
  let calls = 0;
  const pay = defineTool({ id: "pay", description: "", execute: () => ({ done: ++calls === 3 }) });
  const executors = [toolExecutor([pay])];
  const journal = memoryJournal();
  const retry_until = { condition: "output.done = true", interval_ms: 0, max_polls: 5 };
  const task = { task_id: "p", tool_id: "pay", approval: "required" as const, arguments: { to: "ada" }, retry_until };
  const events: RunEvent[] = [];
  await run({ planned_tasks: [task] }, { executors, journal, runId: "r", onEvent: (event) => void events.push(event) });
  expect(events.find(({ type }) => type === "task-waiting")).toMatchObject({ retryUntil: retry_until });
  const [asked] = await waitingFor("r", { journal });
  expect(asked).toMatchObject({ input: { to: "ada" }, retry_until });
  // Another number of calls is another question, with an edited input too.
  const other = memoryJournal();
  const more = { ...task, retry_until: { ...retry_until, max_polls: 50 } };
  await run({ planned_tasks: [more] }, { executors, journal: other, runId: "r" });
  expect((await waitingFor("r", { journal: other }))[0]!.content_hash).not.toBe(asked!.content_hash);
  await approve("r", "p", { journal, input: { to: "eve" } });
  const { end_reason, results } = await resume("r", { executors, journal });
  expect([end_reason, results[0]?.input, calls]).toEqual(["completed", { to: "eve" }, 3]);
});

test("who is asked about the elements of a list sees how often calls in them are repeated, and their parameters", async () => {
  const pay = defineTool({ id: "pay", description: "", execute: () => ({ done: true }) });
  const retry_until = { condition: "output.done = true", max_polls: 5 };
  const inner = { task_id: "i", tool_id: "pay", arguments: { to: "ada" }, parameters: { mode: "now" }, retry_until };
  const list = { task_id: "l", approval: "required" as const, for_each: { items: [1], tasks: [inner] } };
  const journal = memoryJournal();
  await run({ planned_tasks: [list] }, { executors: [toolExecutor([pay])], journal, runId: "r" });
  const [asked] = await waitingFor("r", { journal });
  expect(asked?.parameters?.calls).toEqual([
    'i: tool pay {"to":"ada"} | parameters {"mode":"now"} | repeated until output.done = true, every 1 s, at most 5 times',
  ]);
});

test("who is asked about the elements of a list sees the lists, conditions, waits and decisions in it", async () => {
  const pay = defineTool({ id: "pay", description: "", execute: () => ({ done: true }) });
  const when = { condition: "${way.a}" };
  const tasks = [
    { task_id: "pause", wait: { event: "go", timeout_ms: 60_000 } },
    { task_id: "way", choose: { branches: [{ name: "a", condition: "${item} > 0" }], else: "b" } },
    { task_id: "each", tool_id: "pay", arguments: {}, when, for_each: { items: ["${item}"] } },
    { task_id: "in", when, for_each: { items: [7], tasks: [{ task_id: "i", tool_id: "pay" }] } },
  ];
  const list = { task_id: "l", approval: "required" as const, for_each: { items: [1], tasks } };
  const journal = memoryJournal();
  await run({ planned_tasks: [list] }, { executors: [toolExecutor([pay])], journal, runId: "r" });
  expect((await waitingFor("r", { journal }))[0]?.parameters?.calls).toEqual([
    "pause: waits for go, at most 1 min",
    "way: decides by conditions: a | else b",
    'each: tool pay {} | for each of ["${item}"] | only when ${way.a}',
    "in: for each of [7] | only when ${way.a}",
    "i: tool pay {}",
  ]);
});

test.for([
  [{}, "repeated until output.x, every 1 s, however often"],
  [{ interval_ms: 0, max_polls: 5 }, "repeated until output.x, at once, at most 5 times"],
  [{ interval_ms: 60_000, timeout_ms: 3_600_000 }, "repeated until output.x, every 1 min, for at most 1 h"],
  [{ interval_ms: 2_000, backoff_factor: 2 }, "repeated until output.x, after 2 s, however often"],
] as const)("how often a call is made, in words: %j", ([more, text]) => {
  expect(repeatText({ condition: "output.x", ...more })).toBe(text);
});
