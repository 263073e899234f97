import { setTimeout as sleep } from "node:timers/promises";
import { TaskData } from "@planloom/plan";
import {
  approve,
  defineTool,
  defineWorkflow,
  deny,
  fork,
  type Journal,
  memoryJournal,
  type PendingUsage,
  type RunOptions,
  resume,
  run,
  supplyOutput,
  TaskFailure,
  toolExecutor,
  waitingFor,
  workflowExecutor,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { diedPaying, outsideWorld, pay, payments, plan } from "../support/cut-off-payments.ts";
import { dsl, planOf, statuses } from "../support/run-plans.ts";

describe("a call that may have an effect, cut off by the death of the process", () => {
  test("is asked about and not made again; a yes makes it again", async () => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    await diedPaying(journal, outside);
    const executors = payments(outside);
    const waiting = await resume("r", { executors, journal });
    expect(waiting.end_reason).toBe("waiting_approval");
    expect(outside.done).toEqual(["look look", "pay pay"]);
    expect(waiting.results[1]?.error?.message).toMatch(
      /^Attempt 1 to call "pay" was begun at 2\d{3}-.*, and it is unknown whether it was carried out\. Approve it/,
    );
    const [call] = await waitingFor("r", { journal });
    expect(call).toMatchObject({ id: "pay#begun", uid: "pay", input: {}, begun_at: expect.any(String) });
    // Asked once more, nothing else happens.
    expect((await resume("r", { executors, journal })).end_reason).toBe("waiting_approval");
    await approve("r", "pay", { journal });
    expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
    expect(outside.done).toEqual(["look look", "pay pay", "pay pay", "look after"]);
  });

  test("is not asked about where the executor takes its work up again, and is where that is not to be believed", async () => {
    for (const [reattaches, ends] of [
      [() => true, "completed"],
      [() => false, "waiting_approval"],
      [() => "yes" as never, "waiting_approval"],
    ] as const) {
      const [journal, outside] = [memoryJournal(), outsideWorld()];
      const executors = payments(outside).map((executor) => ({ ...executor, reattaches }));
      await diedPaying(journal, outside, { executors });
      expect((await resume("r", { executors, journal })).end_reason).toBe(ends);
    }
  });

  test.for([
    { where: "an element", list: { for_each: { items: [1] }, tool_id: "pay" }, id: "list[0]" },
    { where: "a task of an element", list: { for_each: { items: [1], tasks: [pay] } }, id: "list[0]/pay" },
    {
      where: "a task of an element of an element",
      list: { for_each: { items: [1], tasks: [{ task_id: "in", for_each: { items: [1], tasks: [pay] } }] } },
      id: "list[0]/in[0]/pay",
    },
  ])("in $where it is asked about, too, and made again after a yes alone", async ({ list, id }) => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    await diedPaying(journal, outside, {}, TaskData.parse({ planned_tasks: [{ task_id: "list", ...list }] }));
    const executors = payments(outside);
    expect((await resume("r", { executors, journal })).end_reason).toBe("waiting_approval");
    expect(outside.done).toHaveLength(1);
    expect(await waitingFor("r", { journal })).toMatchObject([{ id: `${id}#begun`, uid: "pay" }]);
    await approve("r", id, { journal });
    expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
    expect(outside.done).toHaveLength(2);
  });

  test("a no skips it, for good", async () => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    await diedPaying(journal, outside);
    const executors = payments(outside);
    await resume("r", { executors, journal });
    await deny("r", "pay", { journal });
    for (let times = 0; times < 2; times++) {
      const denied = await resume("r", { executors, journal });
      expect(denied.end_reason).toBe("denied");
      expect(statuses(denied)).toEqual({ look: "completed", pay: "skipped", after: "skipped" });
    }
    expect(outside.done).toEqual(["look look", "pay pay"]);
  });

  test("a person who knows what it gave says so, and it is not made again", async () => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    await diedPaying(journal, outside);
    const executors = payments(outside);
    await expect(supplyOutput("r", "pay", 1, { journal })).rejects.toMatchObject({ code: "RUNTIME_NOT_YET_ASKED" });
    await resume("r", { executors, journal });
    await supplyOutput("r", "pay", { paid: "receipt 7" }, { journal });
    const result = await resume("r", { executors, journal });
    expect(result.end_reason).toBe("completed");
    expect(result.results[1]?.output).toEqual({ paid: "receipt 7" });
    expect(outside.done).toEqual(["look look", "pay pay", "look after"]);
  });

  test("what a person says it gave is checked by the schema of what the tool gives, which the question keeps", async () => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    const output = { type: "object", properties: { paid: { type: "string" } }, required: ["paid"] };
    const executors = payments(outside, { output });
    await diedPaying(journal, outside, { executors });
    await resume("r", { executors, journal });
    expect(await waitingFor("r", { journal })).toMatchObject([{ id: "pay#begun", output_schema: output }]);
    for (const wrong of ["receipt 7", { paid: 7 }, {}, null]) {
      await expect(supplyOutput("r", "pay", wrong, { journal })).rejects.toMatchObject({
        code: "RUNTIME_INVALID_OPTION",
        message: expect.stringMatching(/^Expected `output` to fit the output schema of "pay": /),
        details: { option: "output", uid: "pay", issues: [expect.anything()] },
      });
    }
    expect((await resume("r", { executors, journal })).end_reason).toBe("waiting_approval");
    await supplyOutput("r", "pay", { paid: "receipt 7" }, { journal });
    expect((await resume("r", { executors, journal })).results[1]?.output).toEqual({ paid: "receipt 7" });
  });

  test("with `fail` the task fails, also when the run is resumed again; with `retry` it is made again", async () => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    await diedPaying(journal, outside);
    const executors = payments(outside);
    for (let times = 0; times < 2; times++) {
      const failed = await resume("r", { executors, journal, onUnknown: "fail" });
      expect(failed.results[1]).toMatchObject({ status: "failed", error: { code: "TASK_UNKNOWN_OUTCOME" } });
    }
    expect(outside.done).toEqual(["look look", "pay pay"]);
    expect((await resume("r", { executors, journal, onUnknown: "retry" })).end_reason).toBe("completed");
    expect(outside.done.filter((call) => call === "pay pay")).toHaveLength(2);
  });

  test("a run that was begun with `retry` or `fail` goes on like that", async () => {
    for (const onUnknown of ["retry", "fail"] as const) {
      const [journal, outside] = [memoryJournal(), outsideWorld()];
      await diedPaying(journal, outside, { onUnknown });
      const result = await resume("r", { executors: payments(outside), journal });
      expect(result.end_reason).toBe(onUnknown === "retry" ? "completed" : "failed");
      expect(outside.done.filter((call) => call === "pay pay")).toHaveLength(onUnknown === "retry" ? 2 : 1);
    }
  });

  test("what is declared idempotent or read-only is made again without a question, and is not noted", async () => {
    for (const declared of [{ idempotent: true }, { readOnly: true }]) {
      const [journal, outside] = [memoryJournal(), outsideWorld()];
      let noted: readonly PendingUsage[] = [];
      const counting: Journal = new Proxy(journal, {
        get(target, name) {
          if (name === "beginCalls")
            return async (_: string, __: unknown, pending: PendingUsage[]) => {
              noted = pending;
            };
          const value: unknown = Reflect.get(target, name);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
      await diedPaying(counting, outside, { executors: payments(outside, declared) });
      expect(noted).toEqual([]);
      const result = await resume("r", { executors: payments(outside, declared), journal });
      expect(result.end_reason).toBe("completed");
      expect(outside.done.filter((call) => call === "pay pay")).toHaveLength(2);
    }
  });

  test("a fork that keeps what is before it asks too; one from the task itself makes it again", async () => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    const of = planOf({ other: [], pay: [] }, { other: { tool_id: "look" }, pay: { tool_id: "pay" } });
    await diedPaying(journal, outside, {}, of);
    const executors = payments(outside);
    expect((await fork("r", "other", { executors, journal })).end_reason).toBe("waiting_approval");
    expect(outside.done.filter((call) => call === "pay pay")).toHaveLength(1);
    expect((await fork("r", "pay", { executors, journal })).end_reason).toBe("completed");
    expect(outside.done.filter((call) => call === "pay pay")).toHaveLength(2);
  });

  test("in a workflow it is asked about where it is, and what was completed there is not done again", async () => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    const workflow = workflowExecutor([defineWorkflow({ id: "w", description: "", plan })]);
    await diedPaying(
      journal,
      outside,
      { executors: [...payments(outside), workflow] },
      planOf({ t: [] }, { t: dsl("w") }),
    );
    const executors = [...payments(outside), workflow];
    expect((await resume("r", { executors, journal })).end_reason).toBe("waiting_approval");
    expect((await waitingFor("r", { journal })).map(({ id }) => id)).toEqual(["t/pay#begun"]);
    await approve("r", "t", { journal });
    expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
    expect(outside.done).toEqual(["look look", "pay pay", "pay pay", "look after"]);
  });

  test("a failed attempt is no doubt: it is tried again as its policy says", async () => {
    const journal = memoryJournal();
    let calls = 0;
    const flaky = defineTool({
      id: "pay",
      description: "",
      execute: () => {
        if (++calls < 3) throw new Error("no");
        return calls;
      },
    });
    const retry = { max_attempts: 3, initial_delay_ms: 0 };
    const result = await run(planOf({ pay: [] }), { executors: [toolExecutor([flaky])], journal, retry, runId: "r" });
    expect(result.end_reason).toBe("completed");
    expect(await journal.getPendingUsage("r")).toEqual([]);
  });

  test("an answer that comes while the run goes on is heard", async () => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    const of = planOf({ pay: [], beside: [] }, { pay: { tool_id: "pay" }, beside: { tool_id: "beside" } });
    const begun = () => outside.done.filter((call) => call === "pay pay").length;
    const beside = defineTool({
      id: "beside",
      description: "",
      readOnly: true,
      async execute(_, { signal }) {
        while (begun() < 2) await sleep(1, undefined, { signal });
      },
    });
    const executors = [...payments(outside), toolExecutor([beside])];
    await diedPaying(journal, outside, { executors }, of);
    const running = resume("r", { executors, journal });
    while ((await waitingFor("r", { journal })).length === 0) await sleep(1);
    expect(begun()).toBe(1);
    await approve("r", "pay#begun", { journal });
    expect((await running).end_reason).toBe("completed");
    expect(begun()).toBe(2);
  });

  test("an unknown policy is refused", async () => {
    const wrong = { executors: [], onUnknown: "maybe" } as unknown as RunOptions;
    await expect(run(plan, wrong)).rejects.toMatchObject({
      code: "RUNTIME_INVALID_OPTION",
      details: { option: "onUnknown" },
    });
  });
});

