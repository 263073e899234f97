import { approve, defineTool, type Journal, memoryJournal, TaskData, waitingFor } from "planloom";
import { cancelRun, fork, replay, resume, run, toolExecutor, verifyRun } from "planloom/runtime";
import { afterEach, describe, expect, test, vi } from "vitest";

const gone = new Error("gone");
const hang = defineTool({ id: "t", description: "t", execute: (_, { signal }) => untilAborted(signal) });
const executors = [toolExecutor([hang])];
const plan = TaskData.parse({ planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "t" }] });

function unsettled(): Promise<unknown> {
  return new Promise(() => {});
}

function fail(): never {
  throw gone;
}

async function failLater(): Promise<void> {
  fail();
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

function withMethod(method: keyof Journal, faulty: () => unknown): Journal {
  const journal = memoryJournal();
  return Object.assign(Object.create(journal), bound(journal), { [method]: faulty });
}

/** Private fields of a class are reached from the object itself alone. */
function bound(journal: Journal): Record<string, unknown> {
  const methods: Record<string, unknown> = {};
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(journal))) {
    const value: unknown = Reflect.get(journal, name);
    if (typeof value === "function" && name !== "constructor") methods[name] = value.bind(journal);
  }
  for (const [name, value] of Object.entries(journal)) methods[name] = value;
  return methods;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a lease that cannot be renewed ends the run, whose work is asked to stop", () => {
  const faults: readonly (readonly [string, () => unknown, string])[] = [
    ["throws", fail, "RUNTIME_JOURNAL_READ"],
    ["rejects", failLater, "RUNTIME_JOURNAL_READ"],
    ["gives nonsense", async () => undefined, "RUNTIME_JOURNAL_READ"],
    ["never settles", unsettled, "RUNTIME_JOURNAL_TIMEOUT"],
  ];
  test.each(faults)("%s", async (_, faulty, code) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    const journal = withMethod("renewLease", faulty);
    const running = run(plan, { executors, journal, taskTimeoutMs: 600_000 }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(36_000);
    expect(await running).toMatchObject({ name: "RuntimeError", code, details: { method: "renewLease" } });
  });
});

test("events that cannot be kept in time are reported at the end, after one wait and not after one for each", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  const quick = [toolExecutor([defineTool({ id: "t", description: "t", execute: () => 1 })])];
  let asked = 0;
  const journal = Object.assign(
    withMethod("addEvents", () => {
      asked += 1;
      return new Promise(() => {});
    }),
    { storesEvents: true },
  );
  const running = run(plan, { executors: quick, journal }).catch((error: unknown) => error);
  while (asked === 0) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(30_001);
  expect(await running).toMatchObject({
    code: "RUNTIME_JOURNAL_TIMEOUT",
    details: { method: "addEvents", timeout_ms: 30_000 },
  });
  expect(asked).toBe(1);
});

describe("every door to a journal has the limit", () => {
  const limited = { journal: withMethod("getRun", unsettled), journalTimeoutMs: 20 };
  test.each([
    ["resume", () => resume("x", { executors, ...limited })],
    ["fork", () => fork("x", "a", { executors, ...limited })],
    ["approve", () => approve("x", "a", limited)],
    ["waitingFor", () => waitingFor("x", limited)],
    ["cancelRun", () => cancelRun("x", limited)],
    ["replay", () => replay("x", limited)],
  ] as const)("%s", async (_, open) => {
    await expect(open()).rejects.toMatchObject({ code: "RUNTIME_JOURNAL_TIMEOUT" });
  });

  test("verifyRun has the default", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const verifying = verifyRun(limited.journal, "x").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(30_001);
    expect(await verifying).toMatchObject({ code: "RUNTIME_JOURNAL_TIMEOUT" });
  });

  test.each([0, -1, Number.NaN, "5"])("%s is no limit", async (journalTimeoutMs) => {
    const options = { executors, journal: memoryJournal(), journalTimeoutMs: journalTimeoutMs as number };
    const expected = { code: "RUNTIME_INVALID_OPTION", details: { option: "journalTimeoutMs" } };
    await expect(run(plan, options)).rejects.toMatchObject(expected);
    await expect(resume("x", options)).rejects.toMatchObject(expected);
  });

  test("what is not a journal is reported as such", async () => {
    const journal = 5 as unknown as Journal;
    const expected = { code: "RUNTIME_INVALID_OPTION", details: { option: "journal" } };
    await expect(resume("x", { executors, journal })).rejects.toMatchObject(expected);
    await expect(approve("x", "a", { journal })).rejects.toMatchObject(expected);
    await expect(cancelRun("x", { journal })).rejects.toMatchObject(expected);
  });
});
