import { deepStrictEqual, ok } from "node:assert/strict";
import { applyPatch, draftPatch, TaskData } from "@planloom/plan";
import type { StoredRevision } from "@planloom/runtime";
import { processOwner, releaseOwner } from "@planloom/runtime";
import { fits, refuses, same } from "./check.ts";
import { type JournalCheck, owner, plan, record, storedRun } from "./samples.ts";

const isolated: JournalCheck = async ({ journal }) => {
  const run = structuredClone(storedRun("run-1"));
  await journal.createRun(run, owner("o"));
  (run.plan.planned_tasks as unknown[]).length = 0;
  const read = await journal.getRun("run-1");
  same(read, storedRun("run-1"), "Expected the run as it was stored.");
  (read.plan.planned_tasks as unknown[]).length = 0;
  const again = await journal.getRun("run-1");
  deepStrictEqual(again.plan.planned_tasks.length, 2, "Expected what was handed out to be a copy.");
  const given = record("a", { output: { list: [1] } });
  await journal.record("run-1", owner("o"), [given]);
  (given.output as { list: number[] }).list.push(2);
  const [first] = await journal.getTasks("run-1");
  same(first?.output, { list: [1] }, "Expected a record as it was when it was given.");
  (first as { output: { list: number[] } }).output.list.push(3);
  same((await journal.getTasks("run-1"))[0]?.output, { list: [1] }, "Expected the record to be a copy.");
};

const largePlan: JournalCheck = async ({ journal, another }) => {
  const tasks = Array.from({ length: 2_000 }, (_, number) => ({
    task_id: `t${number}`,
    description: number === 700 ? "ü\u0000\u{1F600}".repeat(60_000) : `task ${number}`,
    dependencies: number === 0 ? [] : [`t${number - 1}`],
  }));
  const large = TaskData.parse({ task_id: "large", metadata: { revision: "" }, planned_tasks: tasks });
  await journal.createRun({ ...storedRun("r"), plan: large }, owner("o"));
  await journal.createRun({ ...storedRun("s"), plan: TaskData.parse({ task_id: "none" }) }, owner("o"));
  const other = await another();
  same((await other.getRun("r")).plan, large);
  same((await other.getRun("s")).plan.planned_tasks, []);
  await journal.endRun("r", owner("o"), "failed");
  same((await other.openRun("r", owner("p"))).run.plan, large);
  await journal.endRun("r", owner("p"), "failed");
  await journal.deleteRun("r");
  await journal.createRun(storedRun("r"), owner("o"));
  same((await other.getRun("r")).plan, plan);
};

const onceOnly: JournalCheck = async ({ journal }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  await refuses(journal.createRun(storedRun("r"), owner("p")), "RUN_EXISTS");
};

const reopened: JournalCheck = async ({ journal }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.endRun("r", owner("o"), "failed");
  deepStrictEqual((await journal.getRun("r")).status, "failed");
  deepStrictEqual((await journal.openRun("r", owner("p"))).run.status, "running");
  deepStrictEqual((await journal.getRun("r")).status, "running");
};

const certificate: JournalCheck = async ({ journal }) => {
  const claimed = {
    began_at: 1_700_000_000_000.5,
    limits: { concurrency: null, kinds: { tool: 2 }, resources: { "tool:x": 1 } },
    lower_bound_ms: 1.25,
    achieved_ms: 2.5,
    ratio: 2,
  };
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.endRun("r", owner("o"), "completed", claimed);
  same((await journal.getRun("r")).certificate, claimed);
  ok(
    !("certificate" in (await journal.openRun("r", owner("p"))).run),
    "Expected no certificate of a run that has not ended.",
  );
  await journal.endRun("r", owner("p"), "cancelled");
  ok(!("certificate" in (await journal.getRun("r"))), "Expected no certificate, none was given.");
};

const wholeIds: JournalCheck = async ({ journal }) => {
  for (const id of ["order-47", "order-4711", "c_%"]) {
    await journal.createRun(storedRun(id), owner("o"));
    await journal.endRun(id, owner("o"), "completed");
  }
  deepStrictEqual(await journal.deleteRun("order-47"), "order-47");
  for (const part of ["order-47", "o", "%", "c", "_b", "C_%", "ORDER-4711"]) {
    await refuses(journal.getRun(part), "RUN_NOT_FOUND");
    await refuses(journal.deleteRun(part), "RUN_NOT_FOUND");
  }
  const left = (await journal.listRuns()).map(({ run_id }) => run_id).sort();
  deepStrictEqual(left, ["c_%", "order-4711"]);
};

