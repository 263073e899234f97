import { deepStrictEqual, ok } from "node:assert/strict";
import type { Journal, StoredSignal, StoredWait } from "@planloom/runtime";
import { fits, refuses, same } from "./check.ts";
import { type JournalCheck, owner, record, storedRun } from "./samples.ts";

type Waiting = Required<
  Pick<Journal, "keepWaits" | "getWaits" | "addSignal" | "getSignals" | "takeSignals" | "claimDueRuns" | "nextDue">
>;

const names = [
  "keepWaits",
  "getWaits",
  "addSignal",
  "getSignals",
  "takeSignals",
  "claimDueRuns",
  "nextDue",
] as const satisfies readonly (keyof Waiting)[];

function keepsWaits(journal: Journal): journal is Journal & Waiting {
  const there = names.filter((name) => journal[name] !== undefined);
  ok(
    there.length === 0 || there.length === names.length,
    `Expected all of ${names.join(", ")} or none, got ${there.join(", ")}.`,
  );
  return there.length > 0;
}

/** A case of journals that keep waits; of any other the promise is kept. */
const ofWaiting =
  (check: (given: { journal: Journal & Waiting; other: Journal & Waiting }) => Promise<void>): JournalCheck =>
  async ({ journal, another }) => {
    const other = await another();
    if (keepsWaits(journal) && keepsWaits(other)) await check({ journal, other });
  };

const at = Date.parse("2025-01-01T00:00:00.000Z");
const time = (ms: number) => new Date(at + ms).toISOString();
const wait = (id: string, rest: Partial<StoredWait> = {}): StoredWait => ({
  id,
  content_hash: "h",
  begun_at: at,
  ...rest,
});
const signalOf = (id: string, rest: Partial<StoredSignal> = {}): StoredSignal => ({
  id,
  event: "e",
  key: "",
  data: { text: "ü\u0000" },
  sent_at: time(0),
  ...rest,
});

/** A run that waits, and that no process executes. */
async function asleep(journal: Journal & Waiting, runId: string, waits: readonly StoredWait[]): Promise<void> {
  await journal.createRun(storedRun(runId), owner("o"));
  await journal.keepWaits(runId, owner("o"), { put: waits, remove: [] });
  await journal.endRun(runId, owner("o"), "waiting");
}

const claim = { limit: 10, holdMs: 1_000 };

const keeps = ofWaiting(async ({ journal, other }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  const [a, b] = [wait("a", { due_at: at + 5 }), wait("ä/b[1]", { event: "e", key: "k", polls: 2 })];
  await journal.keepWaits("r", owner("o"), { put: [a, b], remove: [] });
  same(await other.getWaits("r"), [a, b]);
  const later = { ...a, due_at: at + 9 };
  await journal.keepWaits("r", owner("o"), { put: [later], remove: [b.id, "none"] });
  same(await other.getWaits("r"), [later]);
  await refuses(journal.keepWaits("r", owner("p"), { put: [b], remove: [] }), "LEASE_LOST");
  await refuses(journal.getWaits("x"), "RUN_NOT_FOUND");
  await journal.endRun("r", owner("o"), "waiting");
  await journal.deleteRun("r");
  deepStrictEqual(await journal.nextDue(), undefined, "Expected the waits of a deleted run to go with it.");
});

const claims = ofWaiting(async ({ journal, other }) => {
  await asleep(journal, "late", [wait("a", { due_at: at + 20 })]);
  await asleep(journal, "early", [wait("a", { due_at: at + 10 }), wait("b", { due_at: at + 15 })]);
  await asleep(journal, "never", [wait("a", { event: "e", key: "" })]);
  deepStrictEqual(await other.nextDue(), at + 10);
  same(await journal.claimDueRuns({ ...claim, now: at + 9 }), []);
  const both = [
    { run_id: "early", due_at: at + 10 },
    { run_id: "late", due_at: at + 20 },
  ];
  same(await journal.claimDueRuns({ ...claim, now: at + 20, limit: 1 }), both.slice(0, 1), "Expected the longest due.");
  same(await other.claimDueRuns({ ...claim, now: at + 20 }), both.slice(1), "Expected nothing that is claimed.");
  same(await other.claimDueRuns({ ...claim, now: at + 900 }), []);
  same(await other.claimDueRuns({ ...claim, now: at + 1_020 }), both, "Expected claims to end after `holdMs`.");
});

