import { deepStrictEqual, ok } from "node:assert/strict";
import { type Journal, type LimitStore, run, verifyRun } from "@planloom/runtime";
import { refuses, same } from "./check.ts";
import { type JournalCheck, owner, plan, record, storedRun } from "./samples.ts";

const finds: JournalCheck = async ({ journal }) => {
  if (journal.findRuns === undefined) return;
  for (const id of ["ab2", "ab", "ab1", "c_%"]) await journal.createRun(storedRun(id), owner("o"));
  same(await journal.findRuns("ab"), ["ab", "ab1", "ab2"]);
  same(await journal.findRuns("ab", { limit: 2 }), ["ab", "ab1"]);
  same(await journal.findRuns("c"), ["c_%"]);
  for (const none of ["x", "%", "_b", "AB", "ab22"]) same(await journal.findRuns(none), []);
};

const oneOutput: JournalCheck = async ({ journal }) => {
  if (journal.getOutput === undefined) return;
  const large = { rows: "x".repeat(40_000) };
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.record("r", owner("o"), [record("a", { output: large }), record("b", { output: null })]);
  same(await journal.getOutput("r", "a"), large);
  deepStrictEqual(await journal.getOutput("r", "b"), null);
  const [first, second] = await journal.getTasks("r", { outputs: "small" });
  if (first?.output === undefined) deepStrictEqual(first?.output_bytes, JSON.stringify(large).length);
  else same(first.output, large);
  deepStrictEqual(second?.output, null);
  same((await journal.getTasks("r"))[0]?.output, large, "Expected whole outputs where they are asked for.");
  await refuses(journal.getOutput("r", "c"), "TASK_NOT_FOUND");
};

const keepsLimits: JournalCheck = async ({ journal, another }) => {
  if (journal.openLimits === undefined) return;
  const one = await journal.openLimits();
  const other = (await (await another()).openLimits?.()) ?? one;
  deepStrictEqual(await one.read("a"), undefined);
  const set = await one.change((rows) => {
    deepStrictEqual(rows.get("a"), undefined);
    rows.set("a", "ä\u0000");
    deepStrictEqual(rows.get("a"), "ä\u0000", "Expected a transaction to see what it has set.");
    return "set";
  });
  deepStrictEqual(set, "set");
  deepStrictEqual(await other.read("a"), "ä\u0000");
  const failing = one.change((rows) => {
    rows.set("a", undefined);
    rows.set("b", "b");
    throw new RangeError("as asked");
  });
  await failing.then(
    () => ok(false, "Expected `change` to reject where its work throws."),
    () => {},
  );
  deepStrictEqual([await one.read("a"), await one.read("b")], ["ä\u0000", undefined], "Expected all or nothing.");
  const add = (store: LimitStore) => store.change((rows) => rows.set("n", String(Number(rows.get("n") ?? 0) + 1)));
  await Promise.all(Array.from({ length: 40 }, (_, at) => add(at % 2 === 0 ? one : other)));
  deepStrictEqual(await one.read("n"), "40", "Expected transactions one after the other.");
  await other.change((rows) => rows.set("a", undefined));
  deepStrictEqual(await one.read("a"), undefined);
  let resolveNotified = () => {};
  const isNotified = new Promise<void>((resolve) => {
    resolveNotified = resolve;
  });
  const stop = one.watch(() => resolveNotified());
  other.notify();
  if (stop !== undefined) await isNotified;
  stop?.();
  if (other !== one) await other.close();
  await one.close();
  one.notify();
};

const error = { code: "TASK_FAILED", message: "" } as const;

const events: JournalCheck = async ({ journal, another }) => {
  if (journal.addEvents === undefined || journal.getEvents === undefined) {
    ok(journal.storesEvents !== true, "Expected `storesEvents` of a journal with addEvents and getEvents alone.");
    return;
  }
  const event = (seq: number) => ({ type: "task-skip", runId: "r", seq, at: 0.5, taskId: "ä\u0000", error }) as const;
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.addEvents("r", owner("o"), [event(0), event(1)]);
  await journal.endRun("r", owner("o"), "failed");
  await journal.openRun("r", owner("p"));
  await journal.addEvents("r", owner("p"), [event(0)]);
  await refuses(lateEvents(journal), "LEASE_LOST");
  same(await (await another()).getEvents?.("r"), [event(0), event(1), event(0)]);
};

