import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TaskData } from "@planloom/plan";
import {
  defineTool,
  defineWorkflow,
  type FailedAttempt,
  inProcessDispatcher,
  type RunEvent,
  type RunOptions,
  run,
  SqliteJournal,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";

class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly status = 503;
  readonly code = "E_UP";
}
const upstream = () =>
  new UpstreamError("upstream", {
    cause: Object.assign(new Error("ECONNRESET at 10.0.0.1"), { code: "ECONNRESET", cause: "a cable" }),
  });

const planOf = (tool_id: string, more: object = {}) =>
  TaskData.parse({ planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id, ...more }] });

const failing = (thrown: () => unknown) =>
  toolExecutor([
    defineTool({
      id: "t",
      description: "",
      execute: () => {
        throw thrown();
      },
    }),
  ]);

async function errorOf(thrown: () => unknown, more: Partial<RunOptions> = {}) {
  const { results } = await run(planOf("t"), { executors: [failing(thrown)], ...more });
  return results[0]!.error!;
}

test("a task's error keeps status, code, causes and where it was thrown", async () => {
  const { code, message, details } = await errorOf(upstream);
  expect({ code, message }).toEqual({ code: "TASK_FAILED", message: "upstream" });
  expect(details).toMatchObject({
    error_name: "UpstreamError",
    error_code: "E_UP",
    error_status: 503,
    error_cause: {
      name: "Error",
      message: "ECONNRESET at 10.0.0.1",
      code: "ECONNRESET",
      cause: { message: "a cable" },
    },
  });
  expect(details?.error_stack).toContain("error-trace.test.ts");
});

test("stacks can be left out, of causes too", async () => {
  const { details } = await errorOf(upstream, { errorStacks: false });
  expect(JSON.stringify(details)).not.toContain("error-trace.test.ts");
  expect(details).toMatchObject({ error_status: 503, error_cause: { message: "ECONNRESET at 10.0.0.1" } });
});

test("an AggregateError keeps its errors, and fetch its reason", async () => {
  const { details } = await errorOf(() => new AggregateError([new TypeError("one"), "two"], "none of them"));
  expect(details).toMatchObject({ error_errors: [{ name: "TypeError", message: "one" }, { message: "two" }] });
  const executors = [
    toolExecutor([defineTool({ id: "t", description: "", execute: () => fetch("http://127.0.0.1:1/") })]),
  ];
  const refused = await run(planOf("t"), { executors });
  expect(JSON.stringify(refused.results[0]!.error!.details?.error_cause)).toMatch(/bad port|ECONNREFUSED/);
});

test("what is kept is bounded, whatever is thrown", async () => {
  const endless: Error & { errors?: unknown } = new Error("x".repeat(100_000));
  endless.cause = endless;
  endless.errors = Array(1_000).fill(endless);
  const odd = Object.defineProperty(new Error("odd"), "cause", {
    get() {
      throw new Error("no");
    },
  });
  for (const thrown of [endless, odd, { cause: Symbol("s"), status: Number.NaN }, Object.create(null)]) {
    const error = await errorOf(() => thrown);
    expect(JSON.stringify(error).length).toBeLessThan(200_000);
    expect(JSON.stringify(error.details ?? {})).not.toContain('"error_status"');
  }
});

test("nothing of it shows a secret: result, events, journal, hook", async () => {
  const folder = mkdtempSync(join(tmpdir(), "planloom-trace-"));
  try {
    const file = join(folder, "runs.sqlite");
    const journal = await SqliteJournal.open(file, { events: true });
    const key = "-----BEGIN KEY-----\nMIIEvQab1234\n-----END KEY-----";
    const shown: string[] = [];
    const events: RunEvent[] = [];
    const tool = defineTool({
      id: "t",
      description: "",
      execute: (input: unknown) => {
        const { key: text } = input as { key: string };
        const line = text.split("\n")[1];
        throw new AggregateError([new Error(`tried ${line}`)], "refused", { cause: new Error(`key ${text}`) });
      },
    });
    const { results } = await run(planOf("t", { arguments: { key: { $secret: "KEY" } } }), {
      executors: [toolExecutor([tool])],
      journal,
      secrets: { KEY: key },
      onEvent: (event) => events.push(event),
      onError: (thrown) => {
        const { message, stack, cause, errors } = thrown as AggregateError;
        shown.push(`${message} ${stack} ${String((cause as Error).stack)} ${String(errors[0].stack)}`);
      },
    });
    await journal.close();
    expect(results[0]!.error?.details).toMatchObject({
      error_cause: { message: expect.stringContaining("[redacted]") },
      error_errors: [{ message: "tried [redacted]" }],
    });
    expect(shown).toHaveLength(1);
    const all = [JSON.stringify(results), JSON.stringify(events), readFileSync(file, "latin1"), ...shown].join("\n");
    expect(all).toContain("error_cause");
    expect(all).not.toContain("MIIEvQab1234");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("onError is called for each attempt with what was thrown itself; what it throws changes nothing", async () => {
  const reported: [unknown, FailedAttempt][] = [];
  const thrown = upstream();
  const { results } = await run(planOf("t"), {
    executors: [failing(() => thrown)],
    runId: "r",
    retry: { max_attempts: 2, initial_delay_ms: 0 },
    onError: (error, about) => {
      reported.push([error, about]);
      throw new Error("the hook's own fault");
    },
  });
  expect(results[0]!.status).toBe("failed");
  expect(reported.map(([error]) => error === thrown)).toEqual([true, true]);
  const about = { runId: "r", taskId: "a", path: [], uid: "t" };
  expect(reported.map(([, each]) => each)).toEqual([
    { ...about, attempt: 1 },
    { ...about, attempt: 2 },
  ]);
});

test("it is called for tasks of nested plans and of subgraphs dispatched in this process", async () => {
  const reported: FailedAttempt[] = [];
  const onError = (_thrown: unknown, about: FailedAttempt) => reported.push(about);
  const flow = defineWorkflow({
    id: "flow",
    description: "",
    plan: { planned_tasks: [{ task_id: "inner", execution_type: "tool", tool_id: "t" }] },
  });
  const plan = TaskData.parse({
    planned_tasks: [{ task_id: "outer", execution_type: "dsl", parameters: { uid: "flow" } }],
  });
  await run(plan, { executors: [failing(upstream), workflowExecutor([flow])], onError });
  expect(reported[0]).toMatchObject({ taskId: "inner", path: ["outer"], uid: "t", attempt: 1 });
  reported.length = 0;
  const single = planOf("t");
  const { results } = await run(single, {
    executors: [failing(upstream)],
    onError,
    semantics: "atomic",
    subgraphs: [{ subgraph_id: "s", tasks: single.planned_tasks, dependencies: [] }],
    dispatcher: inProcessDispatcher(),
  });
  expect(results[0]!.error?.details).toMatchObject({ error_status: 503, error_stack: expect.any(String) });
  expect(reported).toMatchObject([{ taskId: "a", attempt: 1 }]);
});

test("a replanner gets the reason, and no files and lines", async () => {
  const asked: unknown[] = [];
  await run(planOf("t"), {
    executors: [failing(upstream)],
    replanPolicy: { on: ["failure"] },
    replan: (...given: unknown[]) => {
      asked.push(given);
      throw new Error("no idea");
    },
  });
  expect(asked.length).toBeGreaterThan(0);
  expect(JSON.stringify(asked)).toContain("upstream");
  expect(JSON.stringify(asked)).not.toContain("error_stack");
});
