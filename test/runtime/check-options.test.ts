import {
  childProcessDispatcher,
  defineTool,
  fork,
  inProcessDispatcher,
  memoryCache,
  memoryJournal,
  type RunOptions,
  run,
  toolExecutor,
  whatIf,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { planOf } from "../support/run-plans.ts";

let calls = 0;
const executors = [toolExecutor([defineTool({ id: "work", description: "", execute: () => calls++ })])];
const plan = planOf({ a: [] }, { a: { tool_id: "work" } });
/** What a caller without types may write. */
type Loose = Readonly<Record<string, unknown>>;

const wrongOptions: readonly (readonly [option: string, options: Loose])[] = [
  ["executors", { executors: undefined }],
  ["budgett", { budgett: { run: { calls: 1 } } }],
  ["secret", { secret: { TOKEN: "abcdefgh" } }],
  ["retry.max_attempts", { retry: { max_attempts: 0 } }],
  ["retry.backoff_factor", { retry: { max_attempts: 2, backoff_factor: -1 } }],
  ["retry", { retry: "3" }],
  ["retry.maxAttempts", { retry: { maxAttempts: 3 } }],
  ["retryOn.weather", { retryOn: { weather: false } }],
  ["retryOn.timeout", { retryOn: { timeout: true } }],
  ["retryOn.timeout.max_attempts", { retryOn: { timeout: { max_attempts: 1.5 } } }],
  ["limits.tools", { limits: { tools: { work: 1 } } }],
  ["limits.kinds.robot", { limits: { kinds: { robot: 1 } } }],
  ["limits.resources", { limits: { resources: 3 } }],
  ["budgets.calls", { budgets: { calls: 3 } }],
  ["budgets.run.money", { budgets: { run: { money: 3 } } }],
  ["budgets.run.tokens", { budgets: { run: { tokens: Number.NaN } } }],
  ["budgets.subgraphs", { budgets: { subgraphs: { s: { calls: 1 } } } }],
  ["guards.totals", { guards: { totals: 3 } }],
  ["guards.tools.work", { guards: { tools: { work: 0.5 } } }],
  ["guards.precondition", { guards: { precondition: "never" } }],
  ["guards.groundedNumbers", { guards: { groundedNumbers: "yes" } }],
  ["approval.resource", { approval: { resource: ["work"] } }],
  ["cache.maxAge", { cache: { resources: ["work"], maxAge: 3 } }],
  ["semantics", { semantics: "magic" }],
  ["semantics", { dispatcher: inProcessDispatcher() }],
  ["dispatcher", { semantics: "atomic", subgraphs: [], dispatcher: {} }],
  ["subgraphs", { semantics: "atomic" }],
  ["subgraphs", { subgraphs: "all" }],
  ["subgraphs", { subgraphs: [{ tasks: [] }] }],
  ["signal", { signal: "stop" }],
  ["journal", { journal: "runs.sqlite" }],
  ["onEvent", { onEvent: "log" }],
  ["bind", { bind: {} }],
  ["pace", { pace: 3 }],
  ["random", { random: 4 }],
  ["input", { input: "x" }],
  ["variables", { variables: ["x"] }],
  ["variables", { variables: { f: () => 1 } }],
  ["metadata", { metadata: "x" }],
];

test.for(wrongOptions)("run refuses a wrong %s before anything starts: %j", async ([option, options]) => {
  const before = calls;
  await expect(run(plan, { executors, ...options } as RunOptions)).rejects.toMatchObject({
    code: "RUNTIME_INVALID_OPTION",
    details: { option },
  });
  expect(calls).toBe(before);
});

test("an executor that is none is refused with what came", async () => {
  await expect(run(plan, { executors: [{ kind: "robot" }] as never })).rejects.toMatchObject({
    code: "RUNTIME_INVALID_DEFINITION",
    message: expect.stringContaining('got {"kind":"robot"}'),
  });
});

test("fork refuses arguments that are no object", async () => {
  const journal = memoryJournal();
  const { run_id } = await run(plan, { executors, journal });
  const wrong = fork(run_id, "a", { executors, journal, arguments: "n=1" as never });
  await expect(wrong).rejects.toMatchObject({ details: { option: "arguments" } });
});

describe("whatIf refuses", () => {
  const ofWork = (behaviour: unknown) => ({ behaviours: { resources: { work: behaviour } } });
  test.for<readonly [string, Loose]>([
    ["samples", { samples: 0 }],
    ["seed", { seed: "x" }],
    ["concurrency", { concurrency: [] }],
    ["behaviours.tool", { behaviours: { tool: {} } }],
    ["behaviours.resources.work.duration", ofWork({ duration: { type: "gauss" } })],
    ["behaviours.resources.work.duration.maxMs", ofWork({ duration: { type: "uniform", minMs: 1 } })],
    ["behaviours.resources.work.duration.ms", ofWork({ duration: { type: "samples", ms: [] } })],
    ["behaviours.resources.work.failureProbability", ofWork({ failureProbability: 3 })],
  ])("a wrong %s: %j", ([option, options]) => {
    expect(() => whatIf(plan, { executors, ...options })).toThrow(
      expect.objectContaining({ code: "RUNTIME_INVALID_OPTION", details: expect.objectContaining({ option }) }),
    );
  });
});

test("makers refuse options out of range", () => {
  for (const make of [
    () => childProcessDispatcher({} as never),
    () => childProcessDispatcher({ module: "worker.js", keepWorkers: -1 }),
    () => memoryCache({ maxEntries: 0 }),
  ]) {
    expect(make).toThrow(expect.objectContaining({ code: "RUNTIME_INVALID_OPTION" }));
  }
});
