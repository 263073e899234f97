import { deepStrictEqual, ok } from "node:assert/strict";
import type { CallRecord, NestedRecord, TaskRecord } from "@planloom/runtime";
import { fits, refuses, same } from "./check.ts";
import { type JournalCheck, owner, record, storedRun } from "./samples.ts";

const whole: JournalCheck = async ({ journal, another }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  const error = { code: "TASK_FAILED", message: "no", details: { a: 1 } } as const;
  const failed = { status: "failed", output: undefined, error } as const;
  const records = [
    record("a", { output: null, uid: "t", input: { x: [] } }),
    record("b", { output: { text: "y".repeat(3_000_000), odd: "\u0000 ü", empty: {} } }),
    record("c", failed),
    record("d", { status: "skipped", output: undefined, input_hash: "", skipped_because: "c", attempts: 0 }),
    record("__proto__", { output: 0 }),
  ];
  await journal.record("r", owner("o"), records);
  const read = await (await another()).getTasks("r");
  const ids = read.map(({ task_id }) => task_id);
  deepStrictEqual(ids, ["a", "b", "c", "d", "__proto__"], "Expected the order in which they were first recorded.");
  for (const [at, expected] of records.entries()) {
    // A long text in a message does not help.
    ok(
      JSON.stringify(sorted(read[at])) === JSON.stringify(sorted(expected)),
      `Expected "${ids[at]}" as it was recorded.`,
    );
  }
  ok(!("output" in (read[2] ?? {})), "Expected no output of a task that has none: null is an output.");
};

const oneATask: JournalCheck = async ({ journal }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.record("r", owner("o"), [record("a", { status: "failed" })]);
  await journal.record("r", owner("o"), [record("a", { input_hash: "other" })]);
  fits(await journal.getTasks("r"), [{ task_id: "a", status: "completed" }], "the records");
};

const atomic: JournalCheck = async ({ journal }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const stored = journal.record("r", owner("o"), [record("a"), record("b", { output: cyclic })]);
  const how = await stored.then(
    () => "resolved",
    () => "rejected",
  );
  deepStrictEqual(how, "rejected", "Expected a record that is not JSON to be refused.");
  same(await journal.getTasks("r"), [], "Expected no record to be stored, since one of them could not be stored.");
};

const times: JournalCheck = async ({ journal, another }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  const timing = { ended_at: 1_700_000_000_000.123, spans: [[1, 2.5] as const, [3, 4] as const], slot_ms: 0.25 };
  const usage = { calls: 2, tokens: 5, cost: 0.25, seconds: 1.5 };
  const question = { content_hash: "c", planned_hash: "p", kind: "tool" as const };
  const records = [
    record("a", { timing, usage, asked_hash: "x", started_at: 1_700_000_000_000.001 }),
    { ...record("b", { status: "waiting_approval", uid: "t", input: { a: 1 }, question }), output: undefined },
  ];
  await journal.record("r", owner("o"), records);
  same(await (await another()).getTasks("r"), records);
};

const large: JournalCheck = async ({ journal }) => {
  const output = { text: "z".repeat(100_000) };
  for (const id of ["r", "s"]) {
    await journal.createRun(storedRun(id), owner("o"));
    await journal.record(id, owner("o"), [record("a", { output }), record("b", { output })]);
    await journal.endRun(id, owner("o"), "completed");
  }
  await journal.deleteRun("r");
  const left = (await journal.getTasks("s")).map((kept) => kept.output);
  ok(JSON.stringify(left) === JSON.stringify([output, output]), "Expected the outputs of the run that is left.");
};

const answers: JournalCheck = async ({ journal, another }) => {
  await journal.createRun(storedRun("run"), owner("t"));
  const answer = { task_id: "a", content_hash: "h", answered_at: "2025-01-01T00:00:00.000Z" };
  const first = { ...answer, answer: "deny" as const, note: "ü", by: "Ann" };
  const second = { ...answer, answer: "approve" as const, uid: "x", input: { amount: 5 }, edited_from: "g" };
  await journal.addAnswer("run", first);
  await (await another()).addAnswer("run", second);
  same(await journal.getAnswers("run"), [first, second]);
  // A journal may give them all, whatever it is asked for; then it gives none in another order.
  const [last] = (await (await another()).getAnswers("run", { after: 1 })).slice(-1);
  same([last], [second]);
  await refuses(journal.addAnswer("nope", first), "RUN_NOT_FOUND");
  if (journal.addAnswers === undefined) return;
  ok(
    (await journal.addAnswers("run", [first, second], 1)) === false,
    "Expected false: there are two answers, not one.",
  );
  ok(
    (await (await another()).addAnswers?.("run", [second, first], 2)) === true,
    "Expected true: there are two answers.",
  );
  same(await journal.getAnswers("run"), [first, second, second, first]);
  await refuses(journal.addAnswers("nope", [first], 0), "RUN_NOT_FOUND");
};

