import { describe, expect, test } from "vitest";
import type { Command } from "../../../packages/runtime/src/core/core-event.ts";
import { type ElementWindow, elementWindow } from "../../../packages/runtime/src/core/element-window.ts";
import { Limits, NO_GROUP } from "../../../packages/runtime/src/core/limits.ts";
import { createRunState } from "../../../packages/runtime/src/core/run-state.ts";
import { TaskState } from "../../../packages/runtime/src/core/task-state.ts";
import { CoreDriver, viewOf } from "../../support/core-driver.ts";

interface Given {
  readonly numbers: number;
  readonly mayLose?: number;
  readonly done?: readonly number[];
  readonly groups?: Int32Array;
  readonly limits?: Limits;
  readonly ahead?: number;
}

/** A list whose elements have `numbers` numbers between them, and which has begun. */
function begun(
  total: number,
  { numbers, mayLose = 0, done, groups, limits = new Limits({ concurrency: 9 }), ahead = 0 }: Given,
) {
  const flags = done && Uint8Array.from({ length: total }, (_, index) => (done.includes(index) ? 1 : 0));
  const window: ElementWindow = elementWindow(total, numbers, { mayLose, done: flags, groups, ahead });
  const view = viewOf(Array.from({ length: numbers }, (_, number) => `n${number}`));
  const resourceGroup = groups?.slice();
  const core = new CoreDriver(
    createRunState(view, { limits, window, ...(resourceGroup !== undefined && { resourceGroup }) }),
  );
  return { core, window, first: core.feed({ type: "begin" }) };
}

const element = (task: number, index: number): Command => ({ type: "element", task, index });
const start = (task: number, attempt = 1): Command => ({ type: "start", task, attempt });
const end = (task: number, index: number, state: number): Command => ({ type: "element-end", task, index, state });
const { COMPLETED, FAILED, SKIPPED, REPLACED } = TaskState;

