import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedModel } from "@planloom/controller/testing";
import type { PlannerTaskInput, TaskData } from "@planloom/plan";
import {
  agentExecutor,
  childProcessDispatcher,
  defineAgent,
  defineTool,
  defineWorkflow,
  dryRun,
  fork,
  ledByModel,
  memoryCache,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  SqliteJournal,
  toolExecutor,
  verifyRun,
  workflowExecutor,
} from "@planloom/runtime";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { dsl, group, planOf, recorder } from "../support/run-plans.ts";

const token = 'sk-live "4711"/ü';
const secret = { $secret: "TOKEN" };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-secrets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Tools that keep what they were given; `echo` says it all again, as progress, output or error. */
function tools() {
  const given: unknown[] = [];
  const send = defineTool({
    id: "send",
    description: "",
    input: {
      type: "object",
      properties: { token: { type: "string", minLength: 10 }, n: { type: "integer" }, body: {} },
      additionalProperties: false,
    },
    async execute(input: Record<string, unknown>) {
      given.push(input);
      return { sent: true };
    },
  });
  const echo = defineTool({
    id: "echo",
    description: "",
    async execute(input: Record<string, unknown>, { onProgress }) {
      given.push(input);
      onProgress({ asked: input });
      if (input.fail) throw Object.assign(new Error(`401 for ${JSON.stringify(input)}`), { code: `E ${token}` });
      return {
        input,
        url: `https://x.test/?t=${encodeURIComponent(String(input.token))}`,
        text: JSON.stringify(input),
      };
    },
  });
  return { given, executors: [toolExecutor([send, echo])] };
}
const one = (id: string, args: Record<string, unknown>, more: PlannerTaskInput = {}): TaskData =>
  planOf({ a: [] }, { a: { tool_id: id, arguments: args, ...more } });

/** Every spelling in which a text could be found in a file. */
const spellings = [token, JSON.stringify(token).slice(1, -1), encodeURIComponent(token)];

test("is filled in for the call, and in no file, event, result or view", async () => {
  const { given, executors } = tools();
  const file = join(folder, "journal.sqlite");
  const { events, onEvent } = recorder();
  const plan = planOf(
    { a: [], b: ["a"], c: [] },
    {
      a: { tool_id: "echo", arguments: { token: secret, deep: { list: [1, secret] } } },
      b: { tool_id: "send", arguments: { body: "${a.input.deep.list[1]}" } },
      c: { tool_id: "echo", arguments: { token: secret, fail: true } },
    },
  );
  const secrets = { TOKEN: token };
  const journal = await SqliteJournal.open(file, { events: true });
  onTestFinished(() => journal.close());
  const options: RunOptions = { executors, secrets, journal, runId: "r", onEvent };
  const dry = dryRun(plan, { executors, secrets });
  expect(dry.issues).toEqual([]);
  expect(dry.steps[0]!.input).toEqual({ token: secret, deep: { list: [1, secret] } });
  const result = await run(plan, options);
  expect(result.results.map(({ status }) => status)).toEqual(["completed", "completed", "failed"]);
  expect(given).toContainEqual({ token, deep: { list: [1, token] } });
  // What was blanked is what everybody sees from then on.
  expect(given).toContainEqual({ body: "[redacted]" });
  expect(result.results[0]).toMatchObject({
    input: { token: secret, deep: { list: [1, secret] } },
    output: { input: { token: "[redacted]" }, url: "https://x.test/?t=[redacted]" },
  });
  expect(result.results[2]!.error).toMatchObject({ code: "TASK_FAILED", details: { error_code: "E [redacted]" } });

  const seen = JSON.stringify([result, events, await journal.getRun("r"), await verifyRun(journal, "r")]);
  const files = await readdir(folder);
  expect(files.filter((name) => name.startsWith("journal.sqlite")).length).toBeGreaterThanOrEqual(2);
  const bytes = await Promise.all(files.map((name) => readFile(join(folder, name))));
  expect(Buffer.concat(bytes).includes("[redacted]")).toBe(true);
  for (const spelling of spellings) {
    expect(seen).not.toContain(JSON.stringify(spelling).slice(1, -1));
    for (const each of bytes) expect(each.includes(spelling)).toBe(false);
  }
  expect((await verifyRun(journal, "r")).ok).toBe(true);
});

test("is filled in where the task itself names it, and nowhere else", async () => {
  const { given } = tools();
  const page = defineTool({ id: "page", description: "", execute: async () => ({ like: secret, text: "x" }) });
  const take = defineTool({
    id: "take",
    description: "",
    async execute(input: Record<string, unknown>) {
      given.push(input);
      return "";
    },
  });
  const plan = planOf(
    { p: [], t: ["p"] },
    {
      p: { tool_id: "page" },
      t: {
        tool_id: "take",
        arguments: { token: secret, body: "${p.like}", more: "${place}", own: { ...secret, x: 1 } },
      },
    },
  );
  const result = await run(
    { ...plan, variables: { place: secret } },
    { executors: [toolExecutor([page, take])], secrets: { TOKEN: token } },
  );
  expect(result.end_reason).toBe("completed");
  expect(given).toEqual([{ token, body: secret, more: secret, own: { ...secret, x: 1 } }]);
});

