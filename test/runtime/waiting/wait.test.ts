import type { PlannerTaskInput, TaskDataInput } from "@planloom/plan";
import {
  cancelRun,
  defineTool,
  defineWorkflow,
  dryRun,
  fork,
  type Journal,
  memoryJournal,
  type RunEvent,
  type RunOptions,
  type RunResult,
  replay,
  resume,
  resumeDue,
  run,
  runStatus,
  type SignalOptions,
  SqliteJournal,
  signal,
  toolExecutor,
  verifyRun,
  workflowExecutor,
} from "@planloom/runtime";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const start = Date.parse("2026-11-23T09:00:00Z");
const hour = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

const plan = (...planned_tasks: PlannerTaskInput[]): TaskDataInput => ({ planned_tasks });

function world(journal: Journal = memoryJournal(), rest: Omit<Partial<RunOptions>, "journal"> = {}) {
  const calls: unknown[] = [];
  const note = (input: unknown) => {
    calls.push(input);
    return input;
  };
  const tools = [
    defineTool({ id: "note", description: "", readOnly: true, execute: note }),
    defineTool({ id: "pay", description: "", execute: note }),
  ];
  const options = { executors: [toolExecutor(tools)], journal, runId: "r", ...rest };
  return { calls, options, journal };
}

const noted = (task_id: string, value: unknown, rest: PlannerTaskInput = {}): PlannerTaskInput => ({
  task_id,
  tool_id: "note",
  arguments: { value },
  ...rest,
});

describe.each([
  ["memory", async () => memoryJournal()],
  ["SQLite", () => SqliteJournal.open(":memory:")],
] as const)("in a journal: %s", (_, open) => {
  test("a run waits for a time without a process, and what comes after it runs when it is due", async () => {
    const { options, journal, calls } = world(await open());
    const given = plan(
      noted("first", 1),
      { task_id: "pause", wait: { for_ms: hour }, dependencies: ["first"] },
      noted("after", "${pause.waited_until}"),
      noted("beside", 2),
    );
    const waiting = await run(given, options);
    expect(waiting.end_reason).toBe("waiting");
    expect(waiting.results.map(({ status }) => status)).toEqual(["completed", "waiting", "pending", "completed"]);
    expect(waiting.results[1]!.wait).toEqual({ due_at: "2026-11-23T10:00:00.000Z" });
    expect(await resumeDue(options)).toEqual([]);

    vi.setSystemTime(start + hour);
    const [woken, ...more] = await resumeDue(options);
    expect(more).toEqual([]);
    expect(woken).toMatchObject({ run_id: "r", due_at: start + hour, result: { end_reason: "completed" } });
    expect(calls).toEqual([{ value: 1 }, { value: 2 }, { value: "2026-11-23T10:00:00.000Z" }]);
    expect(await resumeDue(options)).toEqual([]);
    expect(await journal.getWaits!("r")).toEqual([]);
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
  });

  test("a signal ends a wait with its data, and makes the run due", async () => {
    const { options, journal } = world(await open());
    const given = plan({ task_id: "payment", wait: { event: "paid", key: "order 7" } }, noted("after", "${payment}"));
    const waiting = await run(given, options);
    expect(waiting.results[0]).toMatchObject({ status: "waiting", wait: { event: "paid", key: "order 7" } });
    expect(await signal("r", "paid", { journal, data: 1 })).toMatchObject({ awaited: false });
    expect(await resumeDue(options)).toEqual([]);
    const sent = await signal("r", "paid", { journal, key: "order 7", data: { amount: 5 }, id: "s", by: "bank" });
    expect(sent).toEqual({ run_id: "r", id: "s", event: "paid", key: "order 7", duplicate: false, awaited: true });
    const [woken] = await resumeDue(options);
    expect(woken).toMatchObject({
      result: { end_reason: "completed", output_data: { after: { value: { amount: 5 } } } },
    });
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
  });

  test("a signal that comes before the wait is kept for it", async () => {
    const { options, journal } = world(await open());
    const given = plan(
      { task_id: "gate", tool_id: "pay", approval: "required" },
      { task_id: "payment", wait: { event: "paid" }, dependencies: ["gate"] },
    );
    expect((await run(given, options)).end_reason).toBe("waiting_approval");
    await signal("r", "paid", { journal, data: "early" });
    const { approve } = await import("@planloom/runtime");
    await approve("r", "gate", { journal });
    expect(await resume("r", options)).toMatchObject({
      end_reason: "completed",
      output_data: { payment: "early" },
    });
  });
});