describe("elements of a list", () => {
  test("have the numbers one after the other, whichever becomes free", () => {
    const { core, window, first } = begun(5, { numbers: 2 });
    expect(first).toEqual([element(0, 0), element(1, 1), start(0), start(1)]);
    const complete = (task: number) => core.feed({ type: "completed", task });
    expect(complete(1)).toEqual([end(1, 1, COMPLETED), element(1, 2), start(1)]);
    expect(complete(1)).toEqual([end(1, 2, COMPLETED), element(1, 3), start(1)]);
    expect([...window.elements]).toEqual([0, 3]);
    expect(complete(0)).toEqual([end(0, 0, COMPLETED), element(0, 4), start(0)]);
    expect(complete(1)).toEqual([end(1, 3, COMPLETED)]);
    expect([...window.elements]).toEqual([4, -1]);
    expect(complete(0)).toEqual([end(0, 4, COMPLETED), { type: "finish", endReason: "completed" }]);
    expect([window.next, window.lost]).toEqual([5, 0]);
  });

  test("that were completed before are left out, and numbers without an element do not count", () => {
    const { core, first } = begun(6, { numbers: 3, done: [0, 2, 3, 5] });
    expect(first).toEqual([element(0, 1), element(1, 4), start(0), start(1)]);
    expect([core.state.state[2], core.state.open]).toEqual([REPLACED, 2]);
    core.feed({ type: "completed", task: 0 });
    core.feed({ type: "completed", task: 1 });
    expect(core.endReason).toBe("completed");
  });

  test("all of which were completed before: the list has ended as it begins", () => {
    expect(begun(2, { numbers: 2, done: [0, 1] }).first).toEqual([{ type: "finish", endReason: "completed" }]);
  });

  test.for([
    { type: "failed", state: FAILED },
    { type: "unavailable", state: SKIPPED },
  ] as const)("of which so many may be lost, and with one more ($type) none begins", ({ type, state }) => {
    const { core, window } = begun(9, { numbers: 2, mayLose: 1 });
    expect(core.feed({ type, task: 0 })).toEqual([end(0, 0, state), element(0, 2), start(0)]);
    expect(core.state.blame[0]).toBe(-1);
    expect(core.feed({ type, task: 0 })).toEqual([end(0, 2, state)]);
    expect(window.lost).toBe(2);
    // What is under way is left to end.
    expect(core.feed({ type: "completed", task: 1 })).toMatchObject([end(1, 1, COMPLETED), { type: "finish" }]);
  });

  test("that the plan leaves out are not lost", () => {
    const { core, window } = begun(3, { numbers: 1, mayLose: 0 });
    const leftOut = { type: "unavailable", task: 0, cause: "left-out" } as const;
    expect(core.feed(leftOut)).toEqual([end(0, 0, SKIPPED), element(0, 1), start(0)]);
    core.feed(leftOut);
    expect(window.lost).toBe(0);
    expect(core.feed({ ...leftOut, cause: "denied" })).toMatchObject([end(0, 2, SKIPPED), { type: "finish" }]);
    expect(window.lost).toBe(1);
  });

  test("have their own attempts and their own gates", () => {
    const { core } = begun(3, { numbers: 1 });
    core.feed({ type: "retrying", task: 0 });
    expect(core.feed({ type: "due", task: 0 })).toEqual([start(0, 2)]);
    expect(core.feed({ type: "completed", task: 0 })).toEqual([end(0, 0, COMPLETED), element(0, 1), start(0, 1)]);
    expect(core.feed({ type: "gate", task: 0 })).toEqual([{ type: "ask", task: 0 }]);
    // Nobody has said anything of the one after it.
    expect(core.feed({ type: "denied", task: 0 })).toMatchObject([end(0, 1, SKIPPED), { type: "finish" }]);
  });

  test("after one that waited for a person, the next one does not", () => {
    const { core } = begun(2, { numbers: 1, mayLose: 1 });
    core.feed({ type: "gate", task: 0 });
    expect(core.feed({ type: "denied", task: 0 })).toEqual([end(0, 0, SKIPPED), element(0, 1), start(0)]);
    expect(core.state.gates[0]).toBe(0);
  });

  test("have numbers for elements ahead only while tasks are started ahead", () => {
    const limits = new Limits({ concurrency: 2 });
    const { core, window, first } = begun(6, { numbers: 3, ahead: 1, limits });
    expect(first).toEqual([element(0, 0), element(1, 1), start(0), start(1)]);
    limits.looksAhead = true;
    expect(core.feed({ type: "poke" })).toEqual([element(2, 2), start(2)]);
    expect(core.feed({ type: "completed", task: 1 })).toEqual([end(1, 1, COMPLETED), element(1, 3), start(1)]);
    limits.looksAhead = false;
    expect(core.feed({ type: "completed", task: 0 })).toEqual([end(0, 0, COMPLETED)]);
    expect([...window.elements]).toEqual([-1, 3, 2]);
    expect(core.feed({ type: "completed", task: 2 })).toEqual([end(2, 2, COMPLETED), element(2, 4), start(2)]);
  });

  test("that wait for a limit do not start once too many are lost", () => {
    const { core, first } = begun(5, { numbers: 3, limits: new Limits({ concurrency: 1 }) });
    expect(first).toEqual([element(0, 0), element(1, 1), element(2, 2), start(0)]);
    const dropped = [end(1, 1, TaskState.CANCELLED), end(2, 2, TaskState.CANCELLED)];
    const failed = core.feed({ type: "failed", task: 0 });
    expect(failed).toEqual([end(0, 0, FAILED), ...dropped, { type: "finish", endReason: "failed" }]);
  });

  test("do not follow once the run is cancelled", () => {
    const { core } = begun(4, { numbers: 2 });
    core.feed({ type: "cancel" });
    expect(core.feed({ type: "completed", task: 0 })).toEqual([end(0, 0, COMPLETED)]);
    core.feed({ type: "stopped", task: 1 });
    expect(core.endReason).toBe("cancelled");
  });

  test("an event of no task moves nothing", () => {
    const { core } = begun(4, { numbers: 2 });
    expect(core.feed({ type: "poke" })).toEqual([]);
    expect(core.feed({ type: "due", task: 1 })).toEqual([]);
  });
});

describe("the limit that an element counts in, which Stage 2 chooses", () => {
  const limited = () => {
    const limits = new Limits({ concurrency: 9, resources: new Map([["tool:b", 1]]) });
    return { limits, b: limits.resourceGroup("tool", "b") };
  };
  const groups = Int32Array.of(NO_GROUP);

  test("is that of this element alone", () => {
    const { limits, b } = limited();
    const { core } = begun(2, { numbers: 1, groups, limits });
    expect(core.feed({ type: "bound", task: 0, resourceGroup: b })).toEqual([{ type: "execute", task: 0 }]);
    expect(limits.used[b]).toBe(1);
    core.feed({ type: "completed", task: 0 });
    expect([core.state.resourceGroup[0], limits.used[b]]).toEqual([NO_GROUP, 0]);
  });

  test("stays where an abandoned attempt still has its slot there, and gets that back", () => {
    const { limits, b } = limited();
    const { core } = begun(3, { numbers: 1, mayLose: 2, groups, limits });
    core.feed({ type: "bound", task: 0, resourceGroup: b });
    core.feed({ type: "abandoned", task: 0 });
    core.feed({ type: "unavailable", task: 0 });
    expect([core.state.resourceGroup[0], limits.used[b]]).toEqual([b, 1]);
    core.feed({ type: "settled", task: 0 });
    expect(core.state.abandoned.size).toBe(0);
  });

  test("is that of the next one, too, where the list says none", () => {
    const { limits, b } = limited();
    const { core } = begun(2, { numbers: 1, limits });
    core.feed({ type: "bound", task: 0, resourceGroup: b });
    core.feed({ type: "completed", task: 0 });
    expect([core.state.resourceGroup[0], limits.used[b]]).toEqual([b, 1]);
  });
});