describe("what is missing or not allowed", () => {
  test("a run without it starts nothing, nor does a resumption or a fork", async () => {
    const { given, executors } = tools();
    const journal = memoryJournal();
    const plan = planOf(
      { first: [], a: ["first"] },
      {
        first: { tool_id: "send", arguments: { body: 1 } },
        a: { tool_id: "send", arguments: { token: secret }, approval: "required" },
      },
    );
    const missing = {
      code: "RUNTIME_SECRET_MISSING",
      details: { missing: [{ name: "TOKEN", task_id: "a", argument_path: "token" }] },
    };
    await expect(run(plan, { executors, journal })).rejects.toMatchObject(missing);
    await expect(run(plan, { executors, secrets: { token } })).rejects.toThrow("got only token");
    expect(given).toEqual([]);
    expect(await journal.listRuns()).toEqual([]);
    const waiting = await run(plan, { executors, journal, runId: "r", secrets: { TOKEN: token } });
    expect(waiting.end_reason).toBe("waiting_approval");
    await expect(resume("r", { executors, journal })).rejects.toMatchObject(missing);
    await expect(fork("r", "first", { executors, journal })).rejects.toMatchObject(missing);
    expect(await journal.listRuns()).toHaveLength(1);
    const forked = await fork("r", "a", { executors, journal, arguments: { body: 2 } });
    expect(forked.end_reason).toBe("waiting_approval");
    expect(dryRun(plan, { executors }).issues).toMatchObject([{ code: "unknown_secret", task_id: "a" }]);
  });

  test("what is completed needs none", async () => {
    const { executors } = tools();
    const journal = memoryJournal();
    const plan = planOf(
      { a: [], b: ["a"] },
      { a: { tool_id: "send", arguments: { token: secret } }, b: { tool_id: "echo", arguments: { fail: true } } },
    );
    const first = await run(plan, { executors, journal, runId: "r", secrets: { TOKEN: token } });
    expect(first.end_reason).toBe("failed");
    const again = await resume("r", { executors, journal });
    expect(again.results[0]).toMatchObject({ status: "completed", recorded: true });
  });

  test("a secret for other resources is not filled in for this one", async () => {
    const { given, executors } = tools();
    const secrets = { TOKEN: { value: token, resources: ["echo"] } };
    const result = await run(one("send", { token: secret }), { executors, secrets });
    expect(result.results[0]!.error).toMatchObject({
      code: "TASK_SECRET",
      message: 'The secret "TOKEN" is not for tool "send".',
      details: { secret: "TOKEN", uid: "send" },
    });
    expect(given).toEqual([]);
    expect((await run(one("echo", { token: secret }), { executors, secrets })).end_reason).toBe("completed");
    const misspelt = { TOKEN: { value: token, resources: ["ecko"] } };
    await expect(run(one("send", {}), { executors, secrets: misspelt })).rejects.toThrow(/secrets\.TOKEN\.resources/);
  });

  test("what a model is shown takes none: agents, and tools led by a model", async () => {
    const agent = agentExecutor([
      defineAgent({ id: "agent", description: "", send: async () => ({ success: true, data: "x" }) }),
    ]);
    const toAgent = one("", { token: secret }, { tool_id: null, execution_type: "agent", agent_id: "agent" });
    const secrets = { TOKEN: token };
    const said = await run(toAgent, { executors: [agent], secrets });
    expect(said.results[0]!.error).toMatchObject({ code: "TASK_SECRET" });
    const model = scriptedModel([]);
    const led = ledByModel(toolExecutor([defineTool({ id: "send", description: "", execute: async () => 1 })]), {
      model,
    });
    const byModel = await run(one("send", { token: secret }), { executors: [led], secrets });
    expect(byModel.results[0]!.error).toMatchObject({ code: "TASK_SECRET" });
    expect(model.requests).toEqual([]);
  });

  test.for([
    { name: "moved by convertor_code", task: { convertor_code: '{"body": token}' } },
    { name: "dropped by convertor_code", task: { convertor_code: '{"body": 1}' } },
  ])("one that is $name fails the task", async ({ task }) => {
    const { given, executors } = tools();
    const result = await run(one("send", { token: secret }, task), { executors, secrets: { TOKEN: token } });
    expect(result.results[0]!.error).toMatchObject({
      code: "TASK_SECRET",
      message: expect.stringContaining("`token`"),
    });
    expect(given).toEqual([]);
  });

  test.for([
    { name: "too short for the schema", args: { token: secret }, value: "abcdef", path: /token/ },
    { name: "a text where a number belongs", args: { n: secret }, value: token, path: /n/ },
  ])("one that is $name is reported without its text", async ({ args, value, path }) => {
    const { given, executors } = tools();
    const result = await run(one("send", args), { executors, secrets: { TOKEN: value } });
    expect(result.results[0]!.error).toMatchObject({
      code: "TASK_INVALID_INPUT",
      message: expect.stringMatching(path),
    });
    expect(JSON.stringify(result)).not.toContain(value);
    expect(given).toEqual([]);
  });

  test.for([
    ["abc", /secrets\.TOKEN/],
    [42, /secrets\.TOKEN/],
    [{ value: "abcdefgh", resources: "echo" }, /secrets\.TOKEN\.resources/],
  ] as const)("%j is no secret, and is not quoted", async ([value, says]) => {
    const { executors } = tools();
    const refused = run(one("send", {}), { executors, secrets: { TOKEN: value as never } });
    await expect(refused).rejects.toMatchObject({
      code: "RUNTIME_INVALID_OPTION",
      message: expect.stringMatching(says),
    });
    await expect(refused).rejects.not.toThrow(/abc|42/);
  });
});