const claimsOwn = ofWaiting(async ({ journal, other }) => {
  const due = [wait("a", { due_at: at })];
  const run = (id: string, metadata?: Readonly<Record<string, unknown>>) => {
    const stored = storedRun(id);
    return metadata === undefined ? stored : { ...stored, options: { ...stored.options, metadata } };
  };
  const runs = [
    run("first"),
    run("theirs", { via: "other" }),
    run("ours", { via: "us", n: 1 }),
    run("ours too", { via: "us" }),
  ];
  for (const each of runs) {
    await journal.createRun(each, owner("o"));
    await journal.keepWaits(each.run_id, owner("o"), { put: due, remove: [] });
    await journal.endRun(each.run_id, owner("o"), "waiting");
  }
  const ids = async (claiming: ReturnType<typeof journal.claimDueRuns>) => (await claiming).map(({ run_id }) => run_id);
  const metadata = { via: "us" };
  same(await ids(journal.claimDueRuns({ ...claim, now: at, metadata, limit: 1 })), ["ours"]);
  same(await ids(other.claimDueRuns({ ...claim, now: at, metadata })), ["ours too"]);
  same(
    await ids(other.claimDueRuns({ ...claim, now: at })),
    ["first", "theirs"],
    "Expected the others to be left to be claimed.",
  );
});

const claimsOpen = ofWaiting(async ({ journal }) => {
  const due = [wait("a", { due_at: at })];
  for (const status of ["completed", "failed", "cancelled"] as const) {
    await journal.createRun(storedRun(status), owner("o"));
    await journal.keepWaits(status, owner("o"), { put: due, remove: [] });
    await journal.endRun(status, owner("o"), status);
  }
  await journal.createRun(storedRun("running"), owner("o"));
  await journal.keepWaits("running", owner("o"), { put: due, remove: [] });
  await asleep(journal, "asleep", due);
  same(await journal.claimDueRuns({ ...claim, now: at }), [{ run_id: "asleep", due_at: at }]);
  await journal.endRun("running", owner("o"), "drained");
  same(await journal.claimDueRuns({ ...claim, now: at }), [{ run_id: "running", due_at: at }]);
});

const opensDue = ofWaiting(async ({ journal, other }) => {
  await asleep(journal, "r", [wait("a", { due_at: at + 10 })]);
  await refuses(journal.openRun("r", owner("p"), { ifDueBy: at + 9 }), "NOT_DUE");
  fits(await journal.getRun("r"), { status: "waiting" });
  await journal.openRun("r", owner("p"), { ifDueBy: at + 10 });
  await refuses(other.openRun("r", owner("q"), { ifDueBy: at + 10 }), "RUN_LEASED");
  await journal.keepWaits("r", owner("p"), { put: [], remove: ["a"] });
  await journal.endRun("r", owner("p"), "completed");
  await refuses(other.openRun("r", owner("q"), { ifDueBy: at + 10 }), "NOT_DUE");
  fits(await journal.getRun("r"), { status: "completed" });
});

/** A journal need not read it, and what it reads has to be all there is. */
const takesOver = ofWaiting(async ({ journal, other }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.recordNested("r", owner("o"), [{ path: ["a"], scope: "s", record: record("inner") }]);
  await journal.beginCalls("r", owner("o"), [
    { path: [], task_id: "b", usage: { calls: 1, tokens: 0, cost: 0, seconds: 0 } },
  ]);
  await journal.addAnswer("r", { task_id: "a", content_hash: "h", answer: "approve", answered_at: time(1) });
  await journal.keepWaits("r", owner("o"), { put: [wait("a", { due_at: at }), wait("b", { event: "e" })], remove: [] });
  await other.addSignal("r", signalOf("1"));
  await journal.endRun("r", owner("o"), "waiting");
  const known = await other.getRun("r");
  const { run, takenOver } = await other.openRun("r", owner("p"), { known });
  same(run.plan, known.plan);
  deepStrictEqual(run.status, "running");
  if (takenOver === undefined) return;
  same(takenOver, {
    nested: await other.getNestedTasks("r"),
    pending: await other.getPendingUsage("r"),
    answers: await other.getAnswers("r"),
    waits: await other.getWaits("r"),
    signals: await other.getSignals("r"),
  });
});

