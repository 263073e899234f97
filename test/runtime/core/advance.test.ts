import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advance } from "../../../packages/runtime/src/core/advance.ts";
import { checkInvariants } from "../../../packages/runtime/src/core/check-invariants.ts";
import type { CoreEvent } from "../../../packages/runtime/src/core/core-event.ts";
import { Limits } from "../../../packages/runtime/src/core/limits.ts";
import { createRunState } from "../../../packages/runtime/src/core/run-state.ts";
import { TaskState } from "../../../packages/runtime/src/core/task-state.ts";
import { cases } from "../../support/cases.ts";
import { CoreDriver, randomRun, viewOf } from "../../support/core-driver.ts";

const driver = (
  edges: string[],
  options: { concurrency?: number; work?: Record<string, number>; halts?: string[] } = {},
) => {
  const view = viewOf(edges, options.work);
  const limits = new Limits({ concurrency: options.concurrency ?? Number.POSITIVE_INFINITY });
  const halts = Uint8Array.from(view.ids, (id) => (options.halts?.includes(id) ? 1 : 0));
  const core = new CoreDriver(createRunState(view, { limits, halts }));
  return Object.assign(core, { of: (id: string) => view.indexOf(id) });
};
const statusOf = (core: CoreDriver) =>
  Object.fromEntries(core.state.view.ids.map((id, task) => [id, core.state.state[task]]));

describe("order of starting", () => {
  test.for([
    { name: "plan order on ties", edges: ["a", "b", "c"], work: {}, concurrency: 1, order: ["a", "b", "c"] },
    {
      name: "the longest remaining path first",
      edges: ["a", "b>c"],
      work: { c: 5 },
      concurrency: 1,
      order: ["b", "c", "a"],
    },
    {
      name: "a dependant only after all of its dependencies",
      edges: ["b>d", "c>d", "a"],
      work: {},
      concurrency: 1,
      order: ["b", "c", "d", "a"],
    },
  ])("$name", ({ edges, work, concurrency, order }) => {
    const core = driver(edges, { work, concurrency });
    core.feed({ type: "begin" });
    for (let at = 0; at < order.length; at++) core.feed({ type: "completed", task: core.of(core.started[at]!) });
    expect(core.started).toEqual(order);
    expect(core.endReason).toBe("completed");
  });

  test("a task starts the moment its last dependency is done, whatever its siblings do", () => {
    const core = driver(["a>x", "slow>y"]);
    core.feed({ type: "begin" });
    expect(core.feed({ type: "completed", task: core.of("a") })).toEqual([
      { type: "start", task: core.of("x"), attempt: 1 },
    ]);
  });

  test("an abandoned attempt holds its slot until it settles, and its task may try again then", () => {
    const core = driver(["a", "b"], { concurrency: 1 });
    core.feed({ type: "begin" });
    core.feed({ type: "abandoned", task: core.of("a") });
    core.feed({ type: "retrying", task: core.of("a") });
    core.feed({ type: "due", task: core.of("a") });
    expect(core.started).toEqual(["a"]);
    core.feed({ type: "settled", task: core.of("a") });
    // It is abandoned no more, so it settles once.
    core.feed({ type: "settled", task: core.of("a") });
    expect(core.started).toEqual(["a", "a"]);
    core.feed({ type: "completed", task: core.of("a") });
    core.feed({ type: "completed", task: core.of("b") });
    expect(core.endReason).toBe("completed");
  });

  test("a limit that is given up: what waits for it is notified, what it held is given back after the end", () => {
    const core = driver(["a", "b>c"], { concurrency: 1, work: { a: 9 } });
    core.feed({ type: "begin" });
    core.feed({ type: "abandoned", task: core.of("a") });
    core.feed({ type: "failed", task: core.of("a") });
    core.state.limits.giveUp(0);
    expect(core.feed({ type: "poke" })).toEqual([{ type: "stall", task: core.of("b"), group: 0 }]);
    core.feed({ type: "unavailable", task: core.of("b"), cause: "stalled" });
    expect(core.endReason).toBe("stalled");
    expect([...core.state.limits.used]).toEqual([1]);
    core.feed({ type: "settled", task: core.of("a") });
    expect([...core.state.limits.used]).toEqual([0]);
  });

  test("an empty plan is completed at once", () => {
    const core = new CoreDriver(createRunState(viewOf([]), { limits: new Limits({ concurrency: 1 }) }));
    expect(core.feed({ type: "begin" })).toEqual([{ type: "finish", endReason: "completed" }]);
  });
});

