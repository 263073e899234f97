import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { replanWith } from "@planloom/planner";
import {
  type Journal,
  memoryJournal,
  type Replan,
  type RunOptions,
  resume,
  reviseRun,
  run,
  SqliteJournal,
  verifyRun,
} from "@planloom/runtime";
import { afterAll, describe, expect, test } from "vitest";
import { ask, echo, fails, tools, useInstead } from "../../support/replans.ts";
import { group, planOf, recorder } from "../../support/run-plans.ts";

const folder = mkdtempSync(join(tmpdir(), "replan-calls-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const journals: { name: string; open: () => Promise<Journal> }[] = [
  { name: "in memory", open: async () => memoryJournal() },
  { name: "in SQLite", open: () => SqliteJournal.open(join(folder, "runs.sqlite")) },
];
const executors = tools({ a: fails, spare: echo, b: echo, other: echo });
const usage = { inputTokens: 60, outputTokens: 40, cost: 0.5 };
const answer = (tool_id: string) => ({
  text: JSON.stringify({ tasks: [{ task_id: "a", tool_id, execution_type: "tool", replaces: ["a"] }] }),
  usage,
});
const modelReplan = (model: ReturnType<typeof scriptedModel>): Replan =>
  replanWith({ controller: new LlmController({ model }), resources: executors.flatMap((each) => each.resources()) });

describe.for(journals)("model calls for replans, $name", ({ open }) => {
  test("are in the journal with what was asked, and in what the run used", async () => {
    const journal = await open();
    const model = scriptedModel([answer("magic"), answer("spare")]);
    const result = await run(planOf({ a: [], b: ["a"] }), {
      executors,
      journal,
      runId: "calls",
      replanPolicy: {},
      replan: modelReplan(model),
    });
    expect(result).toMatchObject({ end_reason: "completed", usage: { input_tokens: 120, output_tokens: 80, cost: 1 } });
    const calls = await journal.getCalls("calls", { purposes: ["replan", "propose"] });
    expect(calls.map(({ purpose, path }) => [purpose, path])).toEqual([
      ["replan", []],
      ["propose", []],
      ["propose", []],
    ]);
    expect(calls[0]!.request).toMatchObject({ marked: ["a"], causes: [{ task_id: "a", cause: "failure" }] });
    expect(calls[2]).toMatchObject({ reply: answer("spare") });
    expect(await journal.getCalls("calls", { purposes: ["bind"] })).toEqual([]);
    model.assertDone();
    await journal.close();
  });

  test("are paid by the run's budget, those of earlier sessions too", async () => {
    const journal = await open();
    const options: RunOptions = {
      executors,
      bindEstimate: { tokens: 100, cost: 0.5 },
      budgets: { run: { cost: 1 } },
      replanPolicy: { maxReplans: 5 },
    };
    const { onEvent, events } = recorder();
    const refused = () => events.flatMap((event) => (event.type === "patch-refuse" ? [event.code] : []));
    const wrong = scriptedModel([answer("magic"), answer("magic")]);
    const plan = planOf({ a: [], b: ["a"] });
    const first = await run(plan, { ...options, journal, runId: "budget", replan: modelReplan(wrong), onEvent });
    expect(first).toMatchObject({ end_reason: "failed", usage: { cost: 1 } });
    expect(refused()).toEqual(["budget"]);
    wrong.assertDone();
    const none = scriptedModel([]);
    await resume("budget", { executors, journal, replan: modelReplan(none), onEvent });
    expect(refused()).toEqual(["budget", "budget"]);
    const right = scriptedModel([answer("spare")]);
    const budgets = { run: { cost: 1.5 } };
    const third = await resume("budget", { executors, journal, replan: modelReplan(right), budgets, onEvent });
    expect(third).toMatchObject({ end_reason: "completed", replanned: true });
    await journal.close();
  });

  test("what was asked in vain counts when the run goes on, as does a question that its process did not live to hear answered", async () => {
    const journal = await open();
    const policy = { replanPolicy: { maxReplans: 2 }, executors };
    const plan = planOf({ a: [], b: ["a"] });
    await run(plan, { ...policy, journal, runId: "vain", replan: async () => undefined });
    const cut = new AbortController();
    const never: Replan = async (_, { signal }) => {
      cut.abort();
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      return undefined;
    };
    await resume("vain", { ...policy, journal, replan: never, signal: cut.signal, abortGraceMs: 20 });
    const last = await resume("vain", { ...policy, journal, replan: useInstead("spare") });
    expect(last).toMatchObject({ end_reason: "round_limit" });
    const more = await resume("vain", {
      executors,
      journal,
      replan: useInstead("spare"),
      replanPolicy: { maxReplans: 3 },
    });
    expect(more).toMatchObject({ end_reason: "completed", replanned: true });
    await journal.close();
  });
});

describe("subgraphs", () => {
  const plan = planOf({ a: [], b: ["a"], other: [] });
  const subgraphs = group(plan, { first: ["a", "b"], second: ["other"] });

  test("what is put in the place of a task is in its subgraph, and in its budget", async () => {
    const two: Replan = async (region) =>
      ask(region, () => ({ tool_id: "spare", arguments: { n: region.plan.planned_tasks.length } }));
    const options = { executors, subgraphs, replanPolicy: {}, replan: two };
    const enough = await run(plan, { ...options, budgets: { subgraphs: { first: { calls: 3 } } } });
    expect(enough.end_reason).toBe("completed");
    expect(enough.results.map(({ task_id, subgraph_id }) => [task_id, subgraph_id])).toEqual([
      ["a_2", "first"],
      ["b", "first"],
      ["other", "second"],
    ]);
    expect(enough.replaced).toMatchObject([{ task_id: "a", subgraph_id: "first" }]);
    const little = await run(plan, { ...options, budgets: { subgraphs: { first: { calls: 2 } } } });
    expect(little.end_reason).toBe("budget");
    expect(little.results.map(({ status }) => status)).toEqual(["completed", "skipped", "completed"]);
  });

  test("of a resumed run count what was replaced before, by the grouping it was begun with", async () => {
    const journal = memoryJournal();
    const cut = new AbortController();
    const options = { executors, subgraphs, replanPolicy: {}, replan: useInstead("spare"), journal };
    await run(plan, {
      ...options,
      runId: "r",
      budgets: { subgraphs: { first: { calls: 2 } } },
      signal: cut.signal,
      onEvent: (event) => {
        if (event.type === "patch-apply") cut.abort();
      },
    });
    const { subgraphs: _, ...again } = options;
    const rest = await resume("r", again);
    expect(rest).toMatchObject({
      end_reason: "budget",
      results: [{ subgraph_id: "first" }, { status: "skipped" }, {}],
    });
    const more = await resume("r", { ...options, budgets: { subgraphs: { first: { calls: 3 } } } });
    expect(more.end_reason).toBe("completed");
  });

  test("that go whole take up what a person changed between two sessions", async () => {
    const journal = memoryJournal();
    const options = { executors, subgraphs, semantics: "atomic" as const, journal };
    const first = await run(plan, { ...options, runId: "r" });
    expect(first.end_reason).toBe("failed");
    const { plan: recorded } = await journal.getRun("r");
    const marked = { plan: recorded, marked: ["a"] } as Parameters<typeof ask>[0];
    await reviseRun(
      "r",
      ask(marked, () => ({ tool_id: "spare" })),
      { journal },
    );
    const second = await resume("r", { executors, journal });
    expect(second.end_reason).toBe("completed");
    expect(second.results.map(({ task_id, subgraph_id }) => [task_id, subgraph_id])).toEqual([
      ["a_2", "first"],
      ["b", "first"],
      ["other", "second"],
    ]);
    expect(await verifyRun(journal, "r")).toMatchObject({ ok: true, problems: [] });
  });
});
