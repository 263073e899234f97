import { Planloom, SqliteJournal } from "planloom";
import { expect, test } from "vitest";

const plan = { planned_tasks: [{ task_id: "w", wait: { event: "e" } }] };

test("a Planloom sends signals and wakes what is due", async () => {
  const journal = await SqliteJournal.open(":memory:");
  await using planloom = new Planloom({ journal });
  expect((await planloom.run(plan, { runId: "r" })).end_reason).toBe("waiting");
  expect(await planloom.resumeDue()).toEqual([]);
  expect(await planloom.signal("r", "e", { data: 1 })).toMatchObject({ awaited: true });
  expect(await planloom.resumeDue({ limit: 1, runsAtOnce: 1 })).toMatchObject([
    { run_id: "r", result: { output_data: { w: 1 } } },
  ]);
  await expect(planloom.signal("r", "e")).rejects.toMatchObject({ code: "RUNTIME_RUN_ENDED" });
});

test("schedulers share the work, and end with their signal", async () => {
  const journal = await SqliteJournal.open(":memory:");
  await using planloom = new Planloom({ journal, waitHereMs: 0 });
  const stop = new AbortController();
  const woken: string[] = [];
  const { promise: allWoken, resolve } = Promise.withResolvers<void>();
  // On a busy machine a wait may be over before the run would leave its process: then nobody needs to wake it.
  let waiting: string[] | undefined;
  const look = () => waiting !== undefined && woken.length >= waiting.length && resolve();
  const onWoken = ({ run_id }: { run_id: string }) => {
    woken.push(run_id);
    look();
  };
  const schedulers = [1, 2].map(() => planloom.scheduler({ everyMs: 5, runsAtOnce: 2, onWoken, signal: stop.signal }));
  const wait = { task_id: "w", wait: { for_ms: 30 } };
  const left: string[] = [];
  for (let run = 0; run < 6; run++) {
    const { end_reason, run_id } = await planloom.run({ planned_tasks: [wait] }, { runId: `r${run}` });
    if (end_reason === "waiting") left.push(run_id);
  }
  waiting = left;
  look();
  await allWoken;
  stop.abort();
  await Promise.all(schedulers);
  expect(woken.sort()).toEqual(left);
});

test("closing a Planloom ends its scheduler", async () => {
  const planloom = new Planloom({ journal: await SqliteJournal.open(":memory:") });
  const running = planloom.scheduler();
  await planloom.close();
  await running;
});