describe("failures", () => {
  test("skips exactly the descendants and says because of whom", () => {
    const core = driver(["a>b", "b>c", "x>c", "x>y"]);
    core.feed({ type: "begin" });
    const commands = core.feed({ type: "failed", task: core.of("a") });
    expect(commands).toEqual([
      { type: "skip", task: core.of("b"), because: core.of("a") },
      { type: "skip", task: core.of("c"), because: core.of("a") },
    ]);
    core.feed({ type: "completed", task: core.of("x") });
    core.feed({ type: "completed", task: core.of("y") });
    expect(core.endReason).toBe("failed");
  });

  test("a halting failure skips all that has not started and lets the rest finish", () => {
    const core = driver(["a>b", "x>y"], { halts: ["a"] });
    core.feed({ type: "begin" });
    core.feed({ type: "failed", task: core.of("a") });
    expect(core.endReason).toBeUndefined();
    core.feed({ type: "completed", task: core.of("x") });
    expect(statusOf(core)).toEqual({
      a: TaskState.FAILED,
      b: TaskState.SKIPPED,
      x: TaskState.COMPLETED,
      y: TaskState.SKIPPED,
    });
    expect(core.endReason).toBe("failed");
  });

  test("an unavailable task skips its descendants without failing the run", () => {
    const core = driver(["a>b", "x"]);
    core.feed({ type: "begin" });
    core.feed({ type: "unavailable", task: core.of("a") });
    core.feed({ type: "completed", task: core.of("x") });
    expect(core.endReason).toBe("completed");
    expect(statusOf(core)).toEqual({ a: TaskState.SKIPPED, b: TaskState.SKIPPED, x: TaskState.COMPLETED });
  });

  test("gives the slot back while it waits for the next attempt", () => {
    const core = driver(["a", "b"], { concurrency: 1 });
    core.feed({ type: "begin" });
    expect(core.feed({ type: "retrying", task: core.of("a") })).toEqual([
      { type: "delay", task: core.of("a"), attempt: 2 },
      { type: "start", task: core.of("b"), attempt: 1 },
    ]);
    core.feed({ type: "due", task: core.of("a") });
    expect(core.feed({ type: "completed", task: core.of("b") })).toEqual([
      { type: "start", task: core.of("a"), attempt: 2 },
    ]);
  });
});

test("answers that come late or twice change nothing", () => {
  const core = driver(["a>b"]);
  core.feed({ type: "begin" });
  core.feed({ type: "completed", task: core.of("a") });
  for (const type of ["completed", "failed", "retrying", "due", "stopped"] as const) {
    expect(core.feed({ type, task: core.of("a") })).toEqual([]);
  }
});

test("recorded tasks are never started and free what depends on them", () => {
  const core = driver(["a>b", "b>c"]);
  core.feed({ type: "recorded", task: core.of("a") });
  core.feed({ type: "begin" });
  expect(core.started).toEqual(["b"]);
});

test("cancelling starts nothing more and ends when the running tasks have", () => {
  const core = driver(["a>b", "x"], { concurrency: 1 });
  core.feed({ type: "begin" });
  core.feed({ type: "cancel" });
  expect(core.endReason).toBeUndefined();
  core.feed({ type: "completed", task: core.of("a") });
  expect(core.endReason).toBe("cancelled");
  expect(core.started).toEqual(["a"]);
});

test("cancelling looks at the tasks once, however many run", () => {
  const n = 500;
  const view = viewOf(Array.from({ length: n }, (_, task) => `t${task}`));
  const state = createRunState(view, { limits: new Limits({ concurrency: Number.POSITIVE_INFINITY }) });
  advance(state, { type: "begin" });
  let reads = 0;
  const counted = new Proxy(state.state, {
    get: (target, key) => {
      reads++;
      return Reflect.get(target, key);
    },
  });
  const watched = { ...state, state: counted };
  for (let task = -1; task < n; task++) advance(watched, task < 0 ? { type: "cancel" } : { type: "stopped", task });
  expect(watched.phase).toBe("ended");
  expect(reads).toBeLessThan(10 * n);
});