/** Events of an owner that does not hold the lease; a store that writes later refuses at the next call. */
async function lateEvents(journal: Journal): Promise<void> {
  const late = { type: "task-skip", runId: "r", seq: 2, at: 0.5, taskId: "b", error } as const;
  await journal.addEvents?.("r", owner("o"), [late]);
  await journal.getTasks("r");
  await journal.addEvents?.("r", owner("o"), []);
}

const purges: JournalCheck = async ({ journal }) => {
  const { purgeCache } = journal;
  if (purgeCache === undefined) return;
  const purge: NonNullable<Journal["purgeCache"]> = (filter) => purgeCache.call(journal, filter);
  const left = async () => {
    const kept: string[] = [];
    for (const key of ["a", "b", "c", "d"]) if ((await journal.readCache(key)) !== undefined) kept.push(key);
    return kept.join("");
  };
  const write = async () => {
    await journal.writeCache("a", { output: 1, stored_at: 10 });
    await journal.writeCache("b", { output: 1, stored_at: 20, run_id: "r" });
    await journal.writeCache("c", { output: 1, stored_at: 30, run_id: "s" });
    await journal.writeCache("d", { output: 1, stored_at: 40, run_id: "r" });
  };
  await write();
  deepStrictEqual(await purge({ storedBefore: 30, dryRun: true }), 2);
  deepStrictEqual(await left(), "abcd");
  deepStrictEqual(await purge({ storedBefore: 30, runId: "r" }), 1);
  deepStrictEqual(await left(), "acd");
  deepStrictEqual(await purge({ storedBefore: 30 }), 1);
  deepStrictEqual(await left(), "cd");
  deepStrictEqual(await purge(), 2);
  deepStrictEqual(await left(), "");
  await write();
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.endRun("r", owner("o"), "completed");
  await journal.deleteRun("r");
  deepStrictEqual(await left(), "ac", "Expected the cached outputs of a deleted run to go with it.");
};

const checksums: JournalCheck = async ({ journal }) => {
  if (journal.checkChecksums === undefined) return;
  await run(plan, { executors: [], journal, runId: "r" });
  same((await journal.checkChecksums("r")).problems, []);
  const { ok: isSound, problems } = await verifyRun(journal, "r");
  ok(isSound, `Expected an unchanged run to pass verification, got ${JSON.stringify(problems)}.`);
};

const compacts: JournalCheck = async ({ journal }) => {
  if (journal.compact === undefined) return;
  await journal.createRun(storedRun("r"), owner("o"));
  await journal.endRun("r", owner("o"), "completed");
  await journal.deleteRun("r", { compact: false });
  deepStrictEqual(typeof (await journal.compact()), "boolean");
};

const watched: JournalCheck = async ({ journal }) => {
  if (journal.watchWrites === undefined) return;
  await journal.createRun(storedRun("r"), owner("o"));
  const failures: unknown[] = [];
  const stop = journal.watchWrites("r", (error) => failures.push(error));
  deepStrictEqual(typeof stop, "function", "Expected a function that stops it.");
  await journal.record("r", owner("o"), [record("a")]);
  await journal.getTasks("r");
  stop();
  same(failures, [], "Expected no failure of writes that succeeded.");
};

/** Of methods that a journal may leave out: a journal without one has kept the promise. */
export const optionalChecks: readonly (readonly [string, JournalCheck])[] = [
  ["findRuns: the ids that begin with what a person typed", finds],
  ["getOutput: one output, and getTasks leaves large ones out on request", oneOutput],
  ["addEvents, getEvents: in order, session after session", events],
  ["purgeCache: deletes cached outputs by age and by run, and those of a run go with it", purges],
  ["checkChecksums: finds nothing wrong with a run that was not changed", checksums],
  ["compact: gives back space, or says that it could not", compacts],
  ["openLimits: rows of several processes, one transaction after the other, and watchers are notified", keepsLimits],
  ["watchWrites: watches a run until it is stopped", watched],
];
