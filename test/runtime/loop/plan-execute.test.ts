import { scriptedModel } from "@planloom/controller/testing";
import { TaskData } from "@planloom/plan";
import {
  approve,
  defineTool,
  exitLoop,
  type LoopEvent,
  memoryJournal,
  modelExecutor,
  planExecute,
  planExecuteAgent,
  type RoleContext,
  resumePlanExecute,
  run,
  toolExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { call, roles } from "../../support/loop-roles.ts";

test("steps that do not need one another are executed at the same time, the others after what they need", async () => {
  const log: string[] = [];
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const seen = new Map<string, readonly string[]>();
  const result = await planExecute("Go", {
    executors: [],
    replanWhen: "failure",
    planner: () => ({ steps: ["a", "b", "join"], depends_on: [[], [], [1, 2]] }),
    async executor({ step, session }) {
      seen.set(
        step,
        session.ExecutedSteps.map((each) => each.result),
      );
      if (step !== "join") {
        waiting += 1;
        if (waiting === 2) both.resolve();
        await both.promise;
      }
      log.push(step);
      return { of: step };
    },
    replanner: () => {
      throw new Error("not asked");
    },
  });
  expect(log.at(-1)).toBe("join");
  expect(result).toMatchObject({ end_reason: "completed", response: { of: "join" }, rounds: 1 });
  expect(seen.get("join")).toEqual(['{"of":"a"}', '{"of":"b"}']);
  expect(seen.get("b")).toEqual([]);
});

test("twenty steps that go well cost one planner call and no replanner call", async () => {
  const steps = Array.from({ length: 20 }, (_, index) => `step ${"i".repeat(index + 1)}`);
  const { executed, asked, options } = roles(() => steps, []);
  const { end_reason, response } = await planExecute("Go", { ...options, replanWhen: "failure" });
  expect([end_reason, response]).toEqual(["completed", `did ${steps[19]}`]);
  expect([executed.length, asked.length]).toEqual([20, 0]);
});

test.for([
  { replanWhen: "always" as const, asked: 4, executed: 4 },
  { replanWhen: { every: 2 }, asked: 2, executed: 4 },
])(
  "the replanner is asked as `replanWhen` says: $replanWhen",
  async ({ replanWhen, asked: times, executed: count }) => {
    const rest = ["a", "b", "c", "d"];
    const { executed, asked, options } = roles(() => rest, []);
    const { end_reason } = await planExecute("Go", {
      ...options,
      replanWhen,
      replanner(session) {
        asked.push("");
        const left = rest.slice(session.ExecutedSteps.length);
        return left.length === 0 ? { respond: "done" } : { plan: left };
      },
    });
    expect([end_reason, asked.length, executed.length]).toEqual(["responded", times, count]);
  },
);

test("a failed step is offered to the replanner; what waited for it is not executed, the rest is", async () => {
  const { executed, asked, options } = roles(
    () => ({ steps: ["bad", "after", "free"], depends_on: [[], [1], []] }),
    [{ plan: ["good"] }, { respond: "ok" }],
    (step) => step === "bad",
  );
  const { end_reason, session } = await planExecute("Go", { ...options, replanWhen: "failure" });
  // Nothing failed in the second round, so nobody was asked again.
  expect(end_reason).toBe("completed");
  expect(executed).toEqual(["bad", "free", "good"]);
  expect(asked).toEqual(["Failed: cannot bad; did free"]);
  expect(session.ExecutedSteps[0]).toEqual({ step: "bad", result: "Failed: cannot bad", failed: true });
});

test("what was executed is left out when it is planned again; a step that fails is tried three times", async () => {
  const events: LoopEvent[] = [];
  const { executed, options } = roles(
    () => ["a", "b"],
    [{ plan: ["1. A.", "b"] }, { plan: ["b"] }, { plan: ["b"] }, { plan: ["b", "c"] }, { respond: "ok" }],
    (step) => step === "b",
  );
  const result = await planExecute("Go", { ...options, onEvent: (event) => void events.push(event) });
  expect(executed).toEqual(["a", "b", "b", "b", "c"]);
  expect(result.end_reason).toBe("responded");
  expect(events.flatMap((event) => (event.type === "loop-repeat" ? [event.steps] : []))).toEqual([["1. A."], ["b"]]);

  const again = roles(() => ["a"], [{ plan: ["a"] }, { respond: "ok" }]);
  await planExecute("Go", { ...again.options, repeatedSteps: "run" });
  expect(again.executed).toEqual(["a", "a"]);
});

test("only repeated steps: a function stalls the loop, a model is warned first", async () => {
  const { options } = roles(() => ["a"], [{ plan: ["a"] }]);
  const stalled = await planExecute("Go", options);
  expect(stalled).toMatchObject({ end_reason: "stalled", session: { ExecutedSteps: [{ step: "a" }] } });

  const model = scriptedModel([call("plan", { steps: ["a"] }), call("respond", { response: "Done." })]);
  const reported = await planExecute("Go", { ...roles(() => ["a"], []).options, replanner: { model } });
  expect(reported).toMatchObject({ end_reason: "responded", response: "Done." });
  expect(model.requests[1]!.messages.at(-1)?.content).toContain("executed already");
});

test("the round limit ends with what there is, and can be raised afterwards", async () => {
  const journal = memoryJournal();
  const rest = ["a", "b", "c"];
  const { executed, options } = roles(() => rest, []);
  const given = {
    ...options,
    journal,
    replanner: (session: { ExecutedSteps: readonly unknown[] }) => {
      const left = rest.slice(session.ExecutedSteps.length);
      return left.length === 0 ? { respond: "done" } : { plan: left };
    },
  };
  const first = await planExecute("Go", { ...given, maxRounds: 2, runId: "r" });
  expect(first).toMatchObject({ end_reason: "round_limit", rounds: 2, error: { code: "TASK_NO_ANSWER" } });
  expect(first.session.ExecutedSteps).toHaveLength(2);
  const second = await resumePlanExecute("r", { ...given, maxRounds: 5 });
  expect(second).toMatchObject({ end_reason: "responded", response: "done", rounds: 3 });
  expect(executed).toEqual(["a", "b", "c"]);
});

test.for([
  { who: "planner", options: { planner: () => exitLoop("early") }, rounds: 0 },
  { who: "executor", options: { executor: () => exitLoop("early") }, rounds: 1 },
  { who: "replanner", options: { replanner: () => exitLoop("early") }, rounds: 1 },
])("an exit action of the $who ends the run", async ({ options, rounds }) => {
  const base = roles(() => ["a", "b"], [{ respond: "late" }]).options;
  expect(await planExecute("Go", { ...base, ...options })).toMatchObject({
    end_reason: "exited",
    response: "early",
    rounds,
  });
});

test("an exit tool ends the run; what only looks like an exit does not", async () => {
  const tools = toolExecutor([
    defineTool({ id: "hand_over", description: "", execute: () => "to a person" }),
    defineTool({ id: "odd", description: "", execute: () => ({ exit: true, response: "no" }) }),
  ]);
  const model = scriptedModel([call("odd", {}), call("hand_over", {})]);
  const { options, asked } = roles(() => ["a"], []);
  const executor = modelExecutor({ model, exitTools: ["hand_over"] });
  const result = await planExecute("Go", { ...options, executors: [tools], executor });
  expect(result).toMatchObject({ end_reason: "exited", response: "to a person" });
  expect(asked).toEqual([]);
});

test("the loop is an agent of any plan", async () => {
  const { options } = roles(() => ["a"], [{ respond: "answer" }]);
  const { executors: _, ...loop } = options;
  const echo = defineTool({ id: "echo", description: "", execute: (input: Record<string, unknown>) => input });
  const plan = TaskData.parse({
    planned_tasks: [
      { task_id: "think", execution_type: "agent", agent_id: "thinker", arguments: { input: "Why?" } },
      { task_id: "say", execution_type: "tool", tool_id: "echo", arguments: { text: "${think.response}" } },
    ],
  });
  const executors = [toolExecutor([echo]), planExecuteAgent({ ...loop, id: "thinker" })];
  expect((await run(plan, { executors })).output_data).toEqual({ say: { text: "answer" } });
  const failing = planExecuteAgent({
    ...loop,
    id: "thinker",
    replanner: () => ({ plan: ["more of it"] }),
    maxRounds: 1,
  });
  const { results } = await run(plan, { executors: [executors[0]!, failing] });
  expect(results.map(({ status }) => status)).toEqual(["failed", "skipped"]);
  expect(results[0]?.error).toMatchObject({ code: "TASK_NO_ANSWER", details: { end_reason: "round_limit" } });
});

test("nothing that users or functions write is read as a reference", async () => {
  const { options, executed } = roles(
    () => ["say ${input.x}", "then $${y}"],
    [{ plan: ["then $${y}"] }, { respond: "${z}" }],
  );
  const result = await planExecute("What is ${input.UserInput}?", { ...options, replanWhen: "always" });
  expect(executed).toEqual(["say ${input.x}", "then $${y}"]);
  expect(result).toMatchObject({ response: "${z}", session: { UserInput: ["What is ${input.UserInput}?"] } });
});

test.for([
  { name: "no model for a role", change: { planner: undefined }, option: "planner" },
  { name: "a role of no kind", change: { executor: 5 }, option: "executor" },
  { name: "wrong rounds", change: { maxRounds: -1.5 }, option: "maxRounds" },
  { name: "a policy of no kind", change: { replanWhen: "sometimes" }, option: "replanWhen" },
  { name: "every 0", change: { replanWhen: { every: 0 } }, option: "replanWhen" },
])("$name is refused before anything starts", async ({ change, option }) => {
  const { options, executed } = roles(() => ["a"], []);
  await expect(planExecute("Go", { ...options, ...change } as never)).rejects.toMatchObject({
    code: "RUNTIME_INVALID_OPTION",
    details: { option },
  });
  expect(executed).toEqual([]);
});

test.for([
  { plan: [], says: "at least one step" },
  { plan: ["a", " "], says: "step 2 is empty" },
  { plan: { steps: ["a", "b"], depends_on: [[2], [1]] }, says: "Steps wait for one another: 1 -> 2 -> 1" },
  { plan: { steps: ["a"], depends_on: [[7]] }, says: "from 1 to 1" },
  { plan: { steps: ["a"], depends_on: [[1]] }, says: "wait for one another" },
  { plan: null, says: "a list of texts" },
])("a plan that cannot be is an end with a reason: $says", async ({ plan, says }) => {
  const { options, executed } = roles(() => plan as never, []);
  const { end_reason, error } = await planExecute("Go", options);
  expect(end_reason).toBe("failed");
  expect(error?.message).toContain(says);
  expect(executed).toEqual([]);
});

test("a planner or a replanner that fails ends the run with its reason and the results so far", async () => {
  const { options } = roles(() => ["a"], []);
  const broken = () => Promise.reject(new Error("no tool call"));
  expect(await planExecute("Go", { ...options, planner: broken })).toMatchObject({
    end_reason: "failed",
    error: { message: "no tool call" },
    rounds: 0,
  });
  const late = await planExecute("Go", { ...options, replanner: broken });
  expect(late).toMatchObject({ end_reason: "failed", session: { ExecutedSteps: [{ result: "did a" }] } });
});

test("a function calls tools of the run: gated, counted, and not again after a resumption", async () => {
  const journal = memoryJournal();
  const calls: string[] = [];
  const tool = (id: string) =>
    defineTool({
      id,
      description: "",
      execute: (input: Record<string, unknown>) => calls.push(`${id}(${JSON.stringify(input)})`),
    });
  const options = {
    executors: [toolExecutor([tool("look"), tool("buy")])],
    journal,
    approval: { resources: ["buy"] },
    planner: () => ["shop"],
    async executor(_: unknown, { callTool }: RoleContext) {
      await callTool!("look", { at: "${x}" });
      await callTool!("look", { at: "${x}" });
      await expect(callTool!("steal")).rejects.toMatchObject({ code: "TASK_RESOURCE_NOT_FOUND" });
      return callTool!("buy", { what: "tea" });
    },
    replanner: () => ({ respond: "ok" }),
  };
  const first = await planExecute("Go", { ...options, runId: "r" });
  expect(first.waiting).toMatchObject([{ uid: "buy", input: { what: "tea" } }]);
  expect(calls).toEqual(['look({"at":"${x}"})', 'look({"at":"${x}"})']);
  await approve("r", first.waiting[0]!.id, { journal });
  const second = await resumePlanExecute("r", options);
  expect(second).toMatchObject({ end_reason: "responded", session: { ExecutedStep: "3" } });
  expect(calls).toHaveLength(3);
});