const signals = ofWaiting(async ({ journal, other }) => {
  await asleep(journal, "r", [wait("a", { event: "e", key: "k", due_at: at + 100 })]);
  same(await journal.addSignal("r", signalOf("1")), { added: true, signal: signalOf("1"), awaited: false });
  const awaited = signalOf("2", { key: "k", by: "ä" });
  same(await other.addSignal("r", awaited), { added: true, signal: awaited, awaited: true });
  fits(await other.addSignal("r", signalOf("2", { data: "other" })), { added: false, signal: { data: awaited.data } });
  same(await journal.getSignals("r"), [signalOf("1"), awaited]);
  same(await journal.claimDueRuns({ ...claim, now: at }), [{ run_id: "r", due_at: at }]);
  await refuses(journal.addSignal("x", signalOf("1")), "RUN_NOT_FOUND");
  await journal.openRun("r", owner("p"));
  await journal.endRun("r", owner("p"), "completed");
  await refuses(journal.addSignal("r", signalOf("3")), "RUN_ENDED", { run_id: "r", status: "completed" });
});

const takes = ofWaiting(async ({ journal, other }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  for (const id of ["1", "2", "3"]) await other.addSignal("r", signalOf(id, { data: id, sent_at: time(10) }));
  const [a, b] = [wait("a", { event: "e", key: "" }), wait("b", { event: "e", key: "" })];
  const early = wait("early", { event: "e", key: "", due_at: at + 9 });
  const inTime = wait("in time", { event: "e", key: "", due_at: at + 10 });
  const elsewhere = [
    wait("c", { event: "e", key: "k" }),
    wait("d", { event: "f", key: "" }),
    wait("t", { due_at: at }),
  ];
  await journal.keepWaits("r", owner("o"), { put: [early, a], remove: [] });
  fits(await journal.takeSignals("r", owner("o"), [early, ...elsewhere, a]), [{ id: "1", data: "1", taken_by: "a" }]);
  fits(await journal.takeSignals("r", owner("o"), [b, a]), [
    { id: "2", taken_by: "b" },
    { id: "1", taken_by: "a" },
  ]);
  fits(await journal.takeSignals("r", owner("o"), [inTime]), [{ id: "3", taken_by: "in time" }]);
  fits(await other.getSignals("r"), [{ taken_by: "a" }, { taken_by: "b" }, { taken_by: "in time" }]);
  await refuses(journal.takeSignals("r", owner("p"), [a]), "LEASE_LOST");
});

const early = ofWaiting(async ({ journal }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.addSignal("r", signalOf("1", { sent_at: time(5) }));
  await journal.keepWaits("r", owner("o"), {
    put: [wait("a", { event: "e", key: "", due_at: at + 100 }), wait("b", { event: "e", key: "", due_at: at + 4 })],
    remove: [],
  });
  await journal.endRun("r", owner("o"), "waiting");
  // `b` is due by its deadline, since the signal came after it.
  deepStrictEqual(await journal.nextDue(), at + 4);
  same(await journal.claimDueRuns({ ...claim, now: at + 5 }), [{ run_id: "r", due_at: at + 4 }]);
});

