import { once } from "node:events";
import { approve, cancelRun, defineTool, run, toolExecutor } from "@planloom/runtime";
import { Planloom } from "planloom";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { owner, record, storedRun } from "../contract/journal-subject.ts";
import { postgresUrl, query } from "../support/postgres.ts";
import { type PostgresSubject, postgresSubject } from "./subject.ts";

const task = (task_id: string, tool_id: string, more: object = {}) => ({
  task_id,
  execution_type: "tool" as const,
  tool_id,
  ...more,
});

describe.skipIf(postgresUrl === undefined)("several processes on one journal", () => {
  let subject: PostgresSubject;
  beforeEach(async () => {
    subject = await postgresSubject(postgresUrl!);
  });
  afterEach(() => subject.dispose());

  /** A tool that ends when it is aborted, or when `end` is called. */
  const waiting = () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const tool = defineTool({
      id: "wait",
      description: "",
      execute: async (_input, { signal }) => {
        begin();
        await Promise.race([once(signal, "abort"), ended]);
        signal.throwIfAborted();
        return {};
      },
    });
    return { tool, begun, end };
  };
  const done = defineTool({ id: "done", description: "", execute: () => ({}) });

  test("a request to cancel a run is heard at once, long before its lease is renewed", async () => {
    const { tool, begun } = waiting();
    const running = run(
      { planned_tasks: [task("a", "wait")] },
      { executors: [toolExecutor([tool])], journal: subject.journal, runId: "r" },
    );
    await begun;
    const began = performance.now();
    await cancelRun("r", { journal: await subject.another() });
    expect((await running).end_reason).toBe("cancelled");
    // It is renewed every five seconds.
    expect(performance.now() - began).toBeLessThan(4_000);
  });

  test("an answer of another process reaches a run that goes on meanwhile", async () => {
    const { tool, begun, end } = waiting();
    const plan = {
      planned_tasks: [
        task("gate", "done", { approval: "required" }),
        task("then", "done", { dependencies: ["gate"] }),
        task("other", "wait"),
      ],
    };
    const asked = Promise.withResolvers<void>();
    const running = run(plan, {
      executors: [toolExecutor([tool, done])],
      journal: subject.journal,
      runId: "r",
      onEvent: (event) => {
        if (event.type === "task-waiting") asked.resolve();
        if (event.type === "task-end" && event.taskId === "then") end();
      },
    });
    await Promise.all([begun, asked.promise]);
    await approve("r", "gate", { journal: await subject.another() });
    expect((await running).end_reason).toBe("completed");
  });

  test("who follows a run of another process gets its events without polling", async () => {
    const { tool, begun, end } = waiting();
    const plan = { planned_tasks: [task("a", "wait"), task("b", "done", { dependencies: ["a"] })] };
    const running = run(plan, { executors: [toolExecutor([tool, done])], journal: subject.journal, runId: "r" });
    await begun;
    await using other = new Planloom({ journal: await subject.another() });
    const seen: string[] = [];
    for await (const event of other.subscribe("r", { pollMs: 3_600_000 })) {
      seen.push(event.type);
      if (event.type === "task-start") end();
    }
    expect((await running).end_reason).toBe("completed");
    expect(seen.at(-1)).toBe("run-end");
    expect(seen.filter((type) => type === "task-end")).toHaveLength(2);
  });

  test("a process whose connection is gone is replaced three seconds later, by the clock of the server", async () => {
    const holder = await subject.another();
    await holder.createRun(storedRun("r"), owner("o"));
    await holder.close();
    const leased = { code: "RUNTIME_RUN_LEASED" };
    const isFresh = "SELECT clock_timestamp() - pg_postmaster_start_time() < interval '4 seconds' AS fresh";
    await expect(subject.journal.openRun("r", owner("p"))).rejects.toMatchObject(leased);
    // A server that has just started believes everybody to be there for a while.
    while ((await query<{ fresh: boolean }>(postgresUrl!, isFresh))[0]?.fresh === true);
    for (const table of ["heads", "presences"])
      await query(postgresUrl!, `UPDATE ${subject.schema}.${table} SET seen_at = seen_at - interval '4 seconds'`);
    expect(await subject.journal.listRuns()).toMatchObject([{ run_id: "r", status: "interrupted" }]);
    await subject.journal.openRun("r", owner("p"));
  });

  test("a process that hangs for longer than its lease is replaced, and what it writes then is refused", async () => {
    await subject.journal.createRun(storedRun("r"), owner("o"));
    await subject.journal.record("r", owner("o"), [record("a")]);
    const other = await subject.another({ leaseMs: 0.001 });
    const isFresh = "SELECT clock_timestamp() - pg_postmaster_start_time() < interval '1 second' AS fresh";
    while ((await query<{ fresh: boolean }>(postgresUrl!, isFresh))[0]?.fresh === true);
    await other.openRun("r", owner("p"));
    await expect(subject.journal.record("r", owner("o"), [record("b")])).rejects.toMatchObject({
      code: "RUNTIME_LEASE_LOST",
    });
    await other.record("r", owner("p"), [record("b", { output: "theirs" })]);
    expect(await other.getTasks("r")).toMatchObject([{ task_id: "a" }, { output: "theirs" }]);
    expect((await other.checkChecksums("r")).problems).toEqual([]);
  });

  test("what is recorded of many runs at once is written in few statements", async () => {
    const { journal } = subject;
    const ids = Array.from({ length: 40 }, (_, number) => `r${number}`);
    await Promise.all(ids.map((id) => journal.createRun(storedRun(id), owner("o"))));
    const counted = `SELECT count(DISTINCT xmin::text)::int AS commits FROM ${subject.schema}.tasks`;
    await Promise.all(ids.flatMap((id) => ["a", "b"].map((each) => journal.record(id, owner("o"), [record(each)]))));
    const [row] = await query<{ commits: number }>(postgresUrl!, counted);
    expect(row?.commits).toBeLessThanOrEqual(2);
    for (const id of ids) expect(await journal.getTasks(id)).toHaveLength(2);
  });

  describe("a run whose holder is on another machine", () => {
    const elsewhere = { ...owner("o"), host: "another-machine" };
    const set = (text: string) => query(postgresUrl!, text.replaceAll("$SCHEMA", subject.schema));

    test("is taken over when its session gives no sign for as long as a lease holds, though its process lives", async () => {
      // Its process listens, so that it gives a sign of life a second; the session could not say that it has ended.
      const stop = subject.journal.watchChanges?.("r", () => {});
      await subject.journal.createRun(storedRun("r"), elsewhere);
      const other = await subject.another();
      await expect(other.openRun("r", owner("p"))).rejects.toMatchObject({ code: "RUNTIME_RUN_LEASED" });
      // The server of the test run has been up for less than a lease holds, perhaps.
      const impatient = await subject.another({ leaseMs: 100 });
      await set("UPDATE $SCHEMA.presences SET seen_at = clock_timestamp() - interval '1 minute' WHERE presence = 0");
      await set("UPDATE $SCHEMA.heads SET seen_at = clock_timestamp() - interval '1 minute'");
      expect((await impatient.openRun("r", owner("p"))).run.run_id).toBe("r");
      stop?.();
    });

    test("is not taken over right after a crash of the server, which forgets who has given a sign of life", async () => {
      const gone = await subject.another();
      await gone.createRun(storedRun("r"), elsewhere);
      await gone.close();
      await set("UPDATE $SCHEMA.heads SET seen_at = clock_timestamp() - interval '10 seconds'");
      // What a crash does to a table that is not logged.
      await set("TRUNCATE $SCHEMA.presences");
      const other = await subject.another();
      await expect(other.openRun("r", owner("p"))).rejects.toMatchObject({ code: "RUNTIME_RUN_LEASED" });
      await set("UPDATE $SCHEMA.presences SET seen_at = clock_timestamp() - interval '4 seconds' WHERE presence = 0");
      await set("DELETE FROM $SCHEMA.presences WHERE presence > 0");
      // As it does where the server itself has started more than three seconds ago.
      const [{ up_ms }] = (await query(
        postgresUrl!,
        "SELECT (1000 * extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()))::float8 AS up_ms",
      )) as [{ up_ms: number }];
      const taking = other.openRun("r", owner("p"));
      if (up_ms > 3_500) expect((await taking).run.run_id).toBe("r");
      else await expect(taking).rejects.toMatchObject({ code: "RUNTIME_RUN_LEASED" });
    });
  });
});