const noSuchRun: JournalCheck = async ({ journal }) => {
  await refuses(journal.getRun("nope"), "RUN_NOT_FOUND");
  await refuses(journal.openRun("nope", owner("o")), "RUN_NOT_FOUND");
  await refuses(journal.getTasks("nope"), "RUN_NOT_FOUND");
  await refuses(journal.getNestedTasks("nope"), "RUN_NOT_FOUND");
  await refuses(journal.getPendingUsage("nope"), "RUN_NOT_FOUND");
  await refuses(journal.getCalls("nope"), "RUN_NOT_FOUND");
  await refuses(journal.getAnswers("nope"), "RUN_NOT_FOUND");
  await refuses(journal.requestCancel("nope"), "RUN_NOT_FOUND");
  await refuses(journal.deleteRun("nope"), "RUN_NOT_FOUND");
  if (journal.getEvents !== undefined) await refuses(journal.getEvents("nope"), "RUN_NOT_FOUND");
  if (journal.getOutput !== undefined) await refuses(journal.getOutput("nope", "a"), "RUN_NOT_FOUND");
  if (journal.checkChecksums !== undefined) await refuses(journal.checkChecksums("nope"), "RUN_NOT_FOUND");
};

const deletesAll: JournalCheck = async ({ journal }) => {
  const usage = { calls: 1, tokens: 0, cost: 0, seconds: 0 };
  const call = { path: ["a"], purpose: "execute" as const, request: {}, ended_at: 1, latency_ms: 1 };
  const answer = { task_id: "a", content_hash: "h", answer: "deny" as const, answered_at: "2025-01-01T00:00:00.000Z" };
  await journal.createRun(storedRun("run"), owner("o"));
  await journal.record("run", owner("o"), [record("a")]);
  await journal.recordNested("run", owner("o"), [{ path: ["a"], scope: "s", record: record("x") }]);
  await journal.recordCalls("run", owner("o"), [call]);
  await journal.beginCalls("run", owner("o"), [{ path: [], task_id: "b", usage }]);
  await journal.addAnswer("run", answer);
  await journal.addRevision("run", revisionOf("b"), owner("o"));
  await refuses(journal.deleteRun("run"), "RUN_LEASED");
  await journal.endRun("run", owner("o"), "completed");
  deepStrictEqual(await journal.deleteRun("run"), "run");
  await refuses(journal.getTasks("run"), "RUN_NOT_FOUND");
  await journal.createRun(storedRun("run"), owner("o"));
  const left = [
    await journal.getTasks("run"),
    await journal.getNestedTasks("run"),
    await journal.getCalls("run"),
    await journal.getPendingUsage("run"),
    await journal.getAnswers("run"),
    (await journal.getRun("run")).revisions ?? [],
    (await journal.getEvents?.("run")) ?? [],
  ];
  same(left, [[], [], [], [], [], [], []], "Expected nothing of the deleted run in a new one of its id.");
};

const revisionOf = (taskId: string, given = plan): StoredRevision => {
  const task = given.planned_tasks.find(({ task_id }) => task_id === taskId);
  ok(task !== undefined);
  const { patch } = draftPatch(given, { tasks: [{ ...task, description: "another way", replaces: [taskId] }] });
  ok(patch !== undefined);
  return { patch, causes: [{ task_id: taskId, cause: "person" }], at: 7 };
};

const idsOf = ({ planned_tasks }: TaskData) => planned_tasks.map(({ task_id }) => task_id);

