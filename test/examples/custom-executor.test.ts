import { type ChildProcess, spawnSync } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { defineTool, type Executor } from "planloom";
import type { ExecutionContext } from "planloom/plan";
import { type RunPowers, run as runBeside, runPowers, toolExecutor } from "planloom/runtime";
import { type ExecutorSubject, executorContract } from "planloom/testing";
import { describe, expect, test } from "vitest";
import { commandExecutor } from "../../examples/custom-executor/src/command-executor.ts";
import { queueExecutor } from "../../examples/custom-executor/src/queue-executor.ts";
import { sqlExecutor } from "../../examples/custom-executor/src/sql-executor.ts";

const children: ChildProcess[] = [];
const node = (id: string, code: string, input: Record<string, string> = {}) => ({
  id,
  description: `Runs ${id}`,
  argv: [process.execPath, "-e", code, ...Object.keys(input).map((name) => `{${name}}`)] as [string, ...string[]],
  input,
});
const commands: ExecutorSubject = {
  create: () =>
    commandExecutor(
      [
        node("echo", "process.stdout.write(process.argv[1])", { text: "What to write" }),
        node("fail", "console.error('no such thing'); process.exit(3)"),
        // Real time: both are programs that are stopped long before.
        node("sleep", "setTimeout(() => {}, 5_000)"),
        // One that does not listen.
        node("stubborn", "process.on('SIGTERM', () => {}); setTimeout(() => {}, 5_000)"),
      ],
      { onStart: (child) => children.push(child) },
    ),
  succeeds: {
    step: { uid: "echo", input_data: { text: "a {b}; ${c} $(date)" } },
    output: { stdout: "a {b}; ${c} $(date)" },
  },
  fails: { step: { uid: "fail", input_data: {} } },
  slow: {
    step: { uid: "sleep", input_data: {} },
    working: () => children.some(({ exitCode, signalCode }) => exitCode === null && signalCode === null),
  },
};

const databases = new WeakMap<Executor, DatabaseSync>();
const sql: ExecutorSubject = {
  create() {
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE city (name TEXT, people INTEGER); INSERT INTO city VALUES ('Kiel', 5), ('Ulm', 2)");
    const executor = sqlExecutor(
      database,
      [
        {
          id: "larger",
          description: "Cities with more people than that",
          sql: "SELECT name FROM city WHERE people > :people",
          input: { people: { type: "integer" } },
          readOnly: true,
        },
        { id: "broken", description: "Asks for a table that is not there", sql: "SELECT * FROM town" },
        {
          id: "endless",
          description: "Counts for ever",
          sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        },
      ],
      { maxRows: 1e9 },
    );
    databases.set(executor, database);
    return executor;
  },
  dispose: (executor) => databases.get(executor)?.close(),
  succeeds: { step: { uid: "larger", input_data: { people: 3 } }, output: [{ name: "Kiel" }] },
  fails: { step: { uid: "broken", input_data: {} } },
  slow: { step: { uid: "endless", input_data: {} } },
};

const jobs = new DatabaseSync(":memory:");
const queue: ExecutorSubject = {
  // All of them work on one queue, as programs that are started one after the other.
  create: () => queueExecutor(jobs),
  succeeds: { step: { uid: "jobs", input_data: { for_whom: "print" } } },
  fails: { step: { uid: "jobs", input_data: { for_whom: "paint" } } },
  suspends: {
    step: { uid: "review", input_data: { text: "A poem" } },
    data: { text: "Better" },
    output: { text: "Better" },
  },
};

let sent = 0;
const send = defineTool({ id: "send", description: "Sends", execute: () => ++sent });
/** Sends a form, waits until it comes back, and files it in a plan of its own. */
const clerkWith = (work: (powers: RunPowers, context: ExecutionContext) => Promise<unknown>): ExecutorSubject => ({
  create: () => ({
    kind: "agent",
    resources: () => clerkResources,
    delegates: (uid) => uid === "errand",
    async execute({ uid, input_data }, context) {
      context.signal.throwIfAborted();
      if (uid === "errand") return work(runPowers(context), context);
      if (uid !== "plain" || input_data.fail === true) throw new Error("The clerk cannot do that.");
      return { done: true };
    },
  }),
  succeeds: { step: { uid: "plain", input_data: {} }, output: { done: true } },
  fails: { step: { uid: "plain", input_data: { fail: true } } },
  suspends: { step: { uid: "errand", input_data: {} }, tools: toolExecutor([send]), data: "signed", output: "signed" },
});
const clerkResources = ["plain", "errand"].map((id) => ({
  kind: "agent" as const,
  id,
  description: `Does ${id} work`,
}));
const clerk = clerkWith(async ({ call, wait, checkpoint }) => {
  const number = await checkpoint("number", () => 7);
  await call("form", "send", { number });
  return wait("answer", { event: "form-back", key: String(number) });
});

