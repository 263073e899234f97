import { planViewFromEdges } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Limits } from "../../../packages/runtime/src/core/limits.ts";
import type { Revision } from "../../../packages/runtime/src/core/revision.ts";
import { createRunState } from "../../../packages/runtime/src/core/run-state.ts";
import { simulate, simulateAttempts } from "../../../packages/runtime/src/core/simulate.ts";
import { TaskState } from "../../../packages/runtime/src/core/task-state.ts";
import { CoreDriver, viewOf } from "../../support/core-driver.ts";

interface Shape {
  readonly gates?: readonly string[];
  readonly halts?: readonly string[];
  readonly concurrency?: number;
}
function driver(edges: readonly string[], { gates = [], halts = [], concurrency = 8 }: Shape = {}) {
  const view = viewOf(edges);
  const flags = (ids: readonly string[]) => Uint8Array.from(view.ids, (id) => (ids.includes(id) ? 1 : 0));
  const core = new CoreDriver(
    createRunState(view, { limits: new Limits({ concurrency }), gates: flags(gates), halts: flags(halts) }),
  );
  const of = (id: string) => core.state.view.ids.indexOf(id);
  return {
    core,
    of,
    feed: (type: "completed" | "failed" | "retrying" | "due" | "approved" | "denied" | "waits", id: string) =>
      core.feed({ type, task: of(id) }),
    /** The plan as `edges` have it, whose tasks are those there were and then new ones. */
    revise(next: readonly string[], replaced: readonly string[] = [], more: Partial<Revision> = {}) {
      const ids = [...core.state.view.ids, ...viewOf(next).ids.filter((id) => !core.state.view.ids.includes(id))];
      const pairs = next.filter((edge) => edge.includes(">")).map((edge) => edge.split(">") as [string, string]);
      const place = new Map(ids.map((id, at) => [id, at]));
      const revised = planViewFromEdges({
        n: ids.length,
        ids,
        from: pairs.map(([from]) => place.get(from)!),
        to: pairs.map(([, to]) => place.get(to)!),
        work: ids.map(() => 1),
      });
      const added = ids.length - core.state.view.n;
      const none = new Int32Array(added).fill(-1);
      return core.feed({
        type: "revise",
        revision: {
          view: revised,
          replaced: replaced.map(of),
          kindGroup: none,
          resourceGroup: none,
          halts: new Uint8Array(added),
          asksAgain: [],
          ...more,
        },
      });
    },
    states: () =>
      Object.fromEntries(
        core.state.view.ids.map((id, task) => [
          id,
          Object.keys(TaskState).find((name) => TaskState[name as keyof typeof TaskState] === core.state.state[task]),
        ]),
      ),
  };
}