describe("a deadline", () => {
  const waits = (rest: object): PlannerTaskInput => ({ task_id: "w", wait: { event: "e", timeout_ms: hour, ...rest } });
  const cases = [
    ["fail", waits({}), { status: "failed", error: { code: "TASK_DEADLINE", details: { event: "e" } } }, "skipped"],
    ["skip", waits({ on_deadline: "skip" }), { status: "skipped", error: { code: "TASK_DEADLINE" } }, "skipped"],
    [
      "value",
      waits({ on_deadline: { value: { late: true } } }),
      { status: "completed", output: { late: true } },
      "completed",
    ],
    ["value with a reference", waits({ on_deadline: { value: "${before.value}" } }), { output: 3 }, "completed"],
    [
      "a point in time",
      { task_id: "w", wait: { event: "e", deadline: "2026-11-23T10:00:00Z" } },
      { status: "failed" },
      "skipped",
    ],
  ] as const;

  test.each(cases)("%s", async (_, task, expected, after) => {
    const { options, journal } = world(await SqliteJournal.open(":memory:"));
    const given = plan(noted("before", 3), { ...task }, noted("after", "${w}"));
    expect((await run(given, options)).end_reason).toBe("waiting");
    vi.setSystemTime(start + hour - 1);
    expect(await resumeDue(options)).toEqual([]);
    vi.setSystemTime(start + hour);
    const [woken] = await resumeDue(options);
    const { results } = (woken as { result: RunResult }).result;
    expect(results[1]).toMatchObject(expected);
    expect(results[2]!.status).toBe(after);
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
  });

  test("a signal that was sent in time counts, though no process ran until later", async () => {
    const { options, journal } = world();
    await run(plan(waits({}) as PlannerTaskInput), options);
    vi.setSystemTime(start + hour);
    await signal("r", "e", { journal, data: 1 });
    vi.setSystemTime(start + 2 * hour);
    expect(await resumeDue(options)).toMatchObject([{ result: { end_reason: "completed", output_data: { w: 1 } } }]);
  });

  test("a signal that was sent too late does not", async () => {
    const { options, journal } = world();
    await run(plan(waits({})), options);
    vi.setSystemTime(start + hour + 1);
    expect(await signal("r", "e", { journal, data: 1 })).toMatchObject({ awaited: false });
    expect(await resumeDue(options)).toMatchObject([{ result: { end_reason: "failed" } }]);
  });
});

