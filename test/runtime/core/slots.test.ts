import { describe, expect, test } from "vitest";
import { Limits } from "../../../packages/runtime/src/core/limits.ts";
import { createRunState } from "../../../packages/runtime/src/core/run-state.ts";
import { wantsSlots } from "../../../packages/runtime/src/core/slots.ts";
import { CoreDriver, viewOf } from "../../support/core-driver.ts";

interface Given {
  readonly concurrency?: number;
  /** Calls of tools at once. */
  readonly tools?: number;
  /** Calls of the tool `a` at once. */
  readonly a: number;
}

/** Independent calls that begin in this order: those named `a…` are of the tool `a`, `free…` of no tool, the others of tools without a limit. */
function begun(ids: readonly string[], { concurrency = 9, tools = 9, a }: Given) {
  const limits = new Limits({ concurrency, kinds: new Map([["tool", tools]]), resources: new Map([["tool:a", a]]) });
  const work = Object.fromEntries(ids.map((id, at) => [id, 100 - at]));
  const kindGroup = Int32Array.from(ids, (id) => limits.kindGroup(id.startsWith("free") ? "none" : "tool"));
  const resourceGroup = Int32Array.from(ids, (id) => limits.resourceGroup("tool", id.startsWith("a") ? "a" : "other"));
  const core = new CoreDriver(createRunState(viewOf(ids, work), { limits, kindGroup, resourceGroup }));
  core.feed({ type: "begin" });
  const of = (id: string) => ids.indexOf(id);
  const feed = (type: "completed" | "failed" | "abandoned" | "settled" | "retrying" | "due", id: string) =>
    core.feed({ type, task: of(id) });
  const toolA = limits.resourceGroup("tool", "a");
  return { core, limits, feed, of, toolA };
}

describe("an abandoned attempt at a limited tool", () => {
  test("keeps its slot from others until it settles", () => {
    const { core, limits, feed, toolA } = begun(["a1", "a2", "a3", "free"], { a: 2 });
    expect(core.started).toEqual(["a1", "a2", "free"]);
    feed("abandoned", "a1");
    feed("failed", "a1");
    expect([core.started.length, limits.abandoned[toolA], limits.abandoned[0]]).toEqual([3, 1, 1]);
    feed("settled", "a1");
    expect(core.started).toEqual(["a1", "a2", "free", "a3"]);
    expect([limits.abandoned[toolA], limits.abandoned[0]]).toEqual([0, 0]);
  });

  test("and another of the same task have a slot each", () => {
    const { core, limits, feed, of, toolA } = begun(["a1", "a2"], { a: 2 });
    feed("completed", "a2");
    for (const type of ["abandoned", "retrying", "due", "abandoned", "failed"] as const) feed(type, "a1");
    expect(core.state.abandoned.get(of("a1"))).toBe(2);
    expect([limits.used[toolA], limits.isFullyAbandoned(toolA)]).toEqual([2, true]);
    feed("settled", "a1");
    expect([limits.used[toolA], core.state.abandoned.get(of("a1"))]).toEqual([1, 1]);
    feed("settled", "a1");
    expect([limits.used[toolA], core.state.abandoned.size]).toEqual([0, 0]);
    // There is no third one.
    feed("settled", "a1");
    expect(limits.used[toolA]).toBe(0);
  });

  test("is abandoned once: a task that holds nothing abandons nothing", () => {
    const { limits, feed, toolA, core, of } = begun(["a1", "a2"], { a: 1 });
    feed("abandoned", "a2");
    expect([core.state.abandoned.get(of("a2")), limits.abandoned[toolA]]).toEqual([undefined, 0]);
  });
});

describe("a limit that is given up", () => {
  test("ends what waits for it, and nothing that does not", () => {
    const { core, limits, feed, of, toolA } = begun(["a1", "a2", "a3", "other1", "other2"], { a: 1, tools: 2 });
    expect(core.started).toEqual(["a1", "other1"]);
    feed("abandoned", "a1");
    feed("failed", "a1");
    limits.giveUp(toolA);
    expect(core.feed({ type: "poke" })).toEqual(
      ["a2", "a3"].map((id) => ({ type: "stall", task: of(id), group: toolA })),
    );
    for (const id of ["a2", "a3"]) core.feed({ type: "unavailable", task: of(id), cause: "stalled" });
    feed("completed", "other1");
    expect(core.started).toEqual(["a1", "other1", "other2"]);
    feed("completed", "other2");
    expect(core.endReason).toBe("stalled");
  });

  test("of all tasks ends what waits for any limit", () => {
    const { core, limits, feed, of } = begun(["a1", "a2", "a3", "free"], { a: 1, concurrency: 2 });
    expect(core.started).toEqual(["a1", "free"]);
    for (const id of ["a1", "free"]) feed("abandoned", id);
    for (const id of ["a1", "free"]) feed("failed", id);
    limits.giveUp(0);
    expect(core.feed({ type: "poke" })).toEqual(["a2", "a3"].map((id) => ({ type: "stall", task: of(id), group: 0 })));
  });
});

describe("a free slot", () => {
  test("goes to the next one where the first that waits for it is held", () => {
    const { core, feed, of } = begun(["a1", "a2", "a3"], { a: 1 });
    core.feed({ type: "hold", tasks: [of("a2")] });
    feed("completed", "a1");
    expect(core.started).toEqual(["a1", "a3"]);
    core.feed({ type: "release", tasks: [of("a2")] });
    feed("completed", "a3");
    expect(core.started).toEqual(["a1", "a3", "a2"]);
  });

  test("of a kind goes to the next one where the tool of the first has no room", () => {
    const { core, feed } = begun(["a1", "other1", "a2", "other2"], { a: 1, tools: 2 });
    expect(core.started).toEqual(["a1", "other1"]);
    feed("completed", "other1");
    expect(core.started).toEqual(["a1", "other1", "other2"]);
    feed("completed", "a1");
    expect(core.started).toEqual(["a1", "other1", "other2", "a2"]);
  });

  test("lets out one of those that wait, and the others stay where they are", () => {
    const { core, feed, toolA } = begun(["a1", "a2", "a3", "a4"], { a: 1 });
    feed("completed", "a1");
    expect(core.started).toEqual(["a1", "a2"]);
    expect([core.state.ready.size, core.state.parked.get(toolA)?.size]).toEqual([0, 2]);
  });
});

test("only a run in which a task waits for a slot wants those that others give back", () => {
  const { core, feed } = begun(["a1", "a2"], { a: 1 });
  expect(wantsSlots(core.state)).toBe(true);
  feed("completed", "a1");
  expect(core.started).toEqual(["a1", "a2"]);
  expect(wantsSlots(core.state)).toBe(false);
});