const schemas = ofWaiting(async ({ journal, other }) => {
  if (journal.getSignalSchemas === undefined) return;
  const schema = { type: "object", required: ["n"] };
  const tasks = [
    { task_id: "a", wait: { event: "e", schema } },
    { task_id: "b", wait: { event: "e", schema } },
    { task_id: "c", wait: { event: "any", schema } },
    { task_id: "d", wait: { event: "any" } },
  ].map((task) => ({ ...storedRun("r").plan.planned_tasks[0]!, ...task }));
  const run = storedRun("r");
  await journal.createRun({ ...run, plan: { ...run.plan, planned_tasks: tasks } }, owner("o"));
  for (const each of [journal, other, journal]) same(await each.getSignalSchemas?.("r", "e"), [schema]);
  for (const event of ["any", "none", "ü\u0000"]) same(await other.getSignalSchemas?.("r", event), []);
  await refuses(journal.getSignalSchemas("x", "e"), "RUN_NOT_FOUND");
});

const pending = ofWaiting(async ({ journal, other }) => {
  if (journal.getPendingSignals === undefined) return;
  await journal.createRun(storedRun("r"), owner("o"));
  const name = { event: "ü\u0000", key: "k\\" };
  await other.addSignal("r", signalOf("1"));
  await other.addSignal("r", signalOf("2", name));
  await other.addSignal("r", signalOf("3", name));
  await journal.takeSignals("r", owner("o"), [wait("a", { event: "e", key: "" })]);
  same(await journal.getPendingSignals("r"), [name]);
  await journal.takeSignals("r", owner("o"), [wait("b", name), wait("c", name), wait("d", name)]);
  same(await other.getPendingSignals?.("r"), []);
  await refuses(journal.getPendingSignals("x"), "RUN_NOT_FOUND");
});

const eachDue = ofWaiting(async ({ journal }) => {
  const waiting = ["a", "b", "c"].map((id) => wait(id, { event: "e", key: "" }));
  await asleep(journal, "r", waiting);
  // All in one millisecond: each is for a wait of its own.
  const sent = [];
  for (const id of ["1", "2", "3", "4"]) sent.push((await journal.addSignal("r", signalOf(id))).awaited);
  deepStrictEqual(sent, [true, true, true, false], "Expected the fourth signal to be for none of three waits.");
  await journal.openRun("r", owner("p"));
  fits(await journal.takeSignals("r", owner("p"), waiting), [{ id: "1" }, { id: "2" }, { id: "3" }]);
});

const atOnce = ofWaiting(async ({ journal, other }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  const sent = await Promise.all(
    Array.from({ length: 40 }, (_, number) =>
      (number % 2 === 0 ? journal : other).addSignal("r", signalOf(String(number % 20))),
    ),
  );
  deepStrictEqual(sent.filter(({ added }) => added).length, 20, "Expected one signal of each id.");
  await Promise.all(
    Array.from({ length: 10 }, (_, number) => asleep(journal, `r${number}`, [wait("a", { due_at: at })])),
  );
  const claimed = await Promise.all(
    [journal, other, journal, other].map((each) => each.claimDueRuns({ ...claim, limit: 4, now: at })),
  );
  const ids = claimed.flat().map(({ run_id }) => run_id);
  deepStrictEqual(new Set(ids).size, ids.length, "Expected each run to be given to one process.");
  deepStrictEqual(ids.length, 10);
});

/** Of journals that keep waits and signals. */
export const waitChecks: readonly (readonly [string, JournalCheck])[] = [
  ["keepWaits, getWaits: in the place of those of the same id, and gone with the run", keeps],
  ["claimDueRuns: due longest first, each given to one process for a while", claims],
  ["claimDueRuns: runs that have not ended and that nobody executes", claimsOpen],
  ["claimDueRuns: with `metadata` those runs alone, and the others stay free", claimsOwn],
  ["openRun: with `ifDueBy` only where something is due", opensDue],
  ["openRun: what it gives beside the records is what the methods of each give", takesOver],
  ["addSignal: once for an id, and what waits for it is due", signals],
  ["takeSignals: the oldest of its event and key that was sent in time, and the same again", takes],
  ["keepWaits: a signal that is there already makes a wait due", early],
  ["getSignalSchemas: those of the waits for an event, unless one takes any data", schemas],
  ["getPendingSignals: what the signals are for that no task has taken", pending],
  ["addSignal: signals of one millisecond are each for another wait", eachDue],
  ["claimDueRuns, addSignal: of several processes at once", atOnce],
];
