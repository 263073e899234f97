import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answerTask, approve, cancelRun, defineTool, deny, memoryJournal, Planloom, renderAscii } from "planloom";
import * as plans from "planloom/plan";
import {
  fork,
  markTasks,
  recordedPlan,
  replay,
  resume,
  runStatus,
  signal,
  supplyOutput,
  waitingFor,
} from "planloom/runtime";
import { expect, test } from "vitest";
import { z } from "zod";

const long = "x".repeat(100_000);
const values: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a number", 7],
  ["true", true],
  ["an empty text", ""],
  ["a long text", long],
  ["a list", [undefined]],
  ["an object", {}],
  ["an object without a prototype", Object.create(null)],
  ["a function", () => {}],
  ["a symbol", Symbol("s")],
  ["a bigint", 5n],
  ["a name of every object", "__proto__"],
];

async function waiting() {
  const tool = defineTool({ id: "t1", description: "Does it", input: z.object({}), execute: () => ({}) });
  const journal = memoryJournal();
  const planloom = new Planloom({ tools: [tool], journal });
  const task = { task_id: "a", execution_type: "tool", tool_id: "t1", approval: "required" } as const;
  const { plan } = await planloom.run({ planned_tasks: [task] }, { runId: "r1" });
  return { planloom, journal, plan };
}

/** What a call came to that may throw, reject, or give a stream. */
async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    const given = call() as { readonly result?: Promise<unknown> } | undefined;
    if (typeof given === "object" && given !== null && Symbol.asyncIterator in given) {
      given.result?.catch(() => {});
      const iterator = (given as AsyncIterable<unknown>)[Symbol.asyncIterator]();
      // A stream of a run that waits gives nothing more.
      await Promise.race([iterator.next(), new Promise(setImmediate)]);
      await iterator.return?.();
      return undefined;
    }
    await given;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Undefined where the outcome is a result, or an error with a code and a text that people can read. */
function faultOf(outcome: unknown): string | undefined {
  if (outcome === undefined) return undefined;
  const { name, code, message } = outcome as { name?: string; code?: unknown; message?: string };
  if (typeof code !== "string" || !/^[A-Z]+_[A-Z_]+$/.test(code)) return `${name}: ${message?.slice(0, 200)}`;
  return (message ?? "").length > 3_000 ? `${code} with a text of ${message?.length} characters` : undefined;
}

/** First arguments that mean something, so that later ones are looked at as well. */
const meant: Readonly<Record<string, readonly unknown[]>> = {
  callTool: ["t1", {}],
  fork: ["r1", "a"],
  off: ["run-start", () => {}],
  on: ["run-start", () => {}],
  replan: ["r1", { mark: ["a"] }],
  resume: ["r1"],
  runStatus: ["r1"],
  signal: ["r1", "paid", {}],
  subscribe: ["r1"],
};

function methodsOf(planloom: Planloom): string[] {
  const names: string[] = [];
  for (let of = Object.getPrototypeOf(planloom); of !== Object.prototype; of = Object.getPrototypeOf(of)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(of))) {
      if (typeof value === "function") names.push(name);
    }
  }
  // `scheduler` works until it is stopped, and `close` ends the others.
  return names.filter((name) => !["constructor", "close", "scheduler"].includes(name));
}

test("no method of a Planloom lets a bare error out, whatever it is given", async () => {
  const { planloom } = await waiting();
  const names = methodsOf(planloom);
  expect(names).toEqual(expect.arrayContaining(["run", "answer", "replan", "subscribe", "pauseSchedule"]));
  const faults: string[] = [];
  for (const name of names) {
    const method = (planloom as unknown as Record<string, (...given: unknown[]) => unknown>)[name]!.bind(planloom);
    const before = meant[name] ?? ["x", {}];
    for (const [what, value] of values) {
      for (let place = 0; place < 3; place += 1) {
        const given = [...before.slice(0, place), value];
        if (place > before.length) continue;
        const fault = faultOf(await outcomeOf(() => method(...given)));
        if (fault !== undefined) faults.push(`${name}(${"…, ".repeat(place)}${what}): ${fault}`);
      }
    }
  }
  expect(faults).toEqual([]);
  await planloom.close();
});

test("nor does a function over the runs of a journal", async () => {
  const { planloom, journal } = await waiting();
  const functions = { approve, cancelRun, deny, fork, markTasks, recordedPlan, replay, resume, runStatus, signal };
  const faults: string[] = [];
  for (const [name, call] of Object.entries({ ...functions, supplyOutput, waitingFor })) {
    const loose = call as unknown as (...given: unknown[]) => unknown;
    for (const [what, value] of values) {
      const options = { journal };
      const calls = [
        [value, options],
        [value, "a", options],
        ["r1", value, options],
        ["r1", value],
        ["r1", "a", value],
        ["r1", "a", { journal, note: value, by: value, input: value, contentHash: value }],
      ];
      for (const given of calls) {
        const fault = faultOf(await outcomeOf(() => loose(...given)));
        if (fault !== undefined) faults.push(`${name}: ${what}: ${fault}`);
      }
    }
  }
  expect(faults).toEqual([]);
  await planloom.close();
});

