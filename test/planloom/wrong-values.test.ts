import { defineTool, Planloom, TaskData } from "planloom";
import { HttpController } from "planloom/controller";
import { workerParts } from "planloom/dispatch";
import { dryRun, fork, run, toolExecutor } from "planloom/runtime";
import { describe, expect, test } from "vitest";
import { turns } from "../support/fake-time.ts";

const tool = defineTool({ id: "t", description: "The tool t", execute: () => 1 });
const plan = TaskData.parse({ planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "t" }] });
const loose = <Value>(value: unknown) => value as Value;

test.each([null, 5, "x", () => 1])("options that are none are refused: %j", (options) => {
  expect(() => new Planloom(loose(options))).toThrow(expect.objectContaining({ code: "PLANLOOM_OPTION" }));
  expect(() => workerParts(loose(options))).toThrow(expect.objectContaining({ code: "PLANLOOM_OPTION" }));
});

test("without options fork and HttpController say what they need", async () => {
  await expect(fork("r", "a", loose(undefined))).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
  expect(() => new HttpController(loose({}))).toThrow(
    expect.objectContaining({ code: "CONTROLLER_OPTION", message: expect.stringContaining("`url`") }),
  );
});

describe("what JavaScript lets through is reported with a code, what was expected and what came", () => {
  test.each([
    [
      "tools: [{ id }]",
      { tools: [{ id: "x" }] },
      "RUNTIME_INVALID_DEFINITION",
      "Expected `tools[0]` to be what `defineTool` makes",
    ],
    [
      "tools: a text",
      { tools: "x" },
      "PLANLOOM_OPTION",
      "Expected `tools` of Planloom to be a list, got a text of 1 character.",
    ],
    [
      "confirm: a word that it does not know",
      { confirm: "always" },
      "PLANLOOM_OPTION",
      'Expected `confirm` of Planloom to be "writes", "destructive" or "never" or a function, got "always" (string).',
    ],
    [
      "agents: [null]",
      { agents: [null] },
      "RUNTIME_INVALID_DEFINITION",
      "Expected `agents[0]` to be what `defineAgent` makes, got null",
    ],
    ["llms: [{}]", { llms: [{}] }, "RUNTIME_INVALID_DEFINITION", "Expected `llms[0]` to be what `defineLlm` makes"],
    [
      "workflows: [5]",
      { workflows: [5] },
      "RUNTIME_INVALID_DEFINITION",
      "Expected `workflows[0]` to be what `defineWorkflow` makes",
    ],
    ["executors: [null]", { executors: [null] }, "RUNTIME_INVALID_DEFINITION", "Expected an executor"],
    ["journal: 5", { journal: 5 }, "PLANLOOM_OPTION", "Expected `journal` to be a journal"],
    ["journal: {}", { journal: {} }, "PLANLOOM_OPTION", "got an object without `createRun`"],
  ])("%s", (_, options, code, message) => {
    const make = () => new Planloom(loose(options));
    expect(make).toThrow(expect.objectContaining({ code }));
    expect(make).toThrow(message);
  });

  test.each([
    [
      "resources: () => null",
      () => null,
      "`tool executor.resources` to give a list of resources ({ kind, id, … }), got null",
    ],
    ["async resources", async () => [], "got a promise. It is called synchronously"],
    [
      "resources that throw",
      () => {
        throw new Error("boom");
      },
      "`tool executor.resources` threw: boom",
    ],
    ["a resource without an id", () => [{ kind: "tool" }], "got an array of 1"],
  ])("%s", async (_, resources, message) => {
    const executor = loose<ReturnType<typeof toolExecutor>>({ ...toolExecutor([tool]), resources });
    await expect(run(plan, { executors: [executor] })).rejects.toMatchObject({ code: "RUNTIME_INVALID_DEFINITION" });
    await expect(run(plan, { executors: [executor] })).rejects.toThrow(message);
    expect(() => dryRun(plan, { executors: [executor] })).toThrow(message);
    await using planloom = new Planloom({ executors: [executor] });
    expect(() => planloom.validate(plan)).toThrow(expect.objectContaining({ code: "PLAN_CALLBACK" }));
  });

  test("signal: a text, null", async () => {
    await using planloom = new Planloom({ tools: [tool] });
    const expected = (call: string) => ({
      code: "PLANLOOM_OPTION",
      message: `Expected \`signal\` of \`${call}\` to be an AbortSignal, got a text of 1 character.`,
    });
    await expect(planloom.run(plan, { signal: loose("x") })).rejects.toMatchObject(expected("run"));
    await expect(planloom.plan("Use t", { signal: loose("x") })).rejects.toMatchObject(expected("plan"));
    await expect(planloom.resume("x", { signal: loose("x") })).rejects.toMatchObject(expected("resume"));
    for (const signal of ["x", null]) {
      await expect(run(plan, { executors: [], signal: loose(signal) })).rejects.toMatchObject({
        code: "RUNTIME_INVALID_OPTION",
      });
    }
  });

  test.each([
    ["onUsage", "many", "Expected usage to be an object"],
    ["onCall", undefined, "Expected `onCall` to be given a call"],
  ] as const)("%s(%s)", async (name, value, message) => {
    const using = defineTool({ id: "t", description: "t", execute: (_, context) => context[name](loose(value)) });
    const { results } = await run(plan, { executors: [toolExecutor([using])] });
    expect(results[0]?.error?.message).toContain(message);
  });
});

