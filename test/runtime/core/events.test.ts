import { describe, expect, test } from "vitest";
import { checkInvariants } from "../../../packages/runtime/src/core/check-invariants.ts";
import { Limits } from "../../../packages/runtime/src/core/limits.ts";
import { createRunState, type RunState } from "../../../packages/runtime/src/core/run-state.ts";
import { TaskState } from "../../../packages/runtime/src/core/task-state.ts";
import { CoreDriver, viewOf } from "../../support/core-driver.ts";

function driver(
  edges: readonly string[],
  { gates = [] as string[], halts = [] as string[], concurrency = 8, limits = new Limits({ concurrency }) } = {},
) {
  const view = viewOf(edges);
  const flags = (ids: string[]) => Uint8Array.from(view.ids, (id) => (ids.includes(id) ? 1 : 0));
  const core = new CoreDriver(createRunState(view, { limits, gates: flags(gates), halts: flags(halts) }));
  return Object.assign(core, { of: (id: string) => view.indexOf(id) });
}

describe("an attempt that was commanded and has not begun", () => {
  test("may be postponed: it counts as no attempt, and starts when it is due", () => {
    const core = driver(["a", "b"], { concurrency: 1 });
    core.feed({ type: "begin" });
    expect(core.feed({ type: "postponed", task: 0 })).toEqual([{ type: "start", task: 1, attempt: 1 }]);
    expect([core.state.state[0], core.state.delayed, core.state.attempts[0]]).toEqual([TaskState.DELAYED, 1, 0]);
    core.feed({ type: "completed", task: 1 });
    expect(core.feed({ type: "due", task: 0 })).toEqual([{ type: "start", task: 0, attempt: 1 }]);
    expect(core.state.delayed).toBe(0);
  });

  test("may be put before a gate that was found late", () => {
    const core = driver(["a"]);
    core.feed({ type: "begin" });
    expect(core.feed({ type: "gate", task: 0 })).toEqual([{ type: "ask", task: 0 }]);
    expect(core.state).toMatchObject({ gated: 1, asking: 1 });
    expect(core.feed({ type: "waits", task: 0 })).toEqual([{ type: "finish", endReason: "waiting_approval" }]);
    expect(core.feed({ type: "approved", task: 0 })).toEqual([{ type: "start", task: 0, attempt: 1 }]);
  });

  test.each(["postponed", "gate", "retrying"] as const)("is cancelled where the run ends meanwhile: %s", (type) => {
    const core = driver(["a", "b"]);
    core.feed({ type: "begin" });
    core.feed({ type: "cancel" });
    expect(core.feed({ type, task: 0 })).toEqual([{ type: "cancel", task: 0 }]);
    expect(core.state.state[0]).toBe(TaskState.CANCELLED);
    expect(core.feed({ type: "completed", task: 1 })).toEqual([{ type: "finish", endReason: "cancelled" }]);
  });

  test("is cancelled where it finds its resource full while the run ends", () => {
    const limits = new Limits({ concurrency: 2, resources: new Map([["llm:m", 1]]) });
    const core = driver(["a", "b"], { limits });
    core.feed({ type: "begin" });
    core.feed({ type: "bound", task: 0, resourceGroup: 1 });
    core.feed({ type: "cancel" });
    expect(core.feed({ type: "bound", task: 1, resourceGroup: 1 })).toEqual([{ type: "cancel", task: 1 }]);
    expect(core.feed({ type: "completed", task: 0 })).toEqual([{ type: "finish", endReason: "cancelled" }]);
  });
});

