import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Limits } from "../../../packages/runtime/src/core/limits.ts";
import { createRunState } from "../../../packages/runtime/src/core/run-state.ts";
import { TaskState } from "../../../packages/runtime/src/core/task-state.ts";
import { cases } from "../../support/cases.ts";
import { CoreDriver, randomRun, viewOf } from "../../support/core-driver.ts";

const driver = (edges: string[]) => {
  const view = viewOf(edges);
  const core = new CoreDriver(createRunState(view, { limits: new Limits({ concurrency: 8 }) }));
  return Object.assign(core, { of: (id: string) => view.indexOf(id) });
};

describe("held tasks", () => {
  test("do not start, and the run does not end before they are let go", () => {
    const core = driver(["a>b", "c"]);
    core.feed({ type: "hold", tasks: [core.of("b"), core.of("c")] });
    core.feed({ type: "begin" });
    core.feed({ type: "completed", task: core.of("a") });
    expect(core.started).toEqual(["a"]);
    core.feed({ type: "release", tasks: [core.of("c")] });
    core.feed({ type: "completed", task: core.of("c") });
    expect(core.endReason).toBeUndefined();
    core.feed({ type: "release", tasks: [core.of("b")] });
    core.feed({ type: "completed", task: core.of("b") });
    expect(core.started).toEqual(["a", "c", "b"]);
    expect(core.endReason).toBe("completed");
  });

  test("that have failed skip nobody until they are let go", () => {
    const core = driver(["a>b", "c"]);
    core.feed({ type: "begin" });
    expect(core.feed({ type: "failed", task: core.of("a"), held: true })).toEqual([]);
    core.feed({ type: "completed", task: core.of("c") });
    expect(core.state.state[core.of("b")]).toBe(TaskState.WAITING);
    core.feed({ type: "release", tasks: [core.of("a")] });
    expect(core.state.state[core.of("b")]).toBe(TaskState.SKIPPED);
    expect(core.endReason).toBe("failed");
  });

  test("keep every law under any order of events, and the run ends once all are let go", () => {
    const step = fc.record({ what: fc.nat(5), pick: fc.nat(1_000) });
    fc.assert(
      fc.property(randomRun, fc.array(step, { maxLength: 60 }), ({ state, n }, steps) => {
        const core = new CoreDriver(state());
        const tasksIn = (...states: number[]) =>
          Array.from(core.state.state.keys()).filter((task) => states.includes(core.state.state[task]!));
        const answerGates = () => {
          for (const task of tasksIn(TaskState.GATED)) core.feed({ type: "approved", task });
        };
        const all = Array.from({ length: n }, (_, task) => task);
        core.feed({ type: "begin" });
        for (const { what, pick } of steps) {
          if (core.endReason !== undefined) return;
          const running = tasksIn(TaskState.RUNNING);
          const task = running[pick % Math.max(1, running.length)];
          if (what === 0) core.feed({ type: "hold", tasks: [pick % n] });
          else if (what === 1) core.feed({ type: "release", tasks: [pick % n] });
          else if (what === 2) answerGates();
          else if (task !== undefined)
            core.feed(what === 3 ? { type: "failed", task, held: pick % 2 === 0 } : { type: "completed", task });
        }
        for (let round = 0; core.endReason === undefined; round++) {
          expect(round).toBeLessThan(4 * n + 4);
          core.feed({ type: "release", tasks: all });
          answerGates();
          for (const task of tasksIn(TaskState.RUNNING)) core.feed({ type: "completed", task });
        }
      }),
      { numRuns: cases(300) },
    );
  });
});
