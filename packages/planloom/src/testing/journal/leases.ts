import { deepStrictEqual } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type LeaseOwner, processOwner, releaseOwner } from "@planloom/runtime";
import { fits, refuses, same } from "./check.ts";
import { type JournalCheck, owner, plan, record, storedRun } from "./samples.ts";

const holderAlone: JournalCheck = async ({ journal }) => {
  const call = { path: ["a"], purpose: "execute" as const, request: {}, ended_at: 1, latency_ms: 1 };
  const pending = { path: [], task_id: "a", usage: { calls: 1, tokens: 0, cost: 0, seconds: 0 } };
  await journal.createRun(storedRun("r"), owner("o"));
  await refuses(journal.record("r", owner("p"), [record("a")]), "LEASE_LOST");
  const nested = { path: ["a"], scope: "s", record: record("x") };
  await refuses(journal.recordNested("r", owner("p"), [nested]), "LEASE_LOST");
  await refuses(journal.recordCalls("r", owner("p"), [call]), "LEASE_LOST");
  await refuses(journal.beginCalls("r", owner("p"), [pending]), "LEASE_LOST");
  await refuses(journal.renewLease("r", owner("p")), "LEASE_LOST");
  await refuses(journal.endRun("r", owner("p"), "completed"), "LEASE_LOST");
  const left = [
    await journal.getTasks("r"),
    await journal.getNestedTasks("r"),
    await journal.getCalls("r"),
    await journal.getPendingUsage("r"),
  ];
  same(left, [[], [], [], []], "Expected nothing to be done for an owner that does not hold the lease.");
  await journal.endRun("r", owner("o"), "completed");
  await refuses(journal.record("r", owner("o"), [record("a")]), "LEASE_LOST");
};

const cancels: JournalCheck = async ({ journal, another }) => {
  await journal.createRun(storedRun("r"), owner("o"));
  fits(await journal.renewLease("r", owner("o")), { cancel: false }, "renewLease");
  deepStrictEqual(await (await another()).requestCancel("r"), true);
  fits(await journal.renewLease("r", owner("o")), { cancel: "now" }, "renewLease");
  // What was to stop at once is not let run by a later request.
  deepStrictEqual(await (await another()).requestCancel("r", "drain"), true);
  fits(await journal.renewLease("r", owner("o")), { cancel: "now" }, "renewLease");
  await journal.endRun("r", owner("o"), "cancelled");
  deepStrictEqual(await journal.requestCancel("r"), false, "Expected false where the lease is not held.");
  await journal.openRun("r", owner("p"));
  fits(await journal.renewLease("r", owner("p")), { cancel: false }, "renewLease");
  deepStrictEqual(await journal.requestCancel("r", "drain"), true);
  fits(await journal.renewLease("r", owner("p")), { cancel: "drain" }, "renewLease");
  deepStrictEqual(await journal.requestCancel("r"), true);
  fits(await journal.renewLease("r", owner("p")), { cancel: "now" }, "renewLease");
};

const keepsOut: JournalCheck = async ({ journal, another }) => {
  const here = processOwner("here");
  try {
    await journal.createRun(storedRun("far"), owner("o"));
    await journal.createRun(storedRun("near"), here);
    for (const id of ["far", "near"]) {
      await refuses((await another()).openRun(id, owner("p")), "RUN_LEASED");
      await refuses(journal.deleteRun(id), "RUN_LEASED");
    }
  } finally {
    releaseOwner(here);
  }
};

const takenOver: JournalCheck = async ({ journal }) => {
  const dead = await deadOwner();
  await journal.createRun(storedRun("r"), dead);
  await journal.record("r", dead, [record("a")]);
  fits(await journal.listRuns(), [{ run_id: "r", status: "interrupted", completed: 1 }], "the list");
  const { run, tasks } = await journal.openRun("r", owner("p"));
  same(run.plan, plan);
  fits(tasks, [{ task_id: "a", output: { of: "a" } }], "the records");
  await refuses(journal.record("r", dead, [record("b")]), "LEASE_LOST");
  await refuses(journal.renewLease("r", dead), "LEASE_LOST");
  await refuses(journal.endRun("r", dead, "failed"), "LEASE_LOST");
  await journal.record("r", owner("p"), [record("b")]);
  deepStrictEqual((await journal.getTasks("r")).length, 2);
};

/** The owner that a process of this host was, which has ended. */
async function deadOwner(): Promise<LeaseOwner> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  const { host } = processOwner("dead");
  releaseOwner(owner("dead"));
  return { token: "dead", host, pid: child.pid ?? 0 };
}

export const leaseChecks: readonly (readonly [string, JournalCheck])[] = [
  ["only the holder of the lease may write", holderAlone],
  ["who holds the lease hears that the run is to be cancelled; the next holder does not", cancels],
  ["a live lease keeps others out, from another view too", keepsOut],
  ["the lease of a dead process is taken over, and its owner is refused from then on", takenOver],
];