describe("how a run ends", () => {
  test.for([
    ["budget", "budget"],
    ["denied", "denied"],
    ["stalled", "stalled"],
    [undefined, "completed"],
  ] as const)("a task that is unavailable for %s: %s", ([cause, endReason]) => {
    const core = driver(["a>b"]);
    core.feed({ type: "begin" });
    const commands = core.feed({ type: "unavailable", task: 0, ...(cause !== undefined && { cause }) });
    expect(commands).toEqual([
      { type: "skip", task: 1, because: 0 },
      { type: "finish", endReason },
    ]);
  });

  test("stalled goes before budget, budget before failed, failed before denied", () => {
    const core = driver(["a", "b", "c", "d"], { gates: ["d"] });
    core.feed({ type: "begin" });
    core.feed({ type: "denied", task: 3 });
    expect(core.state.denied).toBe(1);
    core.feed({ type: "failed", task: 0 });
    core.feed({ type: "unavailable", task: 1, cause: "budget" });
    core.feed({ type: "unavailable", task: 2, cause: "stalled" });
    expect(core.endReason).toBe("stalled");
    const other = driver(["a", "b"]);
    other.feed({ type: "begin" });
    other.feed({ type: "failed", task: 0 });
    other.feed({ type: "unavailable", task: 1, cause: "budget" });
    expect(other.endReason).toBe("budget");
  });

  test("drained, with nothing left to start: as it came to its end; else cancelled", () => {
    const whole = driver(["a"]);
    whole.feed({ type: "begin" });
    expect(whole.feed({ type: "cancel", drain: true })).toEqual([]);
    expect(whole.feed({ type: "completed", task: 0 })).toEqual([{ type: "finish", endReason: "completed" }]);
    const partly = driver(["a>b"]);
    partly.feed({ type: "begin" });
    expect(partly.feed({ type: "cancel", drain: true })).toEqual([{ type: "cancel", task: 1 }]);
    partly.feed({ type: "completed", task: 0 });
    expect(partly.endReason).toBe("cancelled");
  });

  test("drained after it was cancelled, or cancelled after it was drained: cancelled", () => {
    for (const [first, second] of [
      [false, true],
      [true, false],
    ]) {
      const core = driver(["a"]);
      core.feed({ type: "begin" });
      core.feed({ type: "cancel", drain: first! });
      core.feed({ type: "cancel", drain: second! });
      core.feed({ type: "completed", task: 0 });
      expect(core.endReason).toBe("cancelled");
    }
  });

  test("a task that was stopped cancels all that has not begun", () => {
    const core = driver(["a>b", "c"]);
    core.feed({ type: "begin" });
    expect(core.feed({ type: "stopped", task: 0 })).toEqual([{ type: "cancel", task: 1 }]);
    expect(core.feed({ type: "completed", task: 2 })).toEqual([{ type: "finish", endReason: "cancelled" }]);
  });

  test("an answer after the end lets go on what waited for it, and nothing else does", () => {
    const core = driver(["a>b", "c"], { gates: ["a", "c"] });
    expect(core.feed({ type: "begin" })).toEqual([
      { type: "ask", task: core.of("a") },
      { type: "ask", task: core.of("c") },
    ]);
    core.feed({ type: "waits", task: core.of("a") });
    core.feed({ type: "waits", task: core.of("c") });
    expect(core.state.phase).toBe("ended");
    for (const type of ["completed", "failed", "due", "waits"] as const)
      expect(core.feed({ type, task: core.of("a") })).toEqual([]);
    expect(core.state.phase).toBe("ended");
    expect(core.feed({ type: "denied", task: core.of("a") })).toEqual([
      { type: "skip", task: core.of("b"), because: core.of("a") },
      { type: "finish", endReason: "waiting_approval" },
    ]);
    core.feed({ type: "approved", task: core.of("c") });
    core.feed({ type: "completed", task: core.of("c") });
    expect(core.endReason).toBe("denied");
    expect(core.feed({ type: "approved", task: core.of("c") })).toEqual([]);
  });

  test("is not yet there while a task waits for its next attempt beside a gate", () => {
    const core = driver(["a", "b"], { gates: ["b"] });
    core.feed({ type: "begin" });
    core.feed({ type: "waits", task: 1 });
    core.feed({ type: "retrying", task: 0 });
    expect(core.endReason).toBeUndefined();
    core.feed({ type: "due", task: 0 });
    expect(core.feed({ type: "completed", task: 0 })).toEqual([{ type: "finish", endReason: "waiting_approval" }]);
  });
});

test("a failure that is let go halts the run where it is one that halts", () => {
  const core = driver(["a>b", "x>y"], { halts: ["a"] });
  core.feed({ type: "begin" });
  core.feed({ type: "failed", task: core.of("a"), held: true });
  const commands = core.feed({ type: "release", tasks: [core.of("a")] });
  expect(commands).toEqual([
    { type: "skip", task: core.of("b"), because: core.of("a") },
    { type: "skip", task: core.of("y"), because: core.of("a") },
  ]);
});