test("one that is asked for is asked once a run, and again where that failed", async () => {
  const { given, executors } = tools();
  const asked: AbortSignal[] = [];
  const value = async ({ signal }: { signal: AbortSignal }) => {
    asked.push(signal);
    if (asked.length === 1) throw new Error(`the vault has no ${token}`);
    return token;
  };
  const plan = planOf(
    { a: [], b: ["a"] },
    {
      a: { tool_id: "send", arguments: { token: secret }, retry: { max_attempts: 2, initial_delay_ms: 1 } },
      b: { tool_id: "echo", arguments: { token: secret } },
    },
  );
  const { events, onEvent } = recorder();
  const result = await run(plan, { executors, secrets: { TOKEN: { value } }, onEvent });
  expect(result.end_reason).toBe("completed");
  expect(asked).toHaveLength(2);
  expect(given).toEqual([{ token }, { token }]);
  expect(JSON.stringify([result, events])).not.toContain(token.slice(0, 6));
});

test("a cache keeps nothing that was had with a secret", async () => {
  const { given, executors } = tools();
  const cache = { resources: ["send", "echo"], store: memoryCache() };
  for (const text of ["first-secret", "other-secret"]) {
    await run(one("send", { token: secret }), { executors, cache, secrets: { TOKEN: text } });
  }
  expect(given).toEqual([{ token: "first-secret" }, { token: "other-secret" }]);
});

test("tasks of a workflow are given it, the workflow itself is not", async () => {
  const { given, executors } = tools();
  const flow = defineWorkflow({
    id: "flow",
    description: "",
    plan: {
      planned_tasks: [
        { task_id: "in", execution_type: "tool", tool_id: "send", arguments: { token: secret, body: "${input.x}" } },
      ],
    },
  });
  const all = [...executors, workflowExecutor([flow])];
  const journal = memoryJournal({ events: true });
  const secrets = { TOKEN: token };
  const plan = planOf({ a: [] }, { a: dsl("flow", { x: 1 }) });
  expect((await run(plan, { executors: all, secrets, journal, runId: "r" })).end_reason).toBe("completed");
  expect(given).toEqual([{ token, body: 1 }]);
  expect(JSON.stringify([await journal.getTasks("r"), await journal.getNestedTasks("r")])).not.toContain("sk-live");
  const handed = await run(planOf({ a: [] }, { a: dsl("flow", { x: secret }) }), { executors: all, secrets });
  expect(handed.results[0]!.error).toMatchObject({ code: "TASK_SECRET" });
});

test("worker processes ask for it call by call, and tell nothing of it", async () => {
  const { executors } = await import("../support/dispatch-worker.ts");
  const dispatcher = childProcessDispatcher({
    module: new URL("../support/dispatch-worker.ts", import.meta.url),
    keepWorkers: 1,
  });
  onTestFinished(() => dispatcher.close());
  const plan = planOf(
    { a: [], b: ["a"], c: [] },
    {
      a: { tool_id: "echo", arguments: { token: secret } },
      b: { tool_id: "echo", arguments: { token: secret, fail: true } },
      c: { tool_id: "echo", arguments: { token: { $secret: "OTHER" } } },
    },
  );
  const file = join(folder, "workers.sqlite");
  const journal = await SqliteJournal.open(file, { events: true });
  onTestFinished(() => journal.close());
  const result = await run(plan, {
    executors: await executors(),
    semantics: "atomic",
    subgraphs: group(plan, { one: ["a", "b"], two: ["c"] }),
    dispatcher,
    journal,
    secrets: { TOKEN: token, OTHER: { value: "other-secret", resources: ["work"] } },
  });
  const [a, b, c] = result.results;
  expect(a).toMatchObject({ output: { input: { token: "[redacted]" }, lengths: { token: token.length } } });
  expect(b!.error).toMatchObject({ code: "TASK_FAILED", message: expect.stringContaining("[redacted]") });
  expect(c!.error).toMatchObject({ code: "TASK_SECRET", message: expect.stringContaining('not for tool "echo"') });
  for (const name of await readdir(folder)) {
    const bytes = await readFile(join(folder, name));
    for (const spelling of [...spellings, "other-secret"]) expect(bytes.includes(spelling)).toBe(false);
  }
});
