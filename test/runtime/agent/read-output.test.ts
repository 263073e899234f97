import type { ModelReply, ModelRequest } from "@planloom/controller";
import { type ModelStep, scriptedModel } from "@planloom/controller/testing";
import { TaskData } from "@planloom/plan";
import { defineLlm, llmExecutor, memoryJournal, planExecute, resume, run } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { agentPlan, agentWorld, callsOf } from "../../support/agents.ts";

const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, name: id === 2_345 ? "needle" : `row ${id}` }));
const offered = ({ tools = [] }: ModelRequest) => tools.map(({ name }) => name);
const lastOf = ({ messages }: ModelRequest) => messages.at(-1)?.content ?? "";
const outputOf = (request: ModelRequest) => (JSON.parse(lastOf(request)) as { output: Record<string, unknown> }).output;
const reads = (input: object): ModelStep => callsOf(["read_output", input]);

describe("an output that is too long for a prompt", () => {
  test("is read in parts, by field and by what is in it; the tool comes with the first cut", async () => {
    const model = scriptedModel([
      callsOf(["list", {}]),
      reads({ of: "call-0-0", from: 30_000, length: 50 }),
      reads({ of: "call-0-0", search: "NEEDLE" }),
      reads({ of: "call-0-0", path: "[2345].name" }),
      "It is row 2345.",
    ]);
    const { executors, calls } = agentWorld(model, { list: () => rows });
    const { results } = await run(agentPlan(), { executors });
    expect(results[0]).toMatchObject({ status: "completed", output: { text: "It is row 2345." } });
    const [first, second, ...read] = model.requests;
    expect(offered(first!)).toEqual(["list"]);
    expect(offered(second!)).toEqual(["list", "read_output"]);
    const whole = JSON.stringify(rows);
    expect(lastOf(second!)).toContain(`(cut; ${whole.length + 11} characters; \`read_output\` has all of "call-0-0")`);
    expect(outputOf(read[0]!)).toEqual({
      of: "call-0-0",
      characters: whole.length,
      from: 30_000,
      to: 30_050,
      text: whole.slice(30_000, 30_050),
    });
    const at = whole.indexOf("needle");
    expect(outputOf(read[1]!)).toMatchObject({ matches: [{ at, text: expect.stringContaining("2345") }] });
    expect(outputOf(read[2]!)).toMatchObject({ path: "[2345].name", text: "needle" });
    expect(calls).toHaveLength(1);
  });

  test("of a turn that is no longer in the prompt can be read", async () => {
    const big = (q: unknown) => `${q} ${"x".repeat(5_000)}`;
    const turns = ["a", "b", "c", "d"].map((q) => callsOf(["search", { q }]));
    const model = scriptedModel([...turns, reads({ of: "call-0-0", length: 3 }), "done"]);
    const { executors } = agentWorld(model, { search: ({ q }) => big(q) }, { maxPromptCharacters: 8_000 });
    expect((await run(agentPlan(), { executors })).end_reason).toBe("completed");
    expect(outputOf(model.requests[5]!)).toMatchObject({ text: "a x", characters: 5_002 });
  });

  test("of another task, or of nothing, is answered with what can be read; a bad path with why", async () => {
    const model = scriptedModel([
      callsOf(["list", {}]),
      reads({ of: "secret" }),
      reads({ of: "call-0-0", path: "[9999]" }),
      reads({ of: "call-0-0", path: "]" }),
      reads({ of: "call-0-0", length: 900_000 }),
      "done",
    ]);
    const { executors } = agentWorld(model, { list: () => rows });
    const plan = TaskData.parse({
      planned_tasks: [
        { task_id: "secret", execution_type: "tool", tool_id: "list" },
        {
          task_id: "work",
          execution_type: "agent",
          agent_id: "worker",
          arguments: { prompt: "x" },
          dependencies: ["secret"],
        },
      ],
    });
    await run(plan, { executors });
    expect(model.requests.slice(2).map(lastOf)).toEqual([
      expect.stringContaining('There is no output \\"secret\\". Expected one of: call-0-0.'),
      expect.stringContaining("has no `[9999]`"),
      expect.stringContaining("cannot be read"),
      expect.stringContaining("do not fit"),
    ]);
  });

  test("is read by a resumed agent as before, and no answer is asked for twice", async () => {
    const journal = memoryJournal();
    const steps: ModelStep[] = [callsOf(["list", {}]), reads({ of: "call-0-0", search: "needle" })];
    const dying = scriptedModel([...steps, new Error("gone")]);
    const first = await run(agentPlan(), {
      executors: agentWorld(dying, { list: () => rows }).executors,
      journal,
      runId: "r",
      retry: { max_attempts: 1 },
    });
    expect(first.results[0]?.status).toBe("failed");
    const model = scriptedModel([(request) => (lastOf(request).includes("2345") ? "It is 2345." : "I do not know.")]);
    const world = agentWorld(model, { list: () => rows });
    const { results } = await resume("r", { executors: world.executors, journal });
    expect(results[0]).toMatchObject({ output: { text: "It is 2345." } });
    expect(world.calls).toEqual([]);
  });

  test("a tool of the run that has the name keeps it", async () => {
    const model = scriptedModel([
      callsOf(["read_output", {}]),
      callsOf(["read_output_2", { of: "call-0-0", length: 5 }]),
      "done",
    ]);
    const { executors, calls } = agentWorld(model, { read_output: () => "y".repeat(30_000) });
    await run(agentPlan(), { executors });
    expect(calls).toHaveLength(1);
    expect(outputOf(model.requests[2]!)).toMatchObject({ text: "yyyyy" });
  });
});