test("what waits at a shared limit is let out when somebody else gave it back, once it is poked", () => {
  const limits = new Limits({ concurrency: 8, kinds: new Map([["tool", 1]]) });
  const view = viewOf(["a"]);
  const core = new CoreDriver(createRunState(view, { limits, kindGroup: Int32Array.of(1) }));
  limits.take(1);
  // Another run holds the slot, which the laws of this one alone do not know.
  expect(() => core.feed({ type: "begin" })).toThrow("counts 1, 0 hold");
  expect(core.state.state[0]).toBe(TaskState.READY);
  limits.release(1);
  expect(core.feed({ type: "poke" })).toEqual([{ type: "start", task: 0, attempt: 1 }]);
});

describe("the checker of laws sees", () => {
  /** a runs, b waits for it; c waits at its gate, d has failed, e runs. */
  const healthy = () => {
    const core = driver(["a>b", "c", "d", "e"], { gates: ["c"], concurrency: 2 });
    core.feed({ type: "begin" });
    core.feed({ type: "failed", task: core.of("d") });
    return { state: core.state, of: core.of };
  };
  test("nothing in a healthy state", () => {
    expect(checkInvariants(healthy().state)).toEqual([]);
  });

  test.for<[string, (state: RunState, of: (id: string) => number) => void, RegExp]>([
    [
      "a held task that runs",
      (state, of) => {
        state.held[of("a")] = 1;
        state.holding = 1;
      },
      /^task a is held and runs$/,
    ],
    ["a wrong count of dependencies", (state, of) => void state.missing[of("b")]!++, /^task b misses 1, counted 2$/],
    ["a gated task without a gate", (state, of) => state.gates.set([0], of("c")), /^task c waits at no gate$/],
    ["a task that runs unapproved", (state, of) => state.gates.set([1], of("a")), /^task a runs and is not approved$/],
    [
      "a task ahead of its dependencies",
      (state, of) => {
        state.state[of("b")] = TaskState.DELAYED;
        state.delayed++;
      },
      /^task b is ahead of its dependencies$/,
    ],
    [
      "a ready task in no queue",
      (state, of) => {
        state.state[of("c")] = TaskState.READY;
        state.gated--;
        state.asking--;
      },
      /^task c has state 1 and is in 0 queues$/,
    ],
    [
      "a task in two queues",
      (state) => {
        const [task] = state.ready.tasks();
        state.ready.push(task ?? 0);
      },
      /is in [12] queues$/,
    ],
    [
      "a task skipped without a cause",
      (state, of) => {
        state.state[of("b")] = TaskState.SKIPPED;
        state.open--;
      },
      /^task b was skipped without a cause$/,
    ],
    [
      "slots held by a task that does not run",
      (state, of) => {
        state.holdsSlots[of("c")] = 1;
        state.limits.take(0);
      },
      /^task c holds slots in state 4$/,
    ],
  ])("%s", ([, breakIt, message]) => {
    const { state, of } = healthy();
    breakIt(state, of);
    const broken = checkInvariants(state);
    expect(
      broken.some((each) => message.test(each)),
      broken.join("; "),
    ).toBe(true);
  });

  test.for([
    ["open", "tasks are open"],
    ["running", "tasks run"],
    ["delayed", "tasks are delayed"],
    ["gated", "tasks are gated"],
    ["asking", "gates ask"],
    ["failed", "tasks failed"],
    ["holding", "tasks are held"],
  ] as const)("a wrong counter: %s", ([counter, says]) => {
    const { state } = healthy();
    const right = state[counter];
    state[counter]++;
    expect(checkInvariants(state)).toEqual([`${right} ${says}, counted ${right + 1}`]);
  });

  test("slots that are held and not counted, but where others share the limits", () => {
    const { state } = healthy();
    state.limits.release(0);
    expect(checkInvariants(state)).toContain('limit "" counts 1, 2 hold');
    expect(checkInvariants(state, { shared: true })).toEqual([]);
    for (let slot = 0; slot < 2; slot++) state.limits.take(0);
    expect(checkInvariants(state, { shared: true })).toEqual(['limit "" is exceeded: 3']);
  });
});
