import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { owner, record, storedRun } from "../contract/journal-subject.ts";
import { type CuttingProxy, cuttingProxy } from "../support/cutting-proxy.ts";
import { postgresUrl, query } from "../support/postgres.ts";
import { type PostgresSubject, postgresSubject } from "./subject.ts";

describe.skipIf(postgresUrl === undefined)("connections that break", () => {
  let subject: PostgresSubject;
  let proxy: CuttingProxy;
  let through: string;
  beforeEach(async () => {
    subject = await postgresSubject(postgresUrl!);
    const url = new URL(postgresUrl!);
    proxy = await cuttingProxy(url.hostname, Number(url.port));
    url.port = String(proxy.port);
    through = url.href;
  });
  afterEach(async () => {
    await subject.dispose();
    await proxy[Symbol.asyncDispose]();
  });

  const answer = { task_id: "a", content_hash: "h", answer: "deny" as const, answered_at: "2025-01-01T00:00:00.000Z" };
  /** What each call leaves in the journal, and a part of the statement that carries it out or commits it. */
  const writes = {
    createRun: "COMMIT",
    record: "tasks_written",
    addEvents: "events_written",
    addAnswer: "COMMIT",
    endRun: "COMMIT",
  } as const;

  test.each(Object.entries(writes))(
    "%s: what was written before its answer was lost is not written again",
    async (call, statement) => {
      const journal = await subject.another({}, through);
      const event = {
        type: "task-skip",
        runId: "r",
        seq: 0,
        at: 0.5,
        taskId: "a",
        error: { code: "TASK_FAILED", message: "" },
      } as const;
      const calls = {
        createRun: () => journal.createRun(storedRun("r"), owner("o")),
        record: () => journal.record("r", owner("o"), [record("a"), record("b")]),
        addEvents: () => journal.addEvents("r", owner("o"), [event]),
        addAnswer: () => journal.addAnswer("r", answer),
        endRun: () => journal.endRun("r", owner("o"), "completed"),
      };
      for (const [name, make] of Object.entries(calls)) {
        if (name === call) proxy.loseAnswerTo(statement);
        await make();
      }
      expect(await journal.getTasks("r")).toMatchObject([{ task_id: "a" }, { task_id: "b" }]);
      expect(await journal.getEvents("r")).toHaveLength(1);
      expect(await journal.getAnswers("r")).toHaveLength(1);
      expect((await journal.getRun("r")).status).toBe("completed");
      const { problems, writes } = await journal.checkChecksums("r");
      expect(problems).toEqual([]);
      // Each row once: the run's eight columns, the plan and its part, two tasks, an event, an answer, and three columns at the end.
      expect(writes).toBe(8 + 2 + 2 + 1 + 1 + 3);
    },
  );

  test("a batch is written once while connections are cut again and again", async () => {
    const journal = await subject.another({ maxConnections: 2 }, through);
    await journal.createRun(storedRun("r"), owner("o"));
    // By what has gone through, not by a clock: a machine that is too slow for one connection between two cuts would never be done.
    const cutting = proxy.cutEvery(7);
    for (let batch = 0; batch < 20; batch++)
      await journal.record("r", owner("o"), [record(`a${batch}`), record(`b${batch}`)]);
    cutting.stop();
    expect(cutting.cuts()).toBeGreaterThan(2);
    expect(await subject.journal.getTasks("r")).toHaveLength(40);
    expect((await subject.journal.checkChecksums("r")).problems).toEqual([]);
    const text = `SELECT count(*)::int AS links FROM ${subject.schema}.chain`;
    const [counted] = await query<{ links: number }>(postgresUrl!, text);
    expect(counted?.links).toBe(21);
  });

  test("a connection that is half-open is given up, and another one is used", async () => {
    const journal = await subject.another({ answerTimeoutMs: 1_000 }, through);
    await journal.createRun(storedRun("r"), owner("o"));
    proxy.freeze();
    await journal.record("r", owner("o"), [record("a")]);
    expect(await subject.journal.getTasks("r")).toHaveLength(1);
  });

  test("what a server that is gone keeps from being written is refused when patience is over", async () => {
    const journal = await subject.another({ patienceMs: 0 }, through);
    await journal.createRun(storedRun("r"), owner("o"));
    await proxy[Symbol.asyncDispose]();
    await expect(journal.record("r", owner("o"), [record("a")])).rejects.toMatchObject({
      code: "RUNTIME_JOURNAL_WRITE",
      message: expect.stringMatching(/^Cannot write the journal postgres:.*Check that the server runs/),
    });
    proxy = await cuttingProxy("127.0.0.1", 1);
  });
});