const untilAborted = (signal: AbortSignal, say: () => unknown) =>
  new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => {
      const said = say();
      if (said instanceof Error) reject(said);
      else resolve(said);
    });
  });
const notDone = () => Object.assign(new Error("nothing was sent"), { outcome: "not-done" });

describe.for([
  { how: "a cancel", aborts: true, options: {} },
  { how: "a time-out", aborts: false, options: { taskTimeoutMs: 5 } },
  { how: "the limit of all attempts", aborts: false, options: { totalTimeoutMs: 5, taskTimeoutMs: 1_000 } },
])("a call that $how stops", ({ aborts, options }) => {
  /** Runs until the call was stopped, then resumes it. */
  async function stopped(first: (signal: AbortSignal) => unknown, more: Partial<RunOptions> = {}) {
    const [journal, stop] = [memoryJournal(), new AbortController()];
    let calls = 0;
    const pay = defineTool({
      id: "pay",
      description: "",
      execute(_, { signal }) {
        if (++calls > 1) return "paid";
        if (aborts) setImmediate(() => stop.abort());
        return first(signal);
      },
    });
    const given = { executors: [toolExecutor([pay])], journal, abortGraceMs: 1, ...options };
    const before = await run(planOf({ pay: [] }), { ...given, ...more, runId: "r", signal: stop.signal });
    expect(before.end_reason).toBe(aborts ? "cancelled" : "failed");
    const after = await resume("r", given);
    return { journal, given, after, calls: () => calls };
  }

  test("is asked about though it obeyed: it may have been done before", async () => {
    const { journal, given, after, calls } = await stopped((signal) => untilAborted(signal, () => signal.reason));
    expect([after.end_reason, calls()]).toEqual(["waiting_approval", 1]);
    // Also when the run is resumed once more.
    expect((await resume("r", given)).end_reason).toBe("waiting_approval");
    await approve("r", "pay", { journal });
    expect((await resume("r", given)).end_reason).toBe("completed");
    expect(calls()).toBe(2);
  });

  test("is asked about where it was abandoned, and where a fork would repeat it", async () => {
    const { journal, given, after, calls } = await stopped(() => new Promise(() => {}));
    expect([after.end_reason, calls()]).toEqual(["waiting_approval", 1]);
    expect((await fork("r", "pay", { ...given, journal })).end_reason).toBe("completed");
  });

  test("is made again where its executor says that it was not done", async () => {
    const { after, calls } = await stopped((signal) => untilAborted(signal, notDone));
    expect([after.end_reason, calls()]).toEqual(["completed", 2]);
  });

  test("is made again without a question in a run that says so", async () => {
    const { after, calls } = await stopped((signal) => untilAborted(signal, () => signal.reason), {
      onUnknown: "retry",
    });
    expect([after.end_reason, calls()]).toEqual(["completed", 2]);
  });
});