describe("a revision", () => {
  test("puts new tasks in the place of one that failed, and brings back what was skipped for it", () => {
    const { core, feed, revise, states, of } = driver(["a>b", "b>c"]);
    core.feed({ type: "begin" });
    feed("completed", "a");
    core.feed({ type: "failed", task: of("b"), held: true });
    expect(core.endReason).toBeUndefined();
    const commands = revise(["a>b", "a>n", "n>c"], ["b"]);
    expect(commands).toEqual([{ type: "start", task: of("n"), attempt: 1 }]);
    expect(states()).toEqual({ a: "COMPLETED", b: "REPLACED", c: "WAITING", n: "RUNNING" });
    feed("completed", "n");
    feed("completed", "c");
    expect(core.endReason).toBe("completed");
    expect(core.state.failed).toBe(0);
  });

  test("brings back tasks that were skipped because of what it replaces, and no others", () => {
    const { core, feed, revise, states, of } = driver(["a>b", "b>c", "x>y", "z"]);
    core.feed({ type: "begin" });
    feed("failed", "a");
    feed("failed", "x");
    expect(states()).toMatchObject({ b: "SKIPPED", c: "SKIPPED", y: "SKIPPED", z: "RUNNING" });
    revise(["n>b", "b>c", "x>y", "z"], ["a"]);
    expect(states()).toMatchObject({ n: "RUNNING", b: "WAITING", c: "WAITING", y: "SKIPPED" });
    expect(core.state.blame[of("b")]).toBe(-1);
    expect(core.state.blame[of("y")]).toBe(of("x"));
    for (const id of ["z", "n", "b", "c"]) feed("completed", id);
    expect(core.endReason).toBe("failed");
  });

  test("skips what it puts behind a task that failed for good, because of that one", () => {
    const { core, feed, revise, states, of } = driver(["a>b", "w>v"]);
    core.feed({ type: "begin" });
    feed("failed", "a");
    const commands = revise(["a>b", "w>v", "b>n", "n>m"]);
    expect(commands).toEqual([
      { type: "skip", task: of("n"), because: of("a") },
      { type: "skip", task: of("m"), because: of("a") },
    ]);
    expect(states()).toMatchObject({ n: "SKIPPED", m: "SKIPPED", v: "WAITING" });
    feed("completed", "w");
    feed("completed", "v");
    expect(core.endReason).toBe("failed");
  });

  test("lets a task wait again for what is put before it, and start without what is taken away", () => {
    const { core, feed, revise, states, of } = driver(["a", "b", "c>d"], { concurrency: 1 });
    core.feed({ type: "begin" });
    // b and c are ready; a runs.
    const [first] = core.started;
    expect(first).toBe("c");
    revise(["n>a", "b", "c", "d"]);
    expect(states()).toEqual({ a: "WAITING", b: "READY", c: "RUNNING", d: "READY", n: "READY" });
    feed("completed", "c");
    expect(core.started).toHaveLength(2);
    for (let turn = 0; core.endReason === undefined && turn < 9; turn++) feed("completed", core.started.at(-1)!);
    expect(core.started.indexOf("n")).toBeLessThan(core.started.indexOf("a"));
    expect([...core.started].sort()).toEqual(["a", "b", "c", "d", "n"]);
    expect(core.state.order[of("n")]).toBeLessThan(core.state.order[of("a")]!);
  });

  test("leaves alone what runs, waits for its next attempt or was refused", () => {
    const { core, feed, revise, states } = driver(["a", "b", "c"], { gates: ["c"] });
    core.feed({ type: "begin" });
    feed("retrying", "b");
    feed("denied", "c");
    revise(["a", "b", "n>c"]);
    expect(states()).toEqual({ a: "RUNNING", b: "DELAYED", c: "SKIPPED", n: "RUNNING" });
  });

  test("asks again about a task that waits for a person, where what it does has changed", () => {
    const { core, feed, revise, states, of } = driver(["a", "b"], { gates: ["a", "b"] });
    core.feed({ type: "begin" });
    feed("waits", "a");
    feed("waits", "b");
    expect(core.endReason).toBe("waiting_approval");
    expect(core.state.gated).toBe(2);
    feed("approved", "b");
    revise(["a", "b"], [], { asksAgain: [of("a"), of("b")] });
    // Its gate is open now: whoever revised it closes it again.
    expect(states()).toEqual({ a: "RUNNING", b: "RUNNING" });
    expect(core.state.gated).toBe(0);
  });

  test("takes a task out of the counters it was in", () => {
    const { core, feed, revise, states } = driver(["a", "b", "c", "d>e"], { gates: ["b", "c"] });
    core.feed({ type: "begin" });
    feed("retrying", "a");
    feed("waits", "c");
    expect([core.state.delayed, core.state.gated, core.state.asking]).toEqual([1, 2, 1]);
    revise(["a", "b", "c", "d>e", "n"], ["a", "b", "c"]);
    expect([core.state.delayed, core.state.gated, core.state.asking]).toEqual([0, 0, 0]);
    expect(states()).toMatchObject({ a: "REPLACED", b: "REPLACED", c: "REPLACED", n: "RUNNING" });
    for (const id of ["d", "e", "n"]) feed("completed", id);
    expect(core.endReason).toBe("completed");
  });

  test("keeps held tasks held; replaced ones are let go", () => {
    const { core, feed, revise, of } = driver(["a>b", "c"]);
    core.feed({ type: "hold", tasks: [of("b"), of("c")] });
    core.feed({ type: "begin" });
    feed("completed", "a");
    expect(core.state.holding).toBe(2);
    revise(["a>b", "c", "a>n"], ["c"]);
    expect(core.state.holding).toBe(1);
    expect(core.started).toEqual(["a", "n"]);
    feed("completed", "n");
    expect(core.endReason).toBeUndefined();
    core.feed({ type: "release", tasks: [of("b")] });
    feed("completed", "b");
    expect(core.endReason).toBe("completed");
  });

  test("of a run that is being cancelled starts nothing: what it adds is cancelled, too", () => {
    const { core, feed, revise, states } = driver(["a>b"]);
    core.feed({ type: "begin" });
    core.feed({ type: "cancel" });
    revise(["a>b", "n"]);
    expect(states()).toEqual({ a: "RUNNING", b: "CANCELLED", n: "CANCELLED" });
    feed("completed", "a");
    expect(core.endReason).toBe("cancelled");
  });

  test("new tasks keep their own limits and how their failure is taken", () => {
    const { core, feed, revise, states } = driver(["a>b"]);
    core.feed({ type: "begin" });
    revise(["a>b", "n", "m>b"], [], { halts: Uint8Array.of(1, 0) });
    expect(states()).toMatchObject({ n: "RUNNING", m: "RUNNING" });
    feed("failed", "n");
    expect(states()).toMatchObject({ b: "SKIPPED" });
    feed("completed", "a");
    feed("completed", "m");
    expect(core.endReason).toBe("failed");
  });
});