describe("an input that is too long for a prompt", () => {
  test("of an agent is a digest with its size and fields, and can be read", async () => {
    const model = scriptedModel([reads({ of: "input.rows", path: "[2345]" }), "done"]);
    const { executors } = agentWorld(model, {}, { maxPromptCharacters: 20_000 });
    const plan = TaskData.parse({
      planned_tasks: [
        {
          task_id: "work",
          execution_type: "agent",
          agent_id: "worker",
          arguments: { prompt: "Find it.", rows, unit: "kg" },
        },
      ],
    });
    expect((await run(plan, { executors })).end_reason).toBe("completed");
    const [first, second] = model.requests;
    expect(offered(first!)).toEqual(["read_output"]);
    const asked = first!.messages.map(({ content }) => content).join("\n");
    expect(asked.length).toBeLessThan(13_000);
    expect(asked).toMatch(
      /Find it\.[\s\S]*`read_output` has all of \\"input\.rows\\"[\s\S]*"entries": 3000[\s\S]*"fields"/,
    );
    expect(asked).toContain('"unit": "kg"');
    expect(outputOf(second!)).toMatchObject({ text: '{"id":2345,"name":"needle"}' });
  });

  test("of an llm task likewise; shorter ones are one call as before", async () => {
    const model = scriptedModel([reads({ of: "input.prompt", search: "needle" }), "row 2345", "short"]);
    const llm = defineLlm({
      id: "writer",
      description: "Writes.",
      model,
      system: "Be brief.",
      maxPromptCharacters: 10_000,
    });
    const task = (task_id: string, prompt: string) => ({
      task_id,
      execution_type: "llm" as const,
      parameters: { uid: "writer" },
      arguments: { prompt },
    });
    const long = `Which row is the needle? ${JSON.stringify(rows)} Answer with its number.`;
    const { results } = await run(TaskData.parse({ planned_tasks: [task("a", long)] }), {
      executors: [llmExecutor([llm])],
    });
    expect(results[0]?.output).toEqual({ text: "row 2345" });
    const [first] = model.requests;
    expect(first?.messages[0]).toEqual({ role: "system", content: "Be brief." });
    expect(lastOf(first!)).toMatch(
      /^Which row is the needle\?[\s\S]*has all of "input\.prompt"[\s\S]*Answer with its number\.$/,
    );
    const { results: shortly } = await run(TaskData.parse({ planned_tasks: [task("b", "Hi")] }), {
      executors: [llmExecutor([llm])],
    });
    expect(shortly[0]?.output).toMatchObject({ text: "short" });
    expect(model.requests[2]).not.toHaveProperty("tools");
  });
});

test("steps of a plan-execute loop whose results were cut can be read by the step that needs them", async () => {
  const long = `start ${"z".repeat(70_000)} needle-77 end`;
  const plan = (...steps: string[]): Partial<ModelReply> => callsOf(["plan", { steps }]);
  const model = scriptedModel([
    plan("Get it.", "Find the needle."),
    long,
    plan("Find the needle."),
    reads({ of: "step-1", search: "needle-" }),
    (request) => (lastOf(request).includes("needle-77") ? "It is needle-77." : "Nothing."),
    callsOf(["respond", { response: "needle-77" }]),
  ]);
  const { response } = await planExecute("Which needle?", { executors: [], model });
  expect(response).toBe("needle-77");
  model.assertDone();
});