describe("what is known of a call", () => {
  /** Fails with each of these in turn, then pays; resumed after the run has failed. */
  async function failing(errors: readonly unknown[], options: Partial<RunOptions> = {}) {
    const journal = memoryJournal();
    let calls = 0;
    const pay = defineTool({
      id: "pay",
      description: "",
      execute: (_, { signal }) => {
        const error = errors[calls++];
        if (error === "hang") return untilAborted(signal, () => signal.reason);
        if (error !== undefined) throw error;
        return "paid";
      },
    });
    const given = { executors: [toolExecutor([pay])], journal, abortGraceMs: 1 };
    const first = await run(planOf({ pay: [] }), { ...given, ...options, runId: "r" });
    expect(first.end_reason).toBe("failed");
    const after = await resume("r", { ...options, ...given });
    return [after.end_reason, calls];
  }

  test("an error of the tool itself: it has failed, and resume makes it again", async () => {
    expect(await failing([new Error("no funds")])).toEqual(["completed", 2]);
  });

  test("nothing, where its executor says so: the connection broke", async () => {
    const broken = new TaskFailure("TASK_FAILED", "the connection broke", { outcome: "unknown" });
    expect(await failing([broken])).toEqual(["waiting_approval", 1]);
  });

  test("an attempt that timed out stays in doubt though a later one, which the policy allowed, failed by itself", async () => {
    const retry = { max_attempts: 2, initial_delay_ms: 0 };
    expect(await failing(["hang", new Error("paid already")], { retry, taskTimeoutMs: 5 })).toEqual([
      "waiting_approval",
      2,
    ]);
  });

  test("a time-out of the run's budget of seconds leaves it in doubt as well", async () => {
    const journal = memoryJournal();
    let calls = 0;
    const pay = defineTool({
      id: "pay",
      description: "",
      execute: (_, { signal }) => (++calls > 1 ? "paid" : untilAborted(signal, () => signal.reason)),
    });
    const given = { executors: [toolExecutor([pay])], journal };
    const first = await run(planOf({ pay: [] }), { ...given, runId: "r", budgets: { run: { seconds: 0.02 } } });
    expect(first.end_reason).toBe("budget");
    const after = await resume("r", { ...given, budgets: { run: { seconds: 100 } } });
    expect([after.end_reason, calls]).toEqual(["waiting_approval", 1]);
  });
});
