import type { Journal } from "@planloom/runtime";
import { journalContract as journalCases } from "planloom/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { processOwner, releaseOwner } from "../../packages/runtime/src/journal/lease.ts";
import { type JournalUnderTest, owner, storedRun } from "./journal-subject.ts";

/** Our own journals: what `journalContract` of `planloom/testing` says of every journal, and what it leaves to each. */
export function journalContract(name: string, make: () => Promise<JournalUnderTest>): void {
  describe(`journal contract: ${name}`, () => {
    const subjects = new WeakMap<Journal, JournalUnderTest>();
    const create = async () => {
      const subject = await make();
      subjects.set(subject.journal, subject);
      return subject.journal;
    };
    const another = (journal: Journal) => subjects.get(journal)?.another() ?? journal;
    const dispose = (journal: Journal) => subjects.get(journal)?.dispose();
    for (const { name, run } of journalCases({ create, another, dispose })) test(name, run);
  });

  describe(`of ${name} alone`, () => {
    let subject: JournalUnderTest;
    let journal: Journal;
    beforeEach(async () => {
      subject = await make();
      journal = subject.journal;
    });
    afterEach(() => subject.dispose());

    test("the lease of an earlier process with this very host and id is free at once; a living one's is not by its clock", async () => {
      const { process: identity, ...here } = processOwner("session");
      // As after a container was started again: only when the process started tells the two apart.
      if (identity?.started !== undefined) {
        const before = { ...here, token: "before", process: { ...identity, started: "1" } };
        await journal.createRun(storedRun("r"), before);
        expect(await (await subject.another()).listRuns()).toMatchObject([{ status: "interrupted" }]);
        await journal.openRun("r", owner("p"));
        await expect(journal.renewLease("r", before)).rejects.toMatchObject({ code: "RUNTIME_LEASE_LOST" });
      }
      const living = { ...here, ...(identity && { process: identity }) };
      await journal.createRun(storedRun("s"), living);
      await journal.renewLease("s", living);
      const now = Date.now();
      const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 86_400_000);
      try {
        const refused = (await subject.another()).openRun("s", owner("p"));
        await expect(refused).rejects.toMatchObject({ code: "RUNTIME_RUN_LEASED" });
      } finally {
        clock.mockRestore();
        releaseOwner(living);
      }
    });

    test("what is no id of a run is refused by name", async () => {
      for (const none of ["", undefined, null, 5, {}]) {
        const invalid = { code: "RUNTIME_INVALID_OPTION", details: { option: "runId" } };
        await expect(journal.getRun(none as string)).rejects.toMatchObject(invalid);
        await expect(journal.deleteRun(none as string)).rejects.toMatchObject(invalid);
      }
    });

    test("answers after those that are known, also where others came and where the run began anew", async () => {
      await journal.createRun(storedRun("run"), owner("t"));
      const answer = { content_hash: "h", answer: "approve" as const, answered_at: "2025-01-01T00:00:00.000Z" };
      const add = (...names: string[]) =>
        Promise.all(names.map((task_id) => journal.addAnswer("run", { ...answer, task_id })));
      const later = async (known: number) =>
        (await journal.getAnswers("run", { after: known })).map(({ task_id }) => task_id).join("");
      expect([await later(0), await later(3)]).toEqual(["", ""]);
      await add("a");
      await add("b");
      expect([await later(0), await later(2), await later(1), await later(2)]).toEqual(["ab", "", "b", ""]);
      await add("c");
      expect([await later(2), await later(3), await later(0)]).toEqual(["c", "", "abc"]);
      await journal.endRun("run", owner("t"), "failed");
      await journal.deleteRun("run");
      await journal.createRun(storedRun("run"), owner("t"));
      await add("d");
      expect([await later(0), await later(1)]).toEqual(["d", ""]);
    });

    test("a condition of a list that there is none of is refused by name", async () => {
      for (const [name, wrong] of Object.entries({
        limit: { limit: -1 },
        status: { status: "complete" },
        cursor: { cursor: "next" },
        createdAfter: { createdAfter: "soon" },
        "metadata.a": { metadata: { a: {} } },
        planId: { planId: 5 },
        tenant: { tenant: "" },
        tenants: { tenants: "x" },
      })) {
        const invalid = { code: "RUNTIME_INVALID_OPTION", details: { option: name } };
        await expect(journal.listRuns(wrong as never)).rejects.toMatchObject(invalid);
      }
    });

    test("pages have cursors, and metadata is read by own names alone", async () => {
      await journal.createRun(storedRun("a"), owner("o"));
      expect((await journal.listRuns())[0]?.cursor).toBeTypeOf("string");
      expect(await journal.listRuns({ metadata: { toString: null } as never })).toEqual([]);
    });
  });
}