describe("signals", () => {
  test("each is taken by one task, in the order of coming", async () => {
    const { options, journal } = world();
    const given = plan(
      { task_id: "a", wait: { event: "e" } },
      { task_id: "b", wait: { event: "e" }, dependencies: ["a"] },
    );
    await run(given, options);
    await signal("r", "e", { journal, data: 1 });
    await signal("r", "e", { journal, data: 2 });
    const [woken] = await resumeDue(options);
    expect(woken).toMatchObject({ result: { end_reason: "completed", output_data: { b: 2 } } });
  });

  test("a second one of the same id is none, and one that says something else is refused", async () => {
    const { options, journal } = world();
    await run(plan({ task_id: "a", wait: { event: "e" } }, { task_id: "b", wait: { event: "e" } }), options);
    expect(await signal("r", "e", { journal, id: "1", data: { x: 1 } })).toMatchObject({ duplicate: false });
    expect(await signal("r", "e", { journal, id: "1", data: { x: 1 } })).toMatchObject({ duplicate: true });
    await expect(signal("r", "e", { journal, id: "1", data: { x: 2 } })).rejects.toMatchObject({
      code: "RUNTIME_SIGNAL_CONFLICT",
    });
    const [woken] = await resumeDue(options);
    const { results, end_reason } = (woken as { result: RunResult }).result;
    expect(end_reason).toBe("waiting");
    expect(results.map(({ status }) => status)).toEqual(["completed", "waiting"]);
  });

  test("a run of this process hears them at once", async () => {
    const { options, journal } = world();
    let release = () => {};
    const slow = defineTool({
      id: "slow",
      description: "",
      execute: () =>
        new Promise((resolve) => {
          release = () => resolve(1);
        }),
    });
    const events: string[] = [];
    const running = run(
      plan({ task_id: "w", wait: { event: "e" } }, { task_id: "s", tool_id: "slow" }, noted("after", "${w}")),
      {
        ...options,
        executors: [toolExecutor([slow, defineTool({ id: "note", description: "", execute: (input) => input })])],
        onEvent: (event) => {
          if (event.type === "task-wait") void signal("r", "e", { journal, data: "now" });
          if (event.type === "task-end") events.push(event.taskId);
          if (event.type === "task-end" && event.taskId === "after") release();
        },
      },
    );
    expect((await running).end_reason).toBe("completed");
    expect(events).toEqual(["w", "after", "s"]);
  });

  test.each(["this process", "another"] as const)(
    "from %s cost the same whatever the size of the run",
    async (from) => {
      const { journal } = world();
      const counts = { runs: 0, waits: 0 };
      let hear: ((change: "signals") => void) | undefined;
      const counting: Journal = {
        ...journal,
        getRun: (id) => {
          counts.runs++;
          return journal.getRun(id);
        },
        takeSignals: (id, owner, waits) => {
          counts.waits += waits.length;
          return journal.takeSignals!(id, owner, waits);
        },
        watchChanges: (_, listener) => {
          hear = listener;
          return () => {};
        },
      };
      const of = async (size: number) => {
        const runId = `of ${size}`;
        const tasks = Array.from({ length: size }, (_, at) => ({
          task_id: `w${at}`,
          wait: { event: at % 2 === 0 ? "same" : `own ${at}`, schema: { type: "number" } },
        }));
        const { promise: allWait, resolve: say } = Promise.withResolvers<void>();
        let begun = 0;
        const stop = new AbortController();
        const going = run(plan(...tasks), {
          ...world(counting).options,
          runId,
          waitHereMs: Number.POSITIVE_INFINITY,
          signal: stop.signal,
          onEvent: ({ type }) => type === "task-wait" && ++begun === size && setImmediate(say),
        });
        await allWait;
        Object.assign(counts, { runs: 0, waits: 0 });
        for (const event of ["own 1", "same", "none", "same"]) {
          await signal(runId, event, { journal: from === "another" ? journal : counting, data: 1 });
          if (from === "another") hear?.("signals");
          await new Promise(setImmediate);
        }
        const counted = { ...counts };
        stop.abort();
        const { results } = await going;
        return { ...counted, taken: results.filter(({ status }) => status === "completed").length };
      };
      const small = await of(40);
      expect(small).toMatchObject({ runs: 0, taken: 3 });
      expect(await of(160)).toEqual(small);
    },
  );

  const refused = [
    ["an unknown run", "x", "e", {}, "RUNTIME_RUN_NOT_FOUND"],
    ["a run that has ended", "done", "e", {}, "RUNTIME_RUN_ENDED"],
    ["data that is no JSON", "r", "e", { data: () => 1 }, "RUNTIME_INVALID_SIGNAL"],
    ["data that is too large", "r", "e", { data: "x".repeat(300_000) }, "RUNTIME_INVALID_SIGNAL"],
    ["data that does not fit", "r", "typed", { data: { amount: "five" } }, "RUNTIME_INVALID_SIGNAL"],
    ["no event", "r", "", {}, "RUNTIME_INVALID_OPTION"],
    ["a long event", "r", "e".repeat(201), {}, "RUNTIME_INVALID_OPTION"],
    ["a key that is no text", "r", "e", { key: 5 }, "RUNTIME_INVALID_OPTION"],
    ["a long id", "r", "e", { id: "x".repeat(201) }, "RUNTIME_INVALID_OPTION"],
    ["an unknown option", "r", "e", { dat: 1 }, "RUNTIME_INVALID_OPTION"],
  ] as const;

  test.each(refused)("%s is refused", async (_, runId, event, given, code) => {
    const { options, journal } = world();
    const schema = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] };
    await run(
      plan({ task_id: "a", wait: { event: "e" } }, { task_id: "b", wait: { event: "typed", schema } }),
      options,
    );
    await run(plan(noted("a", 1)), { ...options, runId: "done" });
    const refusal = await signal(runId, event, { journal, ...given } as SignalOptions).catch((error: Error) => error);
    expect(refusal).toMatchObject({ code });
    // A signal has no arguments.
    if (event === "typed") expect(refusal).toMatchObject({ message: expect.stringContaining('"amount" in the data:') });
    expect(await journal.getSignals!("r")).toEqual([]);
  });

  test("data that does not fit fails the task, where only the run knows what it waits for", async () => {
    const { options, journal } = world();
    const wait = { event: "${name.value}", schema: { type: "number" } };
    await run(plan(noted("name", "typed"), { task_id: "w", wait }), options);
    await signal("r", "typed", { journal, data: "text" });
    expect(await resumeDue(options)).toMatchObject([
      { result: { end_reason: "failed", results: [{}, { error: { code: "TASK_OUTPUT_INVALID" } }] } },
    ]);
  });

  test("more than 10,000 that nobody takes are refused", async () => {
    const journal = memoryJournal();
    const { options } = world(journal);
    await run(plan({ task_id: "w", wait: { event: "e" } }), options);
    const sent_at = new Date().toISOString();
    for (let number = 0; number < 10_000; number++)
      await journal.addSignal!("r", { id: `s${number}`, event: "other", key: "", data: null, sent_at });
    await expect(signal("r", "e", { journal })).rejects.toMatchObject({ code: "RUNTIME_SIGNALS_FULL" });
  }, 60_000);
});

