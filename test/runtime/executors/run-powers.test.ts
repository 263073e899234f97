import { type Executor, type PlannerTaskInput, TaskData } from "@planloom/plan";
import {
  approve,
  defineExecutor,
  defineTool,
  deny,
  type RunEvent,
  type RunPowers,
  resume,
  resumeDue,
  run,
  runPowers,
  runStatus,
  SqliteJournal,
  signal,
  toolExecutor,
  waitingFor,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { group } from "../../support/run-plans.ts";

const resources = [{ kind: "agent" as const, id: "worker", description: "" }];

/** An agent whose work is `work`, and tools that note their calls. */
function world(work: (powers: RunPowers) => Promise<unknown>) {
  const calls: string[] = [];
  let times = 0;
  const worker: Executor = {
    kind: "agent",
    resources: () => resources,
    delegates: () => true,
    execute(_, context) {
      times++;
      return work(runPowers(context));
    },
  };
  const note = (id: string) =>
    defineTool({
      id,
      description: "",
      execute: ({ value }) => {
        calls.push(`${id} ${value}`);
        if (value === "fails") throw new Error("no");
        return { value };
      },
    });
  const executors = [worker, toolExecutor([note("send"), note("pay")])];
  const plan = {
    planned_tasks: [
      { task_id: "work", execution_type: "agent" as const, agent_id: "worker" },
      { task_id: "after", tool_id: "send", arguments: { value: "${work.end}" } },
    ],
  };
  return { calls, executors, plan, times: () => times };
}

test("an executor calls tools, keeps values, asks a person and waits for a signal, and nothing is done twice", async () => {
  let made = 0;
  const { calls, executors, plan, times } = world(async (powers) => {
    const number = await powers.checkpoint("number", () => ++made);
    const sent = await powers.call("first", "send", { value: `\${x} ${number}` });
    await powers.call("payment", "pay", { value: number }, { approval: "required" });
    const answer = await powers.wait("answer", { event: "answered" });
    const inner = await powers.runPlan("inner", {
      planned_tasks: [{ task_id: "in", tool_id: "send", arguments: { value: "inner" } }],
    });
    return { end: "end", number, sent, answer, inner };
  });
  const journal = await SqliteJournal.open(":memory:");
  const options = { executors, journal, runId: "r" };
  expect((await run(plan, options)).end_reason).toBe("waiting_approval");
  expect(await waitingFor("r", { journal })).toMatchObject([{ id: "work/payment", uid: "pay", input: { value: 1 } }]);
  await approve("r", "work/payment", { journal });
  const events: string[] = [];
  const onEvent = ({ type, ...event }: RunEvent) => "taskId" in event && type !== "task-progress" && events.push(type);
  expect((await resume("r", { ...options, onEvent })).end_reason).toBe("waiting");
  // Who watches hears that the task waits, as its status says.
  expect(events).toEqual(["task-start", "task-wait"]);
  // What was answered and called before is no question any more, and not why the task waits.
  expect(await waitingFor("r", { journal })).toEqual([]);
  const status = await runStatus("r", { journal });
  expect(status).toMatchObject({ tasks: [{ status: "waiting", waits: [{ id: "work/answer" }] }, {}], waiting: [] });
  expect(status.tasks[0]).not.toHaveProperty("error");
  await expect(approve("r", "work", { journal })).rejects.toThrow(
    '"work" of run r asks nothing: work/answer waits for answered.',
  );
  await signal("r", "answered", { journal, data: "yes" });
  const [woken] = await resumeDue({ executors, journal });
  expect(woken).toMatchObject({
    result: {
      end_reason: "completed",
      results: [
        { output: { number: 1, sent: { value: "${x} 1" }, answer: "yes", inner: { value: "inner" } } },
        { status: "completed" },
      ],
    },
  });
  expect(calls).toEqual(["send ${x} 1", "pay 1", "send inner", "send end"]);
  expect({ made, times: times() }).toEqual({ made: 1, times: 3 });
});

test("its calls are under the budgets and gates of the run", async () => {
  const twice = world(async (powers) => {
    await powers.call("a", "send", { value: 1 });
    await powers.call("b", "send", { value: 2 });
    return { end: 1 };
  });
  const { plan, executors } = twice;
  expect(await run(plan, { executors, budgets: { run: { calls: 2 } } })).toMatchObject({
    end_reason: "budget",
  });
  expect(twice.calls).toEqual(["send 1"]);
  const asked = world((powers) => powers.call("a", "pay", { value: 1 }));
  expect(await run(asked.plan, { executors: asked.executors, approval: { resources: ["pay"] } })).toMatchObject({
    end_reason: "waiting_approval",
  });
  expect(await run(asked.plan, { executors: asked.executors, confirm: "writes" })).toMatchObject({
    end_reason: "waiting_approval",
  });
  expect(asked.calls).toEqual([]);
});

test("a task that waits in its executor holds no slot", async () => {
  const { plan, executors, calls } = world((powers) => powers.wait("pause", { for_ms: 40 }));
  const beside = { task_id: "beside", tool_id: "send", arguments: { value: "beside" } };
  const [first] = plan.planned_tasks;
  const ended = await run({ planned_tasks: [first!, beside] }, { executors, concurrency: 1 });
  expect(ended.end_reason).toBe("completed");
  expect(calls).toEqual(["send beside"]);
});

test("a question to a person is answered by an edited input, by a plain yes or by a no", async () => {
  const asks = (powers: RunPowers) =>
    powers.ask("which", "Which ${of} them?", { about: { from: 3 }, schema: { type: "string" } });
  const journal = await SqliteJournal.open(":memory:");
  for (const runId of ["edited", "yes", "no"]) {
    const { plan, executors } = world(async (powers) => ({ end: await asks(powers) }));
    const options = { executors, journal, runId };
    expect((await run(plan, options)).end_reason).toBe("waiting_approval");
    const [asked] = await waitingFor(runId, { journal });
    const input = { question: "Which ${of} them?", about: { from: 3 } };
    expect(asked).toMatchObject({ id: "work/which", uid: "person", input });
    const edited = (answer: unknown) => approve(runId, asked!.id, { journal, input: { ...input, answer } });
    if (runId === "edited") {
      await expect(edited(7)).rejects.toMatchObject({ code: "RUNTIME_INVALID_ANSWER" });
      await edited("the third");
    } else if (runId === "yes") await approve(runId, asked!.id, { journal });
    else await deny(runId, asked!.id, { journal });
    const { results } = await resume(runId, options);
    const expected = {
      edited: { output: { end: "the third" } },
      yes: { output: { end: null } },
      no: { status: "skipped" },
    };
    expect(results[0]).toMatchObject(expected[runId as keyof typeof expected]);
  }
});

describe.each([
  ["its tasks start by themselves", {}],
  ["its subgraphs are dispatched", { semantics: "atomic" as const }],
  ["calls are counted", { budgets: { run: { calls: 9 } } }],
])("where %s", (_, more) => {
  const within = (task: PlannerTaskInput): Record<string, PlannerTaskInput> => ({
    "a task": { task_id: "t", ...task },
    "a list": { task_id: "t", ...task, for_each: { items: [1] } },
    "a list of tasks": { task_id: "t", for_each: { items: [1], tasks: [{ task_id: "in", ...task }] } },
  });
  test.each(["a task", "a list", "a list of tasks"])(
    "an executor that says nothing of its effects waits in %s, and is called again when its signal has come",
    async (place) => {
      let times = 0;
      const { executors } = world(async ({ checkpoint, wait }) => {
        times++;
        const key = await checkpoint("key", () => "k");
        return { end: await wait("answer", { event: "answered", key }) };
      });
      const { delegates: _, ...worker } = executors[0]!;
      const given = { executors: [worker], journal: await SqliteJournal.open(":memory:") };
      const plan = TaskData.parse({ planned_tasks: [within({ execution_type: "agent", agent_id: "worker" })[place]!] });
      const parts = "semantics" in more ? { subgraphs: group(plan, { s: ["t"] }) } : {};
      const options = { ...given, runId: "r", ...more, ...parts };
      expect((await run(plan, options)).end_reason).toBe("waiting");
      // Too early, and so it waits once more.
      expect(await resume("r", given)).toMatchObject({ end_reason: "waiting" });
      await signal("r", "answered", { journal: given.journal, key: "k", data: 1 });
      expect(await resumeDue(given)).toMatchObject([{ result: { end_reason: "completed" } }]);
      expect(times).toBe(3);
    },
  );
});

test("failures and bad names fail the step", async () => {
  const bad: readonly ((powers: RunPowers) => Promise<unknown>)[] = [
    (powers) => powers.call("a", "send", { value: "fails" }),
    (powers) => powers.call("a", "none"),
    (powers) => powers.call("", "send"),
    (powers) => powers.call("a/b", "send"),
    (powers) => powers.checkpoint("a", () => 1).then(() => powers.checkpoint("a", () => 2)),
    (powers) => powers.checkpoint("a", () => () => 1),
    (powers) => powers.wait("a", { until: "soon" }),
  ];
  for (const work of bad) {
    const { plan, executors } = world(work);
    expect((await run(plan, { executors })).results[0]!.status).toBe("failed");
  }
});

test("a deadline that passes within an element fails it, and leaves nothing out", async () => {
  const { executors } = world(({ wait }) => wait("signal", { event: "e", timeout_ms: 1 }));
  const list = { task_id: "work", execution_type: "agent" as const, agent_id: "worker", for_each: { items: [1] } };
  const { results } = await run(
    { planned_tasks: [list] },
    { executors, journal: await SqliteJournal.open(":memory:") },
  );
  expect(results[0]).toMatchObject({
    status: "failed",
    elements: { failed: 1, skipped: 0 },
    error: { code: "TASK_ELEMENT", details: { error: { code: "TASK_DEADLINE" } } },
  });
});

test("outside of a run there are no powers", () => {
  expect(() => runPowers({} as never)).toThrow(expect.objectContaining({ code: "RUNTIME_INVALID_OPTION" }));
});

test("an executor that is checked has them, too", async () => {
  const checked = defineExecutor({
    kind: "agent",
    resources: () => resources,
    delegates: () => true,
    execute: (_, context) => runPowers(context).checkpoint("once", () => ({ end: 1 })),
  });
  const { plan, executors } = world(async () => null);
  const ended = await run(plan, { executors: [checked, executors[1]!] });
  expect(ended.results[0]!.output).toEqual({ end: 1 });
});

test.for<{ readonly name: string; readonly work: (powers: RunPowers) => Promise<unknown>; readonly says: string }>([
  {
    name: "a wait for nothing",
    work: ({ wait }) => wait("w", {} as never),
    says: 'Step "w" is not valid: `wait`: must have exactly one of for_ms, until and event, got none.',
  },
  {
    name: "a name that objects have",
    work: ({ call }) => call("constructor", "send"),
    says: 'Step "constructor" is not valid: `task_id`: must not be a name that Object.prototype owns (and 1 more).',
  },
  {
    name: "no plan",
    work: ({ runPlan }) => runPlan("p", undefined as never),
    says: 'The plan of step "p" is not valid: Invalid input: expected object, received undefined.',
  },
  {
    name: "a wrong task of a plan",
    work: ({ runPlan }) => runPlan("p", { planned_tasks: [{ task_id: "x", wait: {} as never }] }),
    says: 'The plan of step "p" is not valid: `planned_tasks.0.wait`: must have exactly one of for_ms, until and event, got none.',
  },
  {
    name: "an input that is no object",
    work: ({ call }) => call("c", "send", "x" as never),
    says: 'Expected the input of step "c" to be an object, got "x" (string).',
  },
])("$name fails the task with what is wrong", async ({ work, says }) => {
  const { executors, plan } = world(work);
  const { results } = await run(plan, { executors });
  expect(results[0]).toMatchObject({ status: "failed", attempts: 1, error: { message: says } });
});

describe("a task ends after all that was begun in it", () => {
  /** `slow` takes some milliseconds of real time, and has an effect. */
  const slowWorld = (work: (powers: RunPowers) => Promise<unknown>) => {
    const { executors, plan } = world(work);
    const done: string[] = [];
    const slow = defineTool({
      id: "slow",
      description: "",
      execute: async () => {
        done.push("begun");
        // Real time: the other step has to end or wait while this one is under way.
        await new Promise((resolve) => setTimeout(resolve, 30));
        done.push("ended");
        return 1;
      },
    });
    return {
      done,
      executors: [...executors, toolExecutor([slow])],
      plan: { planned_tasks: plan.planned_tasks.slice(0, 1) },
    };
  };

  test("where a step waits for a person, a call beside it is not made again, and nobody is asked about it", async () => {
    const { done, executors, plan } = slowWorld(({ call, ask }) =>
      Promise.all([call("slow", "slow"), ask("a", "A?"), ask("b", "B?")]),
    );
    const journal = await SqliteJournal.open(":memory:");
    const options = { executors, journal, runId: "r" };
    expect((await run(plan, options)).end_reason).toBe("waiting_approval");
    expect(done).toEqual(["begun", "ended"]);
    const asked = await waitingFor("r", { journal });
    expect(asked.map(({ id }) => id)).toEqual(["work/a", "work/b"]);
    for (const { id } of asked) await approve("r", id, { journal });
    expect((await resume("r", options)).results[0]).toMatchObject({ status: "completed", output: [1, null, null] });
    expect(done).toEqual(["begun", "ended"]);
  });

  test("also where nobody waits for it", async () => {
    const { done, executors, plan } = slowWorld(async ({ call }) => {
      void call("slow", "slow");
      return "at once";
    });
    const { results } = await run(plan, { executors });
    expect(results[0]).toMatchObject({ status: "completed", output: "at once" });
    expect(done).toEqual(["begun", "ended"]);
  });

  test("also where another step failed, so that a second attempt does not make it again", async () => {
    let attempts = 0;
    const { done, executors, plan } = slowWorld(({ call }) =>
      Promise.all([call("slow", "slow"), ++attempts === 1 ? Promise.reject(new Error("no")) : 2]),
    );
    const { results } = await run(plan, { executors, retry: { max_attempts: 2, initial_delay_ms: 0 } });
    expect(results[0]).toMatchObject({ status: "completed", output: [1, 2] });
    expect(done).toEqual(["begun", "ended"]);
  });

  test("and a step that is begun later is refused, and calls nothing", async () => {
    let late: Promise<unknown> | undefined;
    const { calls, executors, plan } = world(async ({ call }) => {
      // Real time: the task has ended by then.
      late = new Promise((resolve) => setTimeout(resolve, 20)).then(() => call("late", "send", { value: 1 }));
      late.catch(() => {});
      return { end: "end" };
    });
    const { end_reason } = await run({ planned_tasks: plan.planned_tasks.slice(0, 1) }, { executors });
    expect(end_reason).toBe("completed");
    await expect(late).rejects.toThrow(
      'Task "work" has ended, so that nothing more can be called or waited for in it.',
    );
    expect(calls).toEqual([]);
  });

  test("unless its time is over", async () => {
    const { executors, plan } = slowWorld(async ({ wait, call }) => {
      void call("slow", "slow");
      return wait("w", { event: "e" });
    });
    const [task] = plan.planned_tasks;
    const timed = { planned_tasks: [{ ...task!, timeout_ms: 5 }] };
    const { results } = await run(timed, { executors, journal: await SqliteJournal.open(":memory:") });
    expect(results[0]).toMatchObject({ status: "failed", error: { code: "TASK_TIMEOUT" } });
  });
});

test("a call is given secrets by their names; data that looks like one names none", async () => {
  const given: unknown[] = [];
  const send = defineTool({
    id: "send",
    description: "",
    execute: (input) => {
      given.push(input);
      return { ok: true };
    },
  });
  const { plan, executors } = world(async ({ call, secret }) => {
    const token = secret("TOKEN");
    await call(
      "named",
      "send",
      { token, nested: [{ token, text: "${x}" }], none: undefined },
      { approval: "required" },
    );
    await call("data", "send", { token: { $secret: "TOKEN" } });
    return { end: 1 };
  });
  const journal = await SqliteJournal.open(":memory:");
  const options = {
    executors: [executors[0]!, toolExecutor([send])],
    journal,
    runId: "r",
    secrets: { TOKEN: "s3cret" },
  };
  expect((await run(plan, options)).end_reason).toBe("waiting_approval");
  const asked = { token: { $secret: "TOKEN" }, nested: [{ token: { $secret: "TOKEN" }, text: "${x}" }] };
  expect(await waitingFor("r", { journal })).toMatchObject([{ id: "work/named", input: asked }]);
  await approve("r", "work/named", { journal });
  expect((await resume("r", options)).end_reason).toBe("completed");
  expect(given.slice(0, 2)).toEqual([
    { token: "s3cret", nested: [{ token: "s3cret", text: "${x}" }] },
    { token: { $secret: "TOKEN" } },
  ]);
  expect(JSON.stringify([await journal.getTasks("r"), await journal.getNestedTasks("r")])).not.toContain("s3cret");
});

test.each([
  ["that the run is not given", "OTHER", "TASK_SECRET"],
  ["with a name that none has", "no name", "TASK_FAILED"],
])("a secret %s fails the call", async (_, name, code) => {
  const { plan, executors, calls } = world(({ call, secret }) => call("send", "send", { token: secret(name) }));
  const { results } = await run(plan, { executors, secrets: { TOKEN: "s3cret" } });
  expect(results[0]).toMatchObject({ status: "failed", error: { code } });
  expect(calls).toEqual([]);
});