/** Sends two letters at once, in a plan of its own. */
const mail = toolExecutor([
  defineTool({ id: "send", description: "Sends", readOnly: true, execute: ({ to }) => ({ sent: to }) }),
]);
const letters = {
  planned_tasks: [
    { task_id: "one", tool_id: "send", arguments: { to: "Kiel" } },
    { task_id: "other", tool_id: "send", arguments: { to: "Ulm" } },
  ],
};
const officeWith = (work: Executor["execute"]): ExecutorSubject => {
  const { suspends: _, ...office } = clerkWith(async (__, context) => work({ uid: "errand", input_data: {} }, context));
  const output = { one: { sent: "Kiel" }, other: { sent: "Ulm" } };
  return { ...office, nests: { step: { uid: "errand", input_data: {} }, tools: mail, output } };
};
const office = officeWith((_, context) => runPowers(context).runPlan("letters", letters));

/** Every step of it begins with the powers of a run, and even the simplest makes a call by them. */
const desk: ExecutorSubject = {
  create: () => ({
    kind: "agent",
    resources: () => deskResources,
    delegates: () => true,
    async execute({ uid, input_data: { work } }, context) {
      const { call, checkpoint, runPlan, wait } = runPowers(context);
      if (uid !== "desk") throw new Error(`There is no ${uid}.`);
      context.signal.throwIfAborted();
      await call("letter", "send", { number: await checkpoint("number", () => 7) });
      if (work === "fail") throw new Error("The desk is closed.");
      if (work === "plan")
        return runPlan("letters", { planned_tasks: [{ task_id: "a", tool_id: "send" }] }).then(() => 1);
      if (work === "wait") return wait("answer", { event: "form-back" });
      if (work === "sleep") await sleep(5_000, undefined, { signal: context.signal });
      return { done: true };
    },
  }),
  succeeds: { step: { uid: "desk", input_data: { work: "easy" } }, output: { done: true } },
  fails: { step: { uid: "desk", input_data: { work: "fail" } } },
  // Real time: it is stopped long before.
  slow: { step: { uid: "desk", input_data: { work: "sleep" } } },
  suspends: { step: { uid: "desk", input_data: { work: "wait" } }, tools: toolExecutor([send]), data: 5, output: 5 },
  nests: { step: { uid: "desk", input_data: { work: "plan" } }, tools: toolExecutor([send]), output: 1 },
};
const deskResources = [{ kind: "agent" as const, id: "desk", description: "A desk" }];

describe.each([
  ["a desk whose every step begins with the powers of a run", desk],
  ["an office that runs plans", office],
  ["a clerk with the powers of a run", clerk],
  ["commands", commands],
  ["a queue, and people", queue],
  ["stubborn commands", { ...commands, slow: { ...commands.slow, step: { uid: "stubborn", input_data: {} } } }],
  ["a SQL database", sql],
] as const)("%s keep the executor contract", (_, subject) => {
  for (const { name, run } of executorContract(subject)) test(name, run);
});