const revisions: JournalCheck = async ({ journal, another }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.record("r", owner("o"), [record("a", { status: "failed" }), record("b")]);
  const first = revisionOf("a");
  await journal.addRevision("r", first, owner("o"));
  const now = await journal.getRun("r");
  deepStrictEqual(idsOf(now.plan), ["a_2", "b"]);
  const second = revisionOf("b", now.plan);
  await journal.addRevision("r", second, owner("o"));
  const read = await (await another()).getRun("r");
  deepStrictEqual(idsOf(read.plan), ["a_2", "b_2"]);
  same(read.first_plan, plan, "Expected the plan that the run was begun with as `first_plan`.");
  same(read.revisions, [first, second]);
  fits(await journal.listRuns(), [{ tasks: 2, completed: 0, failed: 0 }], "the list");
  await journal.endRun("r", owner("o"), "failed");
  const { run, tasks } = await journal.openRun("r", owner("p"), { known: now });
  same(run.plan, read.plan, "Expected the plan as it is, and not as it was known.");
  deepStrictEqual(tasks.length, 2);
};

const revisionConflict: JournalCheck = async ({ journal, another }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  const other = await another();
  const given = [
    journal.addRevision("r", revisionOf("a"), owner("o")),
    other.addRevision("r", revisionOf("b"), owner("o")),
  ];
  const settled = await Promise.allSettled(given);
  deepStrictEqual(settled.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const refused = settled.findIndex(({ status }) => status === "rejected");
  await refuses(given[refused] ?? Promise.resolve(), "REVISION_CONFLICT", { expected: "" });
  deepStrictEqual((await journal.getRun("r")).revisions?.length, 1);
};

const laterRevisions: JournalCheck = async ({ journal }) => {
  const before = revisionOf("a");
  const changed = applyPatch(plan, before.patch);
  await journal.createRun({ ...storedRun("r"), plan: changed }, owner("o"));
  await refuses(journal.addRevision("r", revisionOf("b"), owner("o")), "REVISION_CONFLICT");
  await journal.addRevision("r", revisionOf("b", changed), owner("o"));
  deepStrictEqual(idsOf((await journal.getRun("r")).plan), ["a_2", "b_2"]);
};

const severalRevisions: JournalCheck = async ({ journal, another }) => {
  if (journal.addRevisions === undefined) return;
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.record("r", owner("o"), [record("a"), record("b")]);
  await journal.endRun("r", owner("o"), "completed");
  const first = revisionOf("a");
  const alone = revisionOf("b");
  await refuses(journal.addRevisions("r", [first, alone]), "REVISION_CONFLICT");
  same((await journal.getRun("r")).plan, plan, "Expected none of several changes where one is refused.");
  const second = revisionOf("b", applyPatch(plan, first.patch));
  await journal.addRevisions("r", [first, second]);
  const read = await (await another()).getRun("r");
  same(
    read.plan.planned_tasks.map(({ task_id }) => task_id),
    ["a_2", "b_2"],
  );
  same(read.revisions, [first, second]);
  fits(await journal.listRuns(), [{ tasks: 2, completed: 0 }], "the list");
  await refuses(journal.addRevisions("nobody", [first]), "RUN_NOT_FOUND");
};

const revisionsByHolder: JournalCheck = async ({ journal }) => {
  const here = processOwner("here");
  try {
    await journal.createRun(storedRun("r"), here);
    const given = revisionOf("a");
    await refuses(journal.addRevision("r", given), "RUN_LEASED");
    await refuses(journal.addRevision("r", given, owner("q")), "LEASE_LOST");
    await journal.endRun("r", here, "failed");
    await journal.addRevision("r", given);
    await refuses(journal.addRevision("nobody", given), "RUN_NOT_FOUND");
  } finally {
    releaseOwner(here);
  }
};

export const runChecks: readonly (readonly [string, JournalCheck])[] = [
  ["gives back what was stored, and nothing of it is shared", isolated],
  ["keeps plans of any size, tasks in order and each whole, and deletes all of them", largePlan],
  ["refuses a second run of one id", onceOnly],
  ["an ended run can be opened again", reopened],
  ["keeps what a session claims of itself until the run is opened again", certificate],
  ["reads and deletes by whole ids alone", wholeIds],
  ["knows nothing of runs that are not there", noSuchRun],
  ["deletes all of a run", deletesAll],
  ["revisions are applied to what is read, oldest first, and the first plan is kept", revisions],
  ["of two revisions made for one plan the second is refused", revisionConflict],
  ["revisions continue from the one that a plan had when its run began", laterRevisions],
  ["addRevisions: several changes are put in the plan, or none", severalRevisions],
  ["revisions come from the holder of the lease, or from anybody while no process runs it", revisionsByHolder],
];