test("nor does a function over plans, where tasks are none, or lack what the schema fills in", async () => {
  const { diffPlans, nameCollisions, planGraph, planHashes, planSecrets, planTotals, planView } = plans;
  const { loadPlan, parsePlanText, readPlan, renderDot, renderMermaid, savePlan, splitElements, taskNames } = plans;
  const calls = {
    diffPlans,
    loadPlan,
    nameCollisions,
    parsePlanText,
    planGraph,
    planHashes,
    planSecrets,
    planTotals,
    planView,
  };
  const folder = mkdtempSync(join(tmpdir(), "plans-"));
  const more = { readPlan, renderAscii, renderDot, renderMermaid, taskNames, validatePlan: plans.validatePlan };
  const second = {
    savePlan: (file: unknown) =>
      savePlan(plans.readPlan({ planned_tasks: [] }), typeof file === "string" ? join(folder, file) : (file as string)),
    splitElements: (plan: unknown) => splitElements(plan as plans.TaskData, []),
  };
  const written: readonly (readonly [string, unknown])[] = [["tasks as they are written", [{ task_id: "a" }]]];
  const faults: string[] = [];
  for (const [name, call] of Object.entries({ ...calls, ...more, ...second })) {
    const loose = call as unknown as (given: unknown) => unknown;
    for (const [what, value] of [...values, ...written]) {
      for (const given of [value, [value], { planned_tasks: value }, { planned_tasks: [value] }]) {
        const fault = faultOf(await outcomeOf(() => loose(given)));
        if (fault !== undefined) faults.push(`${name}: ${what}: ${fault}`);
      }
    }
  }
  expect(faults).toEqual([]);
});

test("the errors say what was expected and what came", async () => {
  const { planloom, journal, plan } = await waiting();
  const loose = <Value>(value: unknown) => value as Value;
  const rows: [call: () => unknown, code: string, says: RegExp][] = [
    [() => approve("r1", loose(undefined), { journal }), "RUNTIME_INVALID_OPTION", /`taskId`.*id of a task.*undefined/],
    [() => deny("r1", loose(7), { journal }), "RUNTIME_INVALID_OPTION", /`taskId`.*got 7 \(number\)/],
    [() => approve(loose(null), "a", { journal }), "RUNTIME_INVALID_OPTION", /`runId`.*id of a run.*null/],
    [() => planloom.fork("r1", loose(null)), "RUNTIME_INVALID_OPTION", /`fromTask`.*got null/],
    [() => markTasks("r1", loose([7]), { journal }), "RUNTIME_INVALID_OPTION", /`taskIds`.*got 7/],
    [() => planloom.callTool(loose(5)), "PLANLOOM_OPTION", /`id` of `callTool`.*got 5 \(number\)/],
    [() => planloom.callTool("t1", loose("x")), "PLANLOOM_OPTION", /`input` of `callTool`.*got "x" \(string\)/],
    [() => planloom.answer(loose(undefined), {}), "PLANLOOM_INVALID_PLAN", /Expected a plan \(TaskData\): .*undefined/],
    [() => planloom.answer(plan, loose(null)), "PLANNER_ANSWER_INVALID", /answers to be an object.*got null/],
    [() => planloom.choose(plan, loose(null)), "PLANNER_CHOICE_INVALID", /tools to be an object.*got null/],
    [() => planloom.replan(loose(null), { mark: ["a"] }), "PLANLOOM_INVALID_PLAN", /Expected a plan/],
    [() => planloom.optimize(loose(null)), "PLANLOOM_INVALID_PLAN", /Expected a plan/],
    [() => planloom.on(loose<"run-start">(5), () => {}), "PLANLOOM_OPTION", /`type` of `on`.*got 5/],
    [() => planloom.on("run-start", loose(null)), "PLANLOOM_OPTION", /`listener` of `on`.*function, got null/],
    [() => planloom.deleteSchedule(loose(5n)), "PLANLOOM_OPTION", /id of a schedule.*5/],
    [() => answerTask(loose("x")), "PLANLOOM_INVALID_PLAN", /Expected a plan/],
    [() => renderAscii(loose(undefined)), "PLAN_INVALID", /`planned_tasks`.*got nothing/],
    [() => renderAscii(loose([undefined])), "PLAN_INVALID", /Expected a task.*at planned_tasks\[0\], got nothing\.$/],
    [
      () => renderAscii(loose([{ task_id: "a" }])),
      "PLAN_INVALID",
      /`dependencies`.*the keys task_id\. `TaskData.parse` fills in/,
    ],
    [
      () => plans.loadPlan(loose(Symbol("s"))),
      "PLAN_FILE",
      /name of a plan file \(a text\), got Symbol\(s\) \(symbol\)/,
    ],
    [() => approve("r1", long, { journal }), "RUNTIME_TASK_NOT_FOUND", /xxx… \(100000 characters\)/],
    [() => planloom.resume(long), "RUNTIME_RUN_NOT_FOUND", /xxx… \(100000 characters\)/],
  ];
  for (const [call, code, says] of rows) {
    expect(await outcomeOf(call)).toMatchObject({ code, message: expect.stringMatching(says) });
  }
  await planloom.close();
});