describe("within", () => {
  test("elements of a list, each of which has its own key", async () => {
    const { options, journal } = world(await SqliteJournal.open(":memory:"));
    const given = plan(
      noted("orders", [7, 8, 9]),
      {
        task_id: "paid",
        wait: { event: "paid", key: "${item}" },
        for_each: { items: "${orders.value}" },
      },
      noted("after", "${paid}"),
    );
    const waiting = await run(given, options);
    expect(waiting.end_reason).toBe("waiting");
    expect(await runStatus("r", { journal })).toMatchObject({
      tasks: [
        {},
        { status: "waiting", waits: [{ id: "paid[0]", key: "7" }, { id: "paid[1]" }, { id: "paid[2]" }] },
        {},
      ],
    });
    for (const key of ["9", "7"]) await signal("r", "paid", { journal, key, data: key });
    expect(await resumeDue(options)).toMatchObject([{ result: { end_reason: "waiting" } }]);
    await signal("r", "paid", { journal, key: "8", data: "8" });
    const [woken] = await resumeDue(options);
    expect(woken).toMatchObject({
      result: { end_reason: "completed", output_data: { after: { value: ["7", "8", "9"] } } },
    });
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
  });

  test("elements whose deadline has passed wait no second time when the others are woken, unless somebody asks for them", async () => {
    const { options, journal } = world(await SqliteJournal.open(":memory:"));
    const given = plan({
      task_id: "paid",
      wait: { event: "paid", key: "${item}", timeout_ms: hour },
      for_each: { items: [1, 2, 3], concurrency: 1, on_failure: "collect" },
    });
    expect((await run(given, options)).end_reason).toBe("waiting");
    for (const hours of [1, 2]) {
      vi.setSystemTime(start + hours * hour);
      expect(await resumeDue(options)).toMatchObject([{ result: { end_reason: "waiting" } }]);
    }
    await signal("r", "paid", { journal, key: "3", data: "in time" });
    expect(await resumeDue(options)).toMatchObject([
      { result: { end_reason: "completed", output_data: { paid: [null, null, "in time"] } } },
    ]);
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
    const again = plan({
      ...given.planned_tasks![0]!,
      for_each: { items: [1, 2], concurrency: 1, on_failure: "collect" },
    });
    expect((await run(again, { ...options, runId: "r2" })).end_reason).toBe("waiting");
    vi.setSystemTime(start + 3 * hour);
    await resumeDue(options);
    const waits = async () => (await journal.getWaits!("r2")).map(({ id }) => id);
    await resume("r2", options);
    expect(await waits()).toEqual(["paid[1]"]);
    await resume("r2", { ...options, retryFailed: true });
    expect(await waits()).toContain("paid[0]");
  });

  test("a call of an element that failed is not made again when others are woken", async () => {
    const calls: unknown[] = [];
    const fails = defineTool({
      id: "fails",
      description: "",
      execute: ({ value }: { value?: unknown }) => {
        calls.push(value);
        throw new Error("no");
      },
    });
    const options = { executors: [toolExecutor([fails])], journal: memoryJournal(), runId: "r" };
    const tasks = [
      { task_id: "pause", wait: { for_ms: hour } },
      { task_id: "call", tool_id: "fails", arguments: { value: "${item}" }, dependencies: ["pause"] },
    ];
    const given = plan({
      task_id: "each",
      for_each: { items: [1, 2, 3], concurrency: 1, on_failure: { first: 2 }, tasks },
    });
    await run(given, options);
    for (const hours of [1, 2]) {
      vi.setSystemTime(start + hours * hour);
      await resumeDue(options);
    }
    // The second failure is one too many, so that the third element does not begin.
    expect(calls).toEqual([1, 2]);
    expect(await runStatus("r", { journal: options.journal })).toMatchObject({ status: "failed" });
    expect((await verifyRun(options.journal, "r")).problems).toEqual([]);
  });

  test("several tasks for each element", async () => {
    const { options, calls } = world(await SqliteJournal.open(":memory:"));
    const given = plan({
      task_id: "each",
      for_each: {
        items: [1, 2],
        as: "one",
        tasks: [
          noted("before", "${one}"),
          { task_id: "pause", wait: { for_ms: hour }, dependencies: ["before"] },
          noted("after", "${one}", { dependencies: ["pause"] }),
        ],
      },
    });
    expect((await run(given, options)).end_reason).toBe("waiting");
    vi.setSystemTime(start + hour);
    const [woken] = await resumeDue(options);
    expect(woken).toMatchObject({ result: { end_reason: "completed" } });
    // Elements do not wait for one another.
    const values = (calls as { value: number }[]).map(({ value }) => value);
    expect([values.slice(0, 2).sort(), values.slice(2).sort()]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  test("a workflow", async () => {
    const { options, journal } = world(await SqliteJournal.open(":memory:"));
    const flow = defineWorkflow({
      id: "flow",
      description: "",
      plan: { planned_tasks: [{ task_id: "w", wait: { event: "e" } }, noted("end", "${w}")] },
    });
    const given = { ...options, executors: [...options.executors, workflowExecutor([flow])] };
    const task = { task_id: "outer", execution_type: "dsl" as const, parameters: { uid: "flow" } };
    expect((await run(plan(task, noted("after", "${outer}")), given)).end_reason).toBe("waiting");
    expect(await runStatus("r", { journal })).toMatchObject({ tasks: [{ waits: [{ id: "outer/w" }] }, {}] });
    await signal("r", "e", { journal, data: 4 });
    expect(await resumeDue(given)).toMatchObject([
      { result: { end_reason: "completed", output_data: { after: { value: { value: 4 } } } } },
    ]);
  });
});

describe("a run stays in its process", () => {
  test("for what is due soon", async () => {
    vi.useRealTimers();
    const { options } = world();
    const given = plan({ task_id: "w", wait: { for_ms: 30 } }, noted("after", "${w}"));
    expect(await run(given, options)).toMatchObject({ end_reason: "completed" });
    const long = plan({ task_id: "w", wait: { for_ms: 60_000 } });
    expect(await run(long, { ...options, runId: "long", waitHereMs: 10 })).toMatchObject({ end_reason: "waiting" });
  });

  test("where it is kept nowhere, for as long as it takes", async () => {
    vi.useRealTimers();
    const { options } = world();
    const { journal: _, ...rest } = options;
    const given = plan({ task_id: "w", wait: { for_ms: 30 } }, noted("after", "${w}"));
    expect(await run(given, { ...rest, waitHereMs: 1 })).toMatchObject({ end_reason: "completed" });
    expect(await run(plan({ task_id: "w", wait: { event: "e" } }), rest)).toMatchObject({
      end_reason: "failed",
      results: [{ error: { code: "TASK_WAIT" } }],
    });
  });

  test.each(["signal", "drain"] as const)("until it is stopped: %s", async (how) => {
    vi.useRealTimers();
    const { options, journal } = world();
    const stop = new AbortController();
    const running = run(plan({ task_id: "w", wait: { for_ms: 3_000 } }), {
      ...options,
      [how]: stop.signal,
      onEvent: ({ type }) => {
        if (type === "task-wait") setImmediate(() => stop.abort());
      },
    });
    const ended = await running;
    expect(ended.end_reason).toBe(how === "drain" ? "drained" : "cancelled");
    expect(await journal.getWaits!("r")).toHaveLength(how === "drain" ? 1 : 0);
    expect(ended.results[0]!.status).toBe("cancelled");
  });
});

describe("resumed before its time", () => {
  test("it waits for the rest, and not from the beginning again", async () => {
    const { options } = world(await SqliteJournal.open(":memory:"));
    await run(plan({ task_id: "w", wait: { for_ms: hour } }), options);
    vi.setSystemTime(start + hour / 2);
    const again = await resume("r", options);
    expect(again).toMatchObject({ end_reason: "waiting", results: [{ wait: { due_at: "2026-11-23T10:00:00.000Z" } }] });
    vi.setSystemTime(start + hour);
    expect(await resumeDue(options)).toMatchObject([{ result: { end_reason: "completed" } }]);
  });

  test("of several processes one wakes it", async () => {
    const journal = await SqliteJournal.open(":memory:");
    const { options, calls } = world(journal);
    await run(plan({ task_id: "w", wait: { for_ms: hour } }, noted("after", "${w}")), options);
    vi.setSystemTime(start + hour);
    const woken = await Promise.all([resumeDue(options), resumeDue(options), resumeDue(options)]);
    expect(woken.flat()).toHaveLength(1);
    expect(calls).toHaveLength(1);
    // One that stopped for a minute before it came to its run.
    await expect(resume("r", { ...options, ifDueBy: Date.now() })).rejects.toMatchObject({ code: "RUNTIME_NOT_DUE" });
    expect((await journal.getRun("r")).status).toBe("completed");
  });

  test("a run that was cancelled is never due", async () => {
    const { options, journal } = world();
    await run(plan({ task_id: "w", wait: { for_ms: hour } }), options);
    await cancelRun("r", { journal });
    vi.setSystemTime(start + hour);
    expect(await resumeDue(options)).toEqual([]);
  });

  test("a clock that is set back lets it wait until the time comes again, and one that is set forward does not", async () => {
    const { options } = world();
    await run(plan({ task_id: "w", wait: { for_ms: hour } }), options);
    vi.setSystemTime(start - 10 * hour);
    expect(await resumeDue(options)).toEqual([]);
    vi.setSystemTime(start + 1_000 * hour);
    expect(await resumeDue(options)).toMatchObject([{ result: { end_reason: "completed" } }]);
  });
});

test("a fork waits for signals of its own", async () => {
  const { options, journal } = world();
  await run(plan({ task_id: "w", wait: { event: "e" } }, noted("after", "${w}")), options);
  await signal("r", "e", { journal, data: 1 });
  await resumeDue(options);
  const kept = await fork("r", "after", { ...options, runId: "f1" });
  expect(kept).toMatchObject({ end_reason: "completed", output_data: { after: { value: 1 } } });
  const again = await fork("r", "w", { ...options, runId: "f2" });
  expect(again.end_reason).toBe("waiting");
  await signal(again.run_id, "e", { journal, data: 2 });
  expect(await resumeDue(options)).toMatchObject([{ result: { output_data: { after: { value: 2 } } } }]);
});

test("a replay gives what was recorded", async () => {
  const { options, journal } = world();
  await run(plan({ task_id: "w", wait: { event: "e" } }, noted("after", "${w}")), options);
  await signal("r", "e", { journal, data: 1 });
  await resumeDue(options);
  expect(await replay("r", { journal })).toEqual({
    run_id: "r",
    replayed: 2,
    unfinished: [],
    output_data: { after: { value: 1 } },
  });
});

describe("what is no wait", () => {
  const cases = [
    ["a text that is no time", { until: "${v.value}" }, "soon"],
    ["a time without a zone", { until: "${v.value}" }, "2026-12-01T09:00:00"],
    ["a day that there is not", { until: "${v.value}" }, "2026-02-30T09:00:00Z"],
    ["a list", { for_ms: "${v.value}" }, [1]],
    ["a negative duration", { for_ms: "${v.value}" }, -1],
    ["an endless duration", { for_ms: "${v.value}" }, 1e15],
    ["an event that is an object", { event: "${v.value}" }, { a: 1 }],
    ["an empty event", { event: "${v.value}" }, ""],
    ["a long key", { event: "e", key: "${v.value}" }, "k".repeat(201)],
    ["a deadline that is none", { event: "e", deadline: "${v.value}" }, "tomorrow"],
  ] as const;

  test.each(cases)("%s fails the task", async (_, wait, value) => {
    const { options } = world();
    const ended = await run(plan(noted("v", value), { task_id: "w", wait: { ...wait } }), options);
    expect(ended.results[1]).toMatchObject({ status: "failed", error: { code: "TASK_WAIT" } });
  });
});

test("the status of a run says what it waits for", async () => {
  const { options, journal } = world();
  await run(plan({ task_id: "pause", wait: { until: "2026-11-24T09:00:00+01:00" } }), options);
  const status = await runStatus("r", { journal });
  expect(status.status).toBe("waiting");
  expect(status.tasks[0]).toMatchObject({
    status: "waiting",
    waits: [{ id: "pause", due_at: "2026-11-24T08:00:00.000Z" }],
  });
});

test("events say that a task waits", async () => {
  const events: RunEvent[] = [];
  const { options } = world(undefined, { onEvent: (event) => events.push(event) });
  await run(plan({ task_id: "pause", wait: { for_ms: hour } }), options);
  expect(events.map(({ type }) => type)).toEqual(["run-start", "task-wait", "run-end"]);
  expect(events[1]).toMatchObject({ taskId: "pause", wait: { due_at: "2026-11-23T10:00:00.000Z" } });
});

test("events say that a task waits in which something waits", async () => {
  const { options } = world(memoryJournal());
  const events: RunEvent[] = [];
  const within = plan({
    task_id: "each",
    for_each: { items: [1], tasks: [{ task_id: "e", wait: { event: "e" } }] },
  });
  await run(within, { ...options, onEvent: (event) => events.push(event) });
  const own = events.filter((event) => "taskId" in event && event.taskId === "each" && event.type !== "task-progress");
  expect(own.map(({ type }) => type)).toEqual(["task-start", "task-wait"]);
  expect(own.at(-1)).not.toHaveProperty("wait");
});

test("a dry run says what is waited for, and counts no call", async () => {
  const { options } = world();
  const { executors } = options;
  const given = plan({ task_id: "pause", wait: { for_ms: hour } }, noted("after", "${pause}"));
  const dry = dryRun(given, { executors, confirm: "writes" });
  expect(dry.steps[0]).toMatchObject({ waits: "waits 1 h", end_ms: hour });
  expect(dry.steps[0]!.needs_approval).toBeUndefined();
  expect(dry.calls).toEqual({ "tool:note": 1 });
});