test("whatever is replaced whenever, every law holds and every run ends", () => {
  const step = fc.record({ what: fc.nat(4), pick: fc.nat(1_000), other: fc.nat(1_000) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 25 }), (n, steps) => {
      const names = Array.from({ length: n }, (_, at) => `t${at}`);
      let edges = names.slice(1).map((name, at) => `${names[at]}>${name}`);
      const { core, revise } = driver([...names, ...edges], { concurrency: 2, gates: ["t1"] });
      core.feed({ type: "begin" });
      const inState = (...wanted: number[]) =>
        [...core.state.state.keys()].filter((task) => wanted.includes(core.state.state[task]!));
      for (const { what, pick, other } of steps) {
        if (core.state.phase === "ended") return;
        const running = inState(TaskState.RUNNING);
        const task = running[pick % Math.max(1, running.length)];
        if (what === 0 && core.state.view.n < 14) {
          // A new task in the place of one that has not begun, or has failed and is held.
          const idle = inState(TaskState.WAITING, TaskState.READY, TaskState.GATED);
          const gone = idle[pick % Math.max(1, idle.length)];
          if (gone === undefined) continue;
          const name = `n${core.state.view.n}`;
          const old = core.state.view.ids[gone]!;
          edges = edges.flatMap((edge) => {
            const [from, to] = edge.split(">");
            return to === old ? [edge, `${from}>${name}`] : from === old ? [`${name}>${to}`] : [edge];
          });
          revise([...core.state.view.ids, name, ...edges], [old]);
        } else if (what === 1) core.feed({ type: "approved", task: other % core.state.view.n });
        else if (task !== undefined) core.feed(what === 2 ? { type: "retrying", task } : { type: "completed", task });
        for (const delayed of inState(TaskState.DELAYED)) core.feed({ type: "due", task: delayed });
      }
      for (let round = 0; core.state.phase !== "ended" || core.state.gated > 0; round++) {
        expect(round).toBeLessThan(100);
        for (const task of inState(TaskState.GATED)) core.feed({ type: "approved", task });
        for (const task of inState(TaskState.RUNNING)) core.feed({ type: "completed", task });
      }
      expect(core.endReason).toBe("completed");
    }),
  );
});

describe("a simulated run", () => {
  const state = (edges: readonly string[], work: Record<string, number>, concurrency: number) =>
    createRunState(viewOf(edges, work), { limits: new Limits({ concurrency }) });

  test("takes what its tasks take, in the order of starting", () => {
    const { order, startMs, makespanMs } = simulate(state(["a>c", "b>c", "d"], { a: 3, b: 5, c: 2, d: 1 }, 2));
    // a, c, b, d in the order of the plan.
    expect(order).toEqual([2, 0, 3, 1]);
    expect([...startMs]).toEqual([0, 5, 0, 3]);
    expect(makespanMs).toBe(7);
  });

  test("what ends at one time ends in the order of starting", () => {
    const { order, makespanMs } = simulate(state(["a>x", "b>y", "c>z"], { a: 2, b: 2, c: 2 }, 3));
    expect(order).toEqual([0, 2, 4, 1, 3, 5]);
    expect(makespanMs).toBe(3);
  });

  test("of many tasks ends them by time, whatever the order of their starts", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 30 }), (works) => {
        const ids = works.map((_, at) => `t${at}`);
        const work = Object.fromEntries(works.map((ms, at) => [`t${at}`, ms]));
        const many = simulate(state(ids, work, Number.POSITIVE_INFINITY));
        expect(many.makespanMs).toBe(Math.max(...works));
        const one = simulate(state(ids, work, 1));
        expect(one.makespanMs).toBe(works.reduce((sum, ms) => sum + ms, 0));
        // Longest first: two at a time are never further apart than the shortest of them.
        const two = simulate(state(ids, work, 2));
        const loads = [0, 0];
        for (const ms of works.toSorted((a, b) => b - a)) loads[loads[0]! <= loads[1]! ? 0 : 1]! += ms;
        expect(two.makespanMs).toBe(Math.max(...loads));
      }),
    );
  });

  test("tries again after a wait, and fails in the end", () => {
    const asked: number[] = [];
    const result = simulateAttempts(state(["a>b", "c"], { c: 1 }, 8), {
      attempt: (task) => ({ ms: 10, fails: task === 0 }),
      retryAfterMs: (_, attempts) => {
        asked.push(attempts);
        return attempts < 3 ? 100 * attempts : undefined;
      },
    });
    // Three attempts of 10 ms with waits of 100 and 200 between them; b never starts.
    expect(result.makespanMs).toBe(330);
    expect(result.order).toEqual([0, 2]);
    expect([...result.startMs]).toEqual([0, 0, 0]);
    expect(new Set(asked)).toEqual(new Set([1, 2, 3]));
  });
});
