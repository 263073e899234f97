import { applyPatch, draftPatch } from "@planloom/plan";
import type { Journal, StoredRevision } from "@planloom/runtime";
import { beforeEach, describe, expect, test } from "vitest";
import { processOwner } from "../../packages/runtime/src/journal/lease.ts";
import { type JournalUnderTest, owner, record, storedRun } from "./journal-subject.ts";

/** Changes of a run's plan: part of the contract of journals. */
export function revisionsContract(subject: () => JournalUnderTest): void {
  describe("revisions of a plan", () => {
    let journal: Journal;
    beforeEach(() => {
      journal = subject().journal;
    });

    const revisionOf = (taskId: string, given = storedRun("run-1").plan): StoredRevision => {
      const task = given.planned_tasks.find(({ task_id }) => task_id === taskId)!;
      const { patch } = draftPatch(given, { tasks: [{ ...task, description: "another way", replaces: [taskId] }] });
      return { patch: patch!, causes: [{ task_id: taskId, cause: "person" }], at: 7 };
    };

    test("are applied to what is read, oldest first, and the first plan is kept", async () => {
      await journal.createRun(storedRun("run-1"), owner("o"));
      await journal.record("run-1", owner("o"), [record("a", { status: "failed" }), record("b")]);
      const first = revisionOf("a");
      await journal.addRevision("run-1", first, owner("o"));
      const now = await journal.getRun("run-1");
      expect(now.plan.planned_tasks.map(({ task_id }) => task_id)).toEqual(["a_2", "b"]);
      const second = revisionOf("b", now.plan);
      await journal.addRevision("run-1", second, owner("o"));
      const read = await (await subject().another()).getRun("run-1");
      expect(read.plan.planned_tasks.map(({ task_id }) => task_id)).toEqual(["a_2", "b_2"]);
      expect(read.first_plan).toEqual(storedRun("run-1").plan);
      expect(read.revisions).toEqual([first, second]);
      expect((await journal.listRuns())[0]).toMatchObject({ tasks: 2, completed: 0, failed: 0 });
      await journal.endRun("run-1", owner("o"), "failed");
      const opened = await journal.openRun("run-1", owner("p"));
      expect(opened.run.plan).toEqual(read.plan);
      await journal.endRun("run-1", owner("p"), "failed");
      await journal.deleteRun("run-1");
      await journal.createRun(storedRun("run-1"), owner("o"));
      expect((await journal.getRun("run-1")).revisions).toBeUndefined();
    });

    test("of two made for one revision the second is refused", async () => {
      await journal.createRun(storedRun("run-1"), owner("o"));
      const other = await subject().another();
      const [mine, theirs] = [revisionOf("a"), revisionOf("b")];
      const given = [journal.addRevision("run-1", mine, owner("o")), other.addRevision("run-1", theirs, owner("o"))];
      const settled = await Promise.allSettled(given);
      expect(settled.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const { reason } = settled.find(({ status }) => status === "rejected") as PromiseRejectedResult;
      expect(reason).toMatchObject({ code: "RUNTIME_REVISION_CONFLICT", details: { expected: "" } });
      expect((await journal.getRun("run-1")).revisions).toHaveLength(1);
    });

    test("go on from the revision that a plan had when its run began", async () => {
      const before = revisionOf("a");
      const plan = applyPatch(storedRun("run-1").plan, before.patch);
      await journal.createRun({ ...storedRun("run-1"), plan }, owner("o"));
      await expect(journal.addRevision("run-1", revisionOf("b"), owner("o"))).rejects.toMatchObject({
        code: "RUNTIME_REVISION_CONFLICT",
      });
      await journal.addRevision("run-1", revisionOf("b", plan), owner("o"));
      expect((await journal.getRun("run-1")).plan.planned_tasks.map(({ task_id }) => task_id)).toEqual(["a_2", "b_2"]);
    });

    test("come from whoever holds the lease, or from anybody while nobody runs it", async () => {
      const here = processOwner("here");
      await journal.createRun(storedRun("run-1"), here);
      const given = revisionOf("a");
      await expect(journal.addRevision("run-1", given)).rejects.toMatchObject({ code: "RUNTIME_RUN_LEASED" });
      await expect(journal.addRevision("run-1", given, owner("q"))).rejects.toMatchObject({
        code: "RUNTIME_LEASE_LOST",
      });
      await journal.endRun("run-1", here, "failed");
      await journal.addRevision("run-1", given);
      await expect(journal.addRevision("nobody", given)).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
    });
  });
}
