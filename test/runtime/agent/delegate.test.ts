import type { ModelRequest } from "@planloom/controller";
import { type ModelStep, scriptedModel } from "@planloom/controller/testing";
import { approve, memoryJournal, resume, run, waitingFor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { agentPlan, agentWorld, callsOf } from "../../support/agents.ts";

const handsOn = (input: object): ModelStep => callsOf(["delegate", input]);
const offered = ({ tools = [] }: ModelRequest) => tools.map(({ name }) => name);
const lastOf = ({ messages }: ModelRequest) => messages.at(-1)?.content ?? "";

describe("a part of an agent's work", () => {
  test("is done by another one with a conversation of its own, and its answer comes back", async () => {
    const model = scriptedModel([
      handsOn({ task: "Count the rows.", context: "They are in list.", tools: ["list"] }),
      callsOf(["list", { q: "all" }]),
      "There are 3 rows.",
      "Three.",
    ]);
    const options = { delegation: {}, instructions: "Amounts are in euros." };
    const { executors, calls } = agentWorld(model, { list: () => [1, 2, 3], send: () => 1 }, options);
    const { results } = await run(agentPlan("Big task."), { executors });
    expect(results[0]).toMatchObject({ status: "completed", output: { text: "Three." } });
    const [parent, sub, again, last] = model.requests;
    expect(offered(parent!)).toEqual(["list", "send", "delegate"]);
    // Parts are not handed on again, and have the tools that they were given.
    expect(offered(sub!)).toEqual(["list"]);
    expect(sub!.messages[0]!.content).toMatch(/one part of a larger task[\s\S]*Amounts are in euros/);
    expect(sub!.messages[1]!.content).toMatch(/^Count the rows\.[\s\S]*They are in list\./);
    expect(JSON.stringify([sub, again])).not.toContain("Big task.");
    expect(lastOf(last!)).toBe('{"output":{"text":"There are 3 rows."}}');
    expect(calls).toEqual([["list", { q: "all" }]]);
  });

  test("counts against the budget of the run", async () => {
    const model = scriptedModel([
      handsOn({ task: "a" }),
      callsOf(["list", {}]),
      callsOf(["list", { q: "2" }]),
      "x",
      "y",
    ]);
    const { executors, calls } = agentWorld(model, { list: () => 1 }, { delegation: {} });
    const { end_reason } = await run(agentPlan(), { executors, budgets: { run: { calls: 5 } } });
    expect(end_reason).not.toBe("completed");
    expect(calls).toHaveLength(1);
  });

  test("waits for a person where the run's gates say so, and goes on after the yes", async () => {
    const journal = memoryJournal();
    const script = (): ModelStep[] => [handsOn({ task: "Send it." }), callsOf(["send", { q: "now" }])];
    const options = { journal, runId: "r", approval: { resources: ["send"] } };
    const world = (model: ReturnType<typeof scriptedModel>) =>
      agentWorld(model, { send: () => "sent" }, { delegation: {} });
    const first = world(scriptedModel(script()));
    expect((await run(agentPlan(), { executors: first.executors, ...options })).end_reason).toBe("waiting_approval");
    expect(first.calls).toEqual([]);
    const [waiting] = await waitingFor("r", { journal });
    expect(waiting).toMatchObject({ uid: "send", input: { q: "now" } });
    await approve("r", waiting!.id, { journal });
    const model = scriptedModel(["It is sent.", "Done."]);
    const second = world(model);
    const { results } = await resume("r", { executors: second.executors, journal });
    expect(results[0]).toMatchObject({ output: { text: "Done." } });
    expect(second.calls).toEqual([["send", { q: "now" }]]);
    model.assertDone();
  });

  test("that ended in an earlier session is not done again", async () => {
    const journal = memoryJournal();
    const dying = scriptedModel([handsOn({ task: "Look." }), callsOf(["list", {}]), "It is 7.", new Error("gone")]);
    const first = agentWorld(dying, { list: () => 7 }, { delegation: {} });
    await run(agentPlan(), { executors: first.executors, journal, runId: "r", retry: { max_attempts: 1 } });
    const model = scriptedModel(["Seven."]);
    const second = agentWorld(model, { list: () => 7 }, { delegation: {} });
    const { results } = await resume("r", { executors: second.executors, journal });
    expect(results[0]).toMatchObject({ output: { text: "Seven." } });
    expect(second.calls).toEqual([]);
    expect(lastOf(model.requests[0]!)).toContain("It is 7.");
  });
});

test("parts are bounded in depth and number, and have no tool that the agent has not", async () => {
  const model = scriptedModel([
    handsOn({ task: "a", tools: ["rm"] }),
    handsOn({ task: "b" }),
    handsOn({ task: "c" }),
    "deepest",
    "deep",
    handsOn({ task: "d" }),
    "done",
  ]);
  const { executors } = agentWorld(
    model,
    { list: () => 1, rm: () => 1 },
    { tools: ["list"], delegation: { depth: 2, maxParts: 1 } },
  );
  const { results } = await run(agentPlan(), { executors });
  expect(results[0]).toMatchObject({ output: { text: "done" } });
  const [, refused, second, deepest, , , last] = model.requests;
  expect(lastOf(refused!)).toContain('The tool \\"rm\\" cannot be handed on. Yours are: list.');
  expect(offered(second!)).toEqual(["list", "delegate"]);
  expect(offered(deepest!)).toEqual(["list"]);
  expect(lastOf(last!)).toContain("1 parts were handed on already");
});

test("an agent without the option has no such tool; wrong options are refused", () => {
  const make = (delegation: object) => () => agentWorld(scriptedModel([]), {}, { delegation });
  expect(make({ depth: 4 })).toThrow(/`delegation\.depth` to be an integer from 1 to 3 \(agent "worker"\), got 4/);
  expect(make({ maxParts: 0 })).toThrow(
    /`delegation\.maxParts` to be an integer of at least 1 \(agent "worker"\), got 0/,
  );
  expect(make({ deep: 1 })).toThrow(/deep/);
});