describe("the suite finds", () => {
  const resources = [{ kind: "tool" as const, id: "t", description: "A tool" }];
  const subject = (execute: Executor["execute"], more: Partial<Executor> = {}): ExecutorSubject => ({
    create: () => ({ kind: "tool", resources: () => resources, execute, ...more }),
    succeeds: { step: { uid: "t", input_data: { n: 1 } } },
    fails: { step: { uid: "t", input_data: { fail: true } } },
    slow: { step: { uid: "t", input_data: { slow: true } } },
    abortGraceMs: 50,
    limitMs: 500,
  });
  const failing = async (of: ExecutorSubject) => {
    const failed: string[] = [];
    for (const { name, run } of executorContract(of)) await run().catch(() => failed.push(name));
    return failed;
  };

  test("a refusal that is none of the step's", async () => {
    const closed = { ...desk, fails: { step: { uid: "desk", input_data: { work: "easy" } } } };
    expect(await failing(closed)).toEqual([
      "fails by rejecting, never by throwing or by an output",
      "a failure inside a run is the task's, with its message",
    ]);
  });

  test("a plan that is run beside the run, and not in it", async () => {
    const beside = officeWith(async () => {
      const { output_data } = await runBeside(letters, { executors: [mail] });
      return output_data;
    });
    expect(await failing(beside)).toEqual([
      "runs a nested plan as part of the run",
      "runs a nested plan under the budget of the run",
      "runs a nested plan under the limits of the run",
    ]);
  });

  test.for([
    {
      name: "an output that is no JSON",
      execute: async () => new Map([[1, 2]]),
      finds: "executes a step and gives JSON",
    },
    {
      name: "an output that comes in parts",
      execute: async () => (async function* () {})(),
      finds: "executes a step and gives JSON",
      says: "Expected one JSON value as output, got a stream or an async iterable",
    },
    {
      name: "async *execute",
      execute: async function* () {},
      finds: "executes a step and gives JSON",
      says: "Expected execute() to give a promise, got a stream or an async iterable",
    },
    {
      name: "an executor that changes its step",
      execute: async ({ input_data }: { input_data: Record<string, unknown> }) => {
        input_data.n = 2;
        return null;
      },
      finds: "leaves the step as it is",
    },
    { name: "failure as an output", execute: async () => ({ success: false }), finds: "fails by rejecting" },
    {
      name: "a throw instead of a rejection",
      execute: () => {
        throw new Error("early");
      },
      finds: "fails by rejecting",
    },
    { name: "work that ignores its signal", execute: () => new Promise(() => {}), finds: "stops when it is asked to" },
  ])("$name", async ({ execute, finds, says = "" }) => {
    const quick = subject(execute as unknown as Executor["execute"]);
    const cases = executorContract(quick).filter(({ name }) => name.startsWith(finds.slice(0, 12)));
    expect(cases).toHaveLength(1);
    await expect(cases[0]!.run()).rejects.toThrow(says);
  });

  test("an executor that keeps its waits to itself", async () => {
    const swallows = clerkWith(async ({ call, wait }) => {
      await call("form", "send");
      return wait("answer", { event: "form-back" }).catch(() => "signed");
    });
    expect(await failing(swallows)).toContain("waits without a slot");
  });

  test("an executor that makes its calls anew each time it continues", async () => {
    let times = 0;
    const anew = clerkWith(async ({ call, wait }) => {
      await call(`form-${++times}`, "send");
      return wait("answer", { event: "form-back" });
    });
    expect(await failing(anew)).toEqual(["continues in another process where it was, and repeats nothing"]);
  });

  test("an executor that calls tools past the run", async () => {
    const past = clerkWith(async ({ call, wait }, context) => {
      await toolExecutor([send]).execute({ uid: "send", input_data: {} }, context);
      await wait("answer", { event: "form-back" });
      return call("form", "send");
    });
    expect(await failing(past)).toContain("calls tools under the budget of the run");
  });

  test("a list of resources that is another each time", async () => {
    const subjectOf = subject(async () => null, { resources: () => [...resources] });
    expect(await failing(subjectOf)).toContain("gives the same resources every time");
  });

  test("nothing wrong with an executor that does each idempotency key once", async () => {
    const begun = new Set<string>();
    const once = subject(async (_, { idempotencyKey }) => {
      if (begun.has(idempotencyKey)) throw new Error(`${idempotencyKey} was done already`);
      begun.add(idempotencyKey);
      return null;
    });
    const [many] = executorContract(once).filter(({ name }) => name.startsWith("executes many steps at once"));
    await many?.run();
    expect(begun.size).toBe(8);
  });

  test("an executor that never answers, in a bounded time", async () => {
    const never = { ...subject(() => new Promise(() => {})), abortGraceMs: 20, limitMs: 60 };
    expect(await failing(never)).toEqual(
      expect.arrayContaining(["executes a step and gives JSON", "does not begin what is cancelled already"]),
    );
  });

  test("values thrown that are no errors are reported", async () => {
    const cases = executorContract(subject(() => Promise.reject({ odd: 1 })));
    const text = cases.find(({ name }) => name.startsWith("executes a step"));
    await expect(text?.run()).rejects.toThrow("Expected an Error, but it threw { odd: 1 }.");
  });

  test("resources without a description, and of another kind", async () => {
    const wrong = [{ kind: "llm" as const, id: "t", description: "" }];
    const found = await failing({ ...subject(async () => null, { resources: () => wrong }), slow: undefined as never });
    expect(found).toContain("has a kind and resources that can be planned with");
  });
});

test("the example asserts its own result", () => {
  const main = fileURLToPath(new URL("../../examples/custom-executor/src/main.ts", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main], { encoding: "utf8", timeout: 15_000 });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ last: { stdout: "THE FISH CAN SING" } });
});

test("a queue and a person take their time, and each job is put into the queue once", () => {
  const main = fileURLToPath(new URL("../../examples/custom-executor/src/queue.ts", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main], { encoding: "utf8", timeout: 30_000 });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout).toBe("completed: 2 jobs\n");
});