describe("limits", () => {
  const limited = () => {
    const view = viewOf(["a", "b", "c", "d"]);
    const limits = new Limits({ concurrency: 3, kinds: new Map([["tool", 2]]), resources: new Map([["llm:m", 1]]) });
    const kindGroup = Int32Array.from(["tool", "tool", "tool", "llm"], (kind) => limits.kindGroup(kind));
    return new CoreDriver(createRunState(view, { limits, kindGroup }));
  };

  test("a full kind does not hold up others", () => {
    const core = limited();
    core.feed({ type: "begin" });
    expect(core.started).toEqual(["a", "b", "d"]);
    core.feed({ type: "completed", task: 0 });
    expect(core.started).toEqual(["a", "b", "d", "c"]);
  });

  test("a resource chosen late is limited too: the task gives up its slots and comes back", () => {
    const view = viewOf(["a", "b", "c"]);
    const limits = new Limits({ concurrency: 2, resources: new Map([["llm:m", 1]]) });
    const group = limits.resourceGroup("llm", "m");
    const core = new CoreDriver(createRunState(view, { limits }));
    core.feed({ type: "begin" });
    expect(core.feed({ type: "bound", task: 0, resourceGroup: group })).toEqual([{ type: "execute", task: 0 }]);
    expect(core.feed({ type: "bound", task: 1, resourceGroup: group })).toEqual([
      { type: "start", task: 2, attempt: 1 },
    ]);
    core.feed({ type: "completed", task: 2 });
    expect(core.feed({ type: "completed", task: 0 })).toEqual([{ type: "start", task: 1, attempt: 1 }]);
  });

  test("lent slots are free for others and are not given back twice", () => {
    const core = driver(["a", "b", "c"], { concurrency: 1 });
    core.feed({ type: "begin" });
    expect(core.feed({ type: "lent", task: core.of("a") })).toEqual([
      { type: "start", task: core.of("b"), attempt: 1 },
    ]);
    expect(core.feed({ type: "completed", task: core.of("a") })).toEqual([]);
    expect(core.state.limits.used[0]).toBe(1);
  });
});

/** Of the limits of `randomRun`: a resource belongs to one kind. */
const [toolGroup, llmGroup] = [2, 3];
const pickAnswer = (task: number) => (["waits", "approved", "denied"] as const)[task % 3]!;

test("under any interleaving of events every law holds and every run ends", () => {
  const outcomes = [
    "completed",
    "completed",
    "completed",
    "retrying",
    "failed",
    "unavailable",
    "bound",
    "lent",
    "due",
    "cancel",
    "poke",
    "postponed",
    "gate",
    "waits",
    "approved",
    "denied",
  ] as const;
  fc.assert(
    fc.property(
      randomRun,
      fc.array(fc.tuple(fc.constantFrom(...outcomes), fc.nat(11), fc.nat(40)), { maxLength: 60 }),
      fc.array(fc.nat(11), { maxLength: 3 }),
      (run, script, recorded) => {
        const state = run.state();
        const core = new CoreDriver(state);
        for (const task of recorded) if (task < run.n) core.feed({ type: "recorded", task });
        core.feed({ type: "begin" });
        for (const [type, pick, chance] of script) {
          if (type === "cancel" && chance > 0) continue;
          const task = pick % run.n;
          const event: CoreEvent =
            type === "bound"
              ? { type, task, resourceGroup: state.kindGroup[task] === -1 ? llmGroup : toolGroup }
              : type === "cancel" || type === "poke"
                ? { type }
                : { type, task };
          // A task is bound at most once an attempt, and only where its resource was not known before.
          if (type === "gate" && state.state[task] === TaskState.COMPLETED) continue;
          if (type === "bound" && (state.resourceGroup[task] !== -1 || state.holdsSlots[task] === 0)) continue;
          core.feed(event);
        }
        for (let round = 0; core.endReason === undefined; round++) {
          if (round > 200) throw new Error("The run does not end.");
          for (let task = 0; task < run.n; task++) {
            if (state.state[task] === TaskState.DELAYED) core.feed({ type: "due", task });
            else if (state.state[task] === TaskState.RUNNING) core.feed({ type: "completed", task });
            else if (state.state[task] === TaskState.GATED) core.feed({ type: pickAnswer(task), task });
          }
        }
        if (core.endReason === "waiting_approval") expect(state.gated).toBeGreaterThan(0);
        else expect(state.open).toBe(0);
        expect([...state.limits.used].every((used) => used === 0)).toBe(true);
      },
    ),
    { numRuns: cases(500) },
  );
});

test("the checker sees a broken state", () => {
  const state = createRunState(viewOf(["a>b"]), { limits: new Limits({ concurrency: 1 }) });
  state.state[1] = TaskState.RUNNING;
  expect(checkInvariants(state).length).toBeGreaterThan(0);
});