const cached: JournalCheck = async ({ journal, another }) => {
  deepStrictEqual(await journal.readCache("k"), undefined);
  const output = { text: "ü\u0000".repeat(200_000), nothing: null };
  await journal.writeCache("k", { output: 1, stored_at: 1 });
  await journal.writeCache("k", { output, stored_at: 2.5 });
  await journal.writeCache("of", { output: 1, stored_at: 3, run_id: "r" });
  same(await journal.readCache("of"), { output: 1, stored_at: 3, run_id: "r" });
  for (const view of [journal, await another()]) {
    const read = await view.readCache("k");
    ok(
      JSON.stringify(read) === JSON.stringify({ output, stored_at: 2.5 }),
      "Expected the last output of the key, whole.",
    );
  }
};

const underWay: JournalCheck = async ({ journal }) => {
  await journal.createRun(storedRun("run"), owner("t"));
  const usage = { calls: 1, tokens: 50, cost: 0, seconds: 1 };
  const of = (task_id: string, path: string[] = [], scope?: string) => ({
    path,
    ...(scope !== undefined && { scope }),
    task_id,
    uid: "u",
    usage,
  });
  const begun = { at: "2026-12-01T09:00:00.000Z", attempt: 1, uid: "u" };
  await journal.beginCalls("run", owner("t"), [{ ...of("a"), begun }, of("b"), of("a", ["w"], "s")]);
  const second = { ...of("a"), usage: { ...usage, calls: 2 } };
  await journal.beginCalls("run", owner("t"), [second]);
  await journal.record("run", owner("t"), [record("b")]);
  const pending = await journal.getPendingUsage("run");
  deepStrictEqual(pending.length, 2, "Expected two calls under way: the record of a task ends its own.");
  same(
    pending.find(({ path }) => path.length === 0),
    second,
    "Expected the last of the task: a note without `begun` takes the place of one that has it.",
  );
  await journal.recordNested("run", owner("t"), [{ path: ["w"], scope: "s", record: record("a") }]);
  await journal.record("run", owner("t"), [record("a")]);
  same(await journal.getPendingUsage("run"), []);
};

const modelCalls: JournalCheck = async ({ journal }) => {
  await journal.createRun(storedRun("run"), owner("t"));
  const call = (text: string): CallRecord => ({
    path: ["a"],
    purpose: "execute",
    request: { messages: [] },
    reply: { text },
    ended_at: 1,
    latency_ms: 2,
  });
  const asked: CallRecord = { path: [], purpose: "replan", request: {}, ended_at: 3, latency_ms: 0 };
  await journal.recordCalls("run", owner("t"), [call("one"), call("two")]);
  await journal.recordCalls("run", owner("t"), [call("three"), asked]);
  same(await journal.getCalls("run"), [call("one"), call("two"), call("three"), asked]);
  same(await journal.getCalls("run", { purposes: ["replan", "propose"] }), [asked]);
};

const nestedApart: JournalCheck = async ({ journal }) => {
  await journal.createRun(storedRun("run"), owner("t"));
  const nested = (path: string[], scope: string, status: TaskRecord["status"] = "completed"): NestedRecord => ({
    path,
    scope,
    record: record("x", { status }),
  });
  await journal.recordNested("run", owner("t"), [nested(["a"], "s", "failed"), nested(["a", "b"], "s")]);
  await journal.recordNested("run", owner("t"), [nested(["a"], "s2"), nested(["a"], "s")]);
  same(await journal.getNestedTasks("run"), [nested(["a"], "s"), nested(["a", "b"], "s"), nested(["a"], "s2")]);
  same(await journal.getTasks("run"), []);
};

function sorted(value: unknown): unknown {
  return Object.fromEntries(Object.entries(value ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const recordChecks: readonly (readonly [string, JournalCheck])[] = [
  ["keeps records whole: nulls, empties, large and odd values", whole],
  ["one record a task: what completed replaces what failed, with any input", oneATask],
  ["stores a batch whole or not at all", atomic],
  ["keeps times, usage and questions of tasks", times],
  ["one large output of many tasks and runs, whole for each, gone with the last", large],
  ["keeps people's answers in order, for every process", answers],
  ["keeps outputs by key, whole, the last one", cached],
  ["keeps what calls may use until their task is recorded", underWay],
  ["keeps model calls in order, and gives those of some purposes", modelCalls],
  ["keeps records of nested tasks apart, by path, scope and task", nestedApart],
];