describe("what an executor says of a step", () => {
  const estimates = [Number.NaN, -1, "7", Number.POSITIVE_INFINITY, {}, null];
  test.each(estimates)("tokens: %s is refused, and the task fails with it", async (tokens) => {
    const executor = { ...toolExecutor([tool]), estimate: () => loose<object>({ tokens }) };
    const { results, end_reason } = await run(plan, { executors: [executor], budgets: { run: { calls: 5 } } });
    expect(end_reason).toBe("failed");
    expect(results[0]?.error).toMatchObject({
      code: "TASK_CALLBACK",
      details: { callback: "tool executor.estimate", problem: "answer" },
    });
    expect(() => dryRun(plan, { executors: [executor] })).toThrow(
      expect.objectContaining({ code: "RUNTIME_INVALID_DEFINITION" }),
    );
  });

  test.each([
    ["a promise", async () => "down", "promise"],
    ["a number", () => 5, "answer"],
    [
      "an error",
      () => {
        throw new Error("boom");
      },
      "threw",
    ],
  ])(
    "`unavailable` that gives %s fails the task: it is unknown whether it could run",
    async (_, unavailable, problem) => {
      const executor = { ...toolExecutor([tool]), unavailable: loose<() => undefined>(unavailable) };
      const { results, end_reason } = await run(plan, { executors: [executor] });
      expect(end_reason).toBe("failed");
      expect(results[0]?.error).toMatchObject({ code: "TASK_CALLBACK", details: { problem } });
    },
  );
});

test("a classification that fails blocks the call", async () => {
  const classify = () => loose<"discovery">("elsewhere");
  const { results } = await run(plan, { executors: [toolExecutor([tool])], guards: { total: 3, classify } });
  expect(results[0]?.error).toMatchObject({ code: "TASK_BLOCKED", details: { guard: "classify" } });
});

test("a run that is aborted while its only task waits for `pace` ends as cancelled", async () => {
  const controller = new AbortController();
  const pace = () => {
    controller.abort();
    return new Promise(() => {});
  };
  const { end_reason } = await run(plan, { executors: [toolExecutor([tool])], signal: controller.signal, pace });
  expect(end_reason).toBe("cancelled");
});

test("of 5,000 listener faults four are reported as warnings", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  await using planloom = new Planloom({ tools: [tool] });
  for (let number = 0; number < 5_000; number++) {
    planloom.on("run-end", async () => {
      throw new Error(`down ${number}`);
    });
  }
  await planloom.run(plan);
  await turns();
  process.off("warning", note);
  expect(warnings).toHaveLength(4);
  expect(warnings[3]?.message).toContain("1000 faults so far");
});

test("of two names that are as like, none is taken for what was meant", async () => {
  const tools = ["a/send", "b/send"].map((id) => defineTool({ id, description: id, execute: () => 1 }));
  await using planloom = new Planloom({ tools });
  const issues = (tool_id: string) =>
    planloom.validate(TaskData.parse({ planned_tasks: [{ task_id: "x", execution_type: "tool", tool_id }] }));
  expect(issues("send")[0]?.message).toContain("known are");
  expect(issues("a/sned")[0]?.message).toContain("did you mean");
});
