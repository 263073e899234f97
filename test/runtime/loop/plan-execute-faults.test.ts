import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ModelRequest, openaiModel } from "@planloom/controller";
import {
  type ChatBehaviour,
  type ChatRequest,
  chatBehaviours,
  scriptedModel,
  startChatServer,
} from "@planloom/controller/testing";
import {
  approve,
  defineTool,
  exitLoop,
  memoryJournal,
  modelExecutor,
  modelReplanner,
  type PlanExecuteResult,
  planExecute,
  resumePlanExecute,
  SqliteJournal,
  toolExecutor,
  waitingFor,
} from "@planloom/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { callsOf } from "../../support/agents.ts";
import { cases } from "../../support/cases.ts";

const script = fileURLToPath(new URL("../../support/loop-process.ts", import.meta.url));

function workplace() {
  const folder = mkdtempSync(join(tmpdir(), "planloom-loop-"));
  const [file, log] = [join(folder, "journal.sqlite"), join(folder, "effects.log")];
  return {
    file,
    effects: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
    start: (mode: "run" | "resume", baseURL: string) =>
      spawn(process.execPath, [script, mode, file, log, baseURL], { stdio: ["ignore", "pipe", "inherit"] }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function resultOf(child: ReturnType<typeof spawn>): Promise<PlanExecuteResult> {
  let text = "";
  child.stdout!.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  await once(child, "close");
  return JSON.parse(text) as PlanExecuteResult;
}

/** Which of the three a request is from, and the model's part in it. */
function server(executor: (tool: readonly string[]) => ChatBehaviour) {
  const asked: string[] = [];
  const calls = (name: string, args: object): ChatBehaviour => ({
    toolCalls: [{ name, arguments: JSON.stringify(args) }],
  });
  const answer = ({ body }: ChatRequest): ChatBehaviour => {
    const tools = ((body?.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
    const role = tools.includes("respond") ? "replanner" : tools.includes("plan") ? "planner" : "executor";
    asked.push(role);
    if (role === "planner") return calls("plan", { steps: ["Find it", "Book it"] });
    const messages = body?.messages as { role: string; content: string | null }[];
    if (role === "replanner")
      return messages.some(({ content }) => content?.includes("Step: Book it"))
        ? calls("respond", { response: "Booked." })
        : calls("plan", { steps: ["Book it"] });
    const step = messages.some(({ content }) => content?.includes("Your step: Book it")) ? ["Book it"] : ["Find it"];
    return executor([
      ...step,
      ...messages.filter((message) => message.role === "tool").map(({ content }) => content ?? ""),
    ]);
  };
  return { asked, answer, calls };
}

test("interrupted in one process, approved in another, resumed in a third: nothing is done twice", async () => {
  using place = workplace();
  const { asked, answer, calls } = server(([step, ...done]) => {
    if (done.length > 0) return chatBehaviours.answers(`${step}: ${done.join()}`);
    return calls(step === "Book it" ? "book" : "search", {});
  });
  await using http = await startChatServer([answer], { repeat: true });
  const first = await resultOf(place.start("run", http.baseURL));
  expect(first).toMatchObject({ end_reason: "waiting_approval", interrupted: { agent: "executor", round: 1 } });
  expect(first.waiting).toMatchObject([{ uid: "book", input: {} }]);
  const before = asked.length;

  const journal = await SqliteJournal.open(place.file);
  await approve("the-loop", first.waiting[0]!.id, { journal });
  await journal.close();
  const second = await resultOf(place.start("resume", http.baseURL));
  expect(second).toMatchObject({ end_reason: "responded", response: "Booked.", rounds: 2 });
  expect(place.effects()).toEqual(["search", "book"]);
  expect(asked.slice(0, before)).toEqual(["planner", "executor", "executor", "replanner", "executor"]);
  expect(asked.slice(before)).toEqual(["executor", "replanner"]);
}, 120_000);

test("killed in the middle of a tool call: another process goes on there", async () => {
  using place = workplace();
  const { asked, answer, calls } = server(([step, ...done]) => {
    if (step === "Book it") return chatBehaviours.answers("Nothing to book.");
    if (done.length === 0) return calls("search", {});
    return done.length === 1 ? calls("slow", {}) : chatBehaviours.answers("Found.");
  });
  await using http = await startChatServer([answer], { repeat: true });
  const child = place.start("run", http.baseURL);
  while (!place.effects().includes("slow")) await wait(20);
  child.kill("SIGKILL");
  await once(child, "close");
  const before = asked.length;
  expect(before).toBe(3);

  const result = await resultOf(place.start("resume", http.baseURL));
  expect(result).toMatchObject({ end_reason: "responded", rounds: 2 });
  // What was under way is made again; what was recorded is not, and no question is asked twice.
  expect(place.effects()).toEqual(["search", "slow", "slow"]);
  expect(asked.slice(before)).toEqual(["executor", "replanner", "executor", "replanner"]);
}, 120_000);

test("two steps at the same time, one waits for a person: the other is executed, and both only once", async () => {
  const journal = memoryJournal();
  const executed: string[] = [];
  const book = defineTool({ id: "book", description: "", execute: () => executed.push("book") });
  const free = defineTool({ id: "free", description: "", execute: () => executed.push("free") });
  const asks = (name: string) => ({ ...callsOf([name, {}]) });
  const model = {
    name: "m",
    async generate({ messages }: ModelRequest) {
      const step = messages[1]!.content.includes("Your step: book") ? "book" : "free";
      return { text: "done", toolCalls: [], ...(messages.some(({ role }) => role === "tool") ? {} : asks(step)) };
    },
  };
  const options = {
    executors: [toolExecutor([book, free])],
    journal,
    approval: { resources: ["book"] },
    planner: () => ({ steps: ["book", "free"], depends_on: [[], []] }),
    executor: modelExecutor({ model }),
    replanner: () => ({ respond: "ok" }),
  };
  const first = await planExecute("Go", { ...options, runId: "r" });
  expect(first.end_reason).toBe("waiting_approval");
  expect(executed).toEqual(["free"]);
  expect(first.session.ExecutedSteps).toEqual([{ step: "free", result: "done" }]);
  await approve("r", first.waiting[0]!.id, { journal });
  expect((await resumePlanExecute("r", options)).session.ExecutedSteps.map(({ step }) => step)).toEqual([
    "book",
    "free",
  ]);
  expect(executed).toEqual(["free", "book"]);
});

test("an answer that comes while another step is executed lets the loop go on in the same run", async () => {
  const journal = memoryJournal();
  const executed: string[] = [];
  const booked = Promise.withResolvers<void>();
  const tool = (id: string, execute: () => unknown) =>
    defineTool({
      id,
      description: "",
      execute() {
        executed.push(id);
        return execute();
      },
    });
  const running = planExecute("Go", {
    executors: [toolExecutor([tool("look", () => 1), tool("book", () => booked.resolve())])],
    journal,
    runId: "r",
    approval: { resources: ["book"] },
    planner: () => ({ steps: ["book", "wait"], depends_on: [[], []] }),
    async executor({ step }, { callTool }) {
      executed.push(`step ${step}`);
      if (step === "wait") return booked.promise;
      await callTool!("look");
      return callTool!("book");
    },
    replanner: () => ({ respond: "ok" }),
  });
  let waiting = await waitingFor("r", { journal });
  for (; waiting.length === 0; waiting = await waitingFor("r", { journal })) await wait(5);
  await approve("r", waiting[0]!.id, { journal });
  expect(await running).toMatchObject({ end_reason: "responded", rounds: 1 });
  // "look" was called once, though the step that calls it began twice.
  expect(executed.filter((each) => each !== "step wait")).toEqual(["step book", "look", "step book", "book"]);
});

test("an abort in the middle of a cycle leaves nothing running; a failure reported before it is not made again", async () => {
  const journal = memoryJournal();
  const abort = new AbortController();
  const calls: string[] = [];
  let stopped = false;
  const tries = { count: 0 };
  const hang = defineTool({
    id: "hang",
    description: "",
    execute: (_: Record<string, unknown>, { signal }) =>
      new Promise((resolve, reject) => {
        if (tries.count++ > 0) resolve("fine");
        signal.addEventListener("abort", () => {
          stopped = true;
          reject(signal.reason as Error);
        });
        abort.abort();
      }),
  });
  const model = scriptedModel([callsOf(["hang", {}]), "ok"]);
  const asModel = modelExecutor({ model });
  const options = {
    executors: [toolExecutor([hang])],
    journal,
    planner: () => ["fail", "hang"],
    executor(work: { step: string; session: Parameters<typeof asModel>[0]["session"] }, context: object) {
      calls.push(work.step);
      if (work.step === "fail") throw new Error("no");
      return asModel(work, context);
    },
    replanner: ({ ExecutedSteps }: { ExecutedSteps: readonly unknown[] }) =>
      ExecutedSteps.length === 1 ? { plan: ["hang"] } : { respond: "ok" },
  };
  const first = await planExecute("Go", { ...options, runId: "r", signal: abort.signal });
  expect([first.end_reason, stopped]).toEqual(["cancelled", true]);
  expect(first.session.ExecutedSteps).toMatchObject([{ step: "fail", failed: true }]);
  // Nobody knows what the tool did that was stopped.
  const asked = await resumePlanExecute("r", options);
  expect(asked.end_reason).toBe("waiting_approval");
  expect(tries.count).toBe(1);
  const second = await resumePlanExecute("r", { ...options, onUnknown: "retry" });
  expect(second.end_reason).toBe("responded");
  expect(tries.count).toBe(2);
  expect(new Set(calls)).toEqual(new Set(["fail", "hang"]));
  model.assertDone();
});

test("a model that misbehaves gets the issues, three attempts in all", async () => {
  const replies: ChatBehaviour[] = [
    // As a call, as a response format, in words.
    { text: "Sure, I will plan that!", ignoresTools: true },
    { text: "Sure, I will plan that!" },
    { text: "Sure, I will plan that!" },
    { toolCalls: [{ name: "make_plan", arguments: "{}" }] },
    chatBehaviours.inProse({ name: "plan", arguments: { steps: ["Look"] } }),
    { toolCalls: [{ name: "plan", arguments: '{"steps": "Look"}' }] },
    { toolCalls: [{ name: "plan", arguments: '{"steps": []}' }] },
    chatBehaviours.thinksFirst({ response: "It is 5." }),
  ];
  await using http = await startChatServer(replies);
  const model = openaiModel({ baseURL: http.baseURL, apiKey: "none", model: "m", maxRetries: 0 });
  const issues: string[] = [];
  const result = await planExecute("Go", {
    model,
    executors: [],
    executor: () => "5",
    onEvent: (event) => void (event.type === "loop-feedback" && issues.push(event.issue)),
  });
  expect(result).toMatchObject({ end_reason: "responded", response: "It is 5." });
  expect(issues).toEqual([
    "no tool call.",
    "unexpected tool call: make_plan.",
    expect.stringContaining("unmarshal plan error"),
    expect.stringContaining("at least one step"),
  ]);
  expect(http.left).toBe(0);

  await using stubborn = await startChatServer([{ text: "just text", ignoresTools: true }], { repeat: true });
  const other = openaiModel({ baseURL: stubborn.baseURL, apiKey: "none", model: "m", maxRetries: 0 });
  const failed = await planExecute("Go", { model: other, executors: [] });
  expect(failed).toMatchObject({ end_reason: "failed", error: { message: expect.stringContaining("no tool call") } });
  // Each form is asked for once; what was ignored is left out of the next requests.
  expect(stubborn.requests).toHaveLength(5);
});

test("a plan that reached the limit of tokens says so, to the model and in the error", async () => {
  const cut = { toolCalls: [{ id: "a", name: "plan", arguments: '{"steps": ["Lo' }], finishReason: "length" } as const;
  const issues: string[] = [];
  const result = await planExecute("Go", {
    model: scriptedModel([cut, cut, cut]),
    executors: [],
    executor: () => "5",
    onEvent: (event) => void (event.type === "loop-feedback" && issues.push(event.issue)),
  });
  expect(issues).toHaveLength(3);
  expect([...issues, result.error?.message]).toEqual(
    Array(4).fill(expect.stringMatching(/limit of tokens \(`maxTokens`\)/)),
  );
});

test("a formatted answer is read from fences, and asked for by its schema", async () => {
  await using http = await startChatServer([chatBehaviours.fenced({ steps: ["Look"], depends_on: null })]);
  const model = openaiModel({ baseURL: http.baseURL, apiKey: "none", model: "m" });
  const { session } = await planExecute("Go", {
    executors: [],
    planner: { formattedModel: model },
    executor: () => "seen",
    replanner: () => exitLoop(),
  });
  expect(session.Plan).toEqual({ steps: ["Look"] });
  expect(http.requests[0]?.body?.response_format).toMatchObject({ type: "json_schema" });
});

test("a budget ends the loop with what there is; a resumed one goes on with a larger", async () => {
  const journal = memoryJournal();
  const usage = { inputTokens: 50, outputTokens: 0 };
  const model = scriptedModel([
    { text: "one", usage },
    { text: "two", usage },
    { text: "three", usage },
  ]);
  const rest = ["a", "b", "c"];
  const options = {
    executors: [],
    journal,
    planner: () => rest,
    executor: modelExecutor({ model }),
    replanner: ({ ExecutedSteps }: { ExecutedSteps: readonly unknown[] }) =>
      ExecutedSteps.length === 3 ? { respond: "ok" } : { plan: rest.slice(ExecutedSteps.length) },
  };
  const first = await planExecute("Go", { ...options, runId: "r", budgets: { run: { tokens: 100 } } });
  expect(first).toMatchObject({ end_reason: "budget", usage: { input_tokens: 100 } });
  expect(first.session.ExecutedSteps.map(({ result }) => result)).toEqual(["one", "two"]);
  const second = await resumePlanExecute("r", { ...options, budgets: { run: { tokens: 1_000 } } });
  expect(second).toMatchObject({ end_reason: "responded", rounds: 3 });
  model.assertDone();
});

test("a drained loop ends between two calls and is resumed", async () => {
  const journal = memoryJournal();
  const drain = new AbortController();
  const executed: string[] = [];
  const options = {
    executors: [],
    journal,
    planner: () => ["a", "b"],
    executor({ step }: { step: string }) {
      executed.push(step);
      if (step === "a") drain.abort();
      return step;
    },
    replanner: ({ ExecutedSteps }: { ExecutedSteps: readonly unknown[] }) =>
      ExecutedSteps.length === 2 ? { respond: "ok" } : { plan: ["b"] },
  };
  const first = await planExecute("Go", { ...options, runId: "r", drain: drain.signal });
  expect(first).toMatchObject({ end_reason: "drained", session: { ExecutedStep: "a" } });
  expect(await resumePlanExecute("r", options)).toMatchObject({ end_reason: "responded", rounds: 2 });
  expect(executed).toEqual(["a", "b"]);
});

test("only loops are resumed as loops", async () => {
  const journal = memoryJournal();
  const { run } = await import("@planloom/runtime");
  await run({ planned_tasks: [] }, { executors: [], journal, runId: "plan" });
  const resumed = resumePlanExecute("plan", {
    journal,
    executors: [],
    planner: () => [],
    executor: () => 1,
    replanner: () => exitLoop(),
  });
  await expect(resumed).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
});

test("whatever models reply, the loop ends with a reason, and no empty step is executed", async () => {
  const steps = fc.array(fc.oneof(fc.string(), fc.constantFrom("a", "b", "", " ", "${x}")), { maxLength: 4 });
  const depends_on = fc.array(fc.array(fc.integer({ min: -1, max: 5 }), { maxLength: 3 }), { maxLength: 4 });
  const plan = fc.oneof(fc.record({ steps, depends_on }, { requiredKeys: ["steps"] }), fc.json(), fc.string());
  const args = fc.oneof(
    plan.map((value) => JSON.stringify(value)),
    fc.record({ response: fc.anything() }).map((value) => JSON.stringify(value) ?? ""),
    fc.string(),
  );
  const call = fc.record({ id: fc.string(), name: fc.constantFrom("plan", "respond", "search", "x"), arguments: args });
  const reply = fc.record({ text: fc.string(), toolCalls: fc.array(call, { maxLength: 2 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 6 }), async (replies) => {
      let turn = 0;
      const model = { name: "m", generate: async () => replies[turn++ % replies.length]! };
      const result = await planExecute("Go", {
        model,
        executors: [],
        maxRounds: 3,
        executor({ step }) {
          expect(step.trim()).not.toBe("");
          return step.length;
        },
        replanner: modelReplanner({ model }),
      });
      expect(["responded", "failed", "stalled", "round_limit"]).toContain(result.end_reason);
      expect(result.rounds).toBeLessThanOrEqual(3);
    }),
    { numRuns: cases(200) },
  );
});
