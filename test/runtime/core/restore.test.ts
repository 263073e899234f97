import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CoreEvent, RecordedEnd, SkipCause } from "../../../packages/runtime/src/core/core-event.ts";
import { JoinRule } from "../../../packages/runtime/src/core/joins.ts";
import { Limits } from "../../../packages/runtime/src/core/limits.ts";
import { createRunState, type RunState } from "../../../packages/runtime/src/core/run-state.ts";
import { isTerminal, TaskState } from "../../../packages/runtime/src/core/task-state.ts";
import { cases } from "../../support/cases.ts";
import { CoreDriver, randomRun, viewOf } from "../../support/core-driver.ts";

type Outcome = { readonly type: "completed" } | { readonly type: "failed" } | Lost;
type Lost = { readonly type: "unavailable"; readonly cause?: SkipCause };

/** A task ends as `outcomes` say, and sleeps before that where `sleeps` says so. */
interface Script {
  readonly outcomes: readonly Outcome[];
  readonly sleeps: readonly boolean[];
}

const outcome: fc.Arbitrary<Outcome> = fc.constantFrom<Outcome>(
  { type: "completed" },
  { type: "completed" },
  { type: "failed" },
  { type: "unavailable" },
  { type: "unavailable", cause: "budget" },
  { type: "unavailable", cause: "denied" },
  { type: "unavailable", cause: "stalled" },
  { type: "unavailable", cause: "left-out" },
);

const script: fc.Arbitrary<Script> = fc.record({
  outcomes: fc.array(outcome, { minLength: 12, maxLength: 12 }),
  sleeps: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
});

/** Drives a run until nothing of it is left, or so many events were fed. */
function drive(core: CoreDriver, { outcomes, sleeps }: Script, picks: readonly number[], most = 1_000): void {
  const { state } = core;
  const slept = new Set<number>();
  core.feed({ type: "begin" });
  for (let fed = 0; fed < most; fed++) {
    const at = Array.from(state.state, (_, task) => task).filter(
      (task) => state.state[task] === TaskState.RUNNING || state.state[task] === TaskState.ASLEEP,
    );
    if (at.length === 0) return;
    const task = at[picks[fed % picks.length]! % at.length]!;
    core.feed(eventOf(task));
  }

  function eventOf(task: number): CoreEvent {
    if (state.state[task] === TaskState.ASLEEP) return { type: "wake", task };
    if (!sleeps[task] || slept.has(task)) return { ...outcomes[task]!, task };
    slept.add(task);
    return { type: "sleep", task };
  }
}

type Ended = RecordedEnd & { readonly task: number };

/** What the journal would have of the tasks that have ended. */
function recordedEnds(state: RunState, { outcomes }: Script): Ended[] {
  return Array.from(state.state).flatMap((now, task): Ended[] => {
    if (now === TaskState.COMPLETED) return [{ task, as: "completed" }];
    if (now === TaskState.FAILED) return [{ task, as: "failed" }];
    if (now !== TaskState.SKIPPED) return [];
    const because = state.blame[task]!;
    return [{ task, as: "skipped", ...(because === task ? { cause: causeOf(outcomes[task]!) } : { because }) }];
  });
}

const causeOf = (each: Outcome) => (each.type === "unavailable" ? each.cause : undefined);

function randomState(run: { state(): RunState }): RunState {
  const state = run.state();
  // What runs when a failure halts the run may still be completed, which is known only where the run was not cut off.
  state.halts.fill(0);
  state.gates.fill(0);
  return state;
}

test("a run that was cut off at any moment ends as one that was not, and nothing that ended before is touched", () => {
  fc.assert(
    fc.property(
      randomRun,
      script,
      fc.array(fc.nat(50), { minLength: 1, maxLength: 20 }),
      fc.nat(30),
      (run, given, picks, most) => {
        const whole = new CoreDriver(randomState(run));
        drive(whole, given, picks);

        const cut = new CoreDriver(randomState(run));
        drive(cut, given, picks, most);
        const ends = recordedEnds(cut.state, given);
        const again = new CoreDriver(randomState(run));
        const completedFirst = ends.toSorted((left, right) => rankOf(again, left.task) - rankOf(again, right.task));
        for (const end of completedFirst) again.feed({ type: "recorded", ...end });
        drive(again, given, picks.toReversed());

        expect([...again.state.state]).toEqual([...whole.state.state]);
        expect(again.endReason).toBe(whole.endReason);
        const ended = new Set(ends.map(({ task }) => task));
        const touched = again.commands.filter((command) => "task" in command && ended.has(command.task));
        expect(touched).toEqual([]);
      },
    ),
    { numRuns: cases(500) },
  );
});

/** Place of a task in the order of the graph: the checker of laws wants what comes first to be known first. */
const rankOf = ({ state }: CoreDriver, task: number) => [...state.view.topo].indexOf(task);

describe("what was lost in an earlier session", () => {
  const driver = (edges: string[], options: { halts?: string[]; joins?: Record<string, number> } = {}) => {
    const view = viewOf(edges);
    const halts = Uint8Array.from(view.ids, (id) => (options.halts?.includes(id) ? 1 : 0));
    const joins = Uint8Array.from(view.ids, (id) => options.joins?.[id] ?? JoinRule.ALL);
    const limits = new Limits({ concurrency: Number.POSITIVE_INFINITY });
    const core = new CoreDriver(createRunState(view, { limits, halts, joins }));
    const of = (id: string) => view.indexOf(id);
    return {
      core,
      recorded: (id: string, end: RecordedEnd = {}) => core.feed({ type: "recorded", task: of(id), ...end }),
      begin: () => core.feed({ type: "begin" }),
      feed: (type: "completed" | "failed", id: string) => core.feed({ type, task: of(id) }),
      of,
      statuses: () => Object.fromEntries(view.ids.map((id, task) => [id, core.state.state[task]])),
    };
  };

  test("skips what depends on it and was not recorded as skipped, as where the process died between the two", () => {
    const run = driver(["a>b", "b>c", "x"]);
    run.recorded("a", { as: "failed" });
    expect(run.begin()).toEqual([
      { type: "skip", task: run.of("b"), because: run.of("a") },
      { type: "skip", task: run.of("c"), because: run.of("a") },
      { type: "start", task: run.of("x"), attempt: 1 },
    ]);
    run.feed("completed", "x");
    expect(run.core.endReason).toBe("failed");
  });

  test("a failure that halts the run still does", () => {
    const run = driver(["a>b", "x>y"], { halts: ["a"] });
    run.recorded("a", { as: "failed" });
    run.recorded("y", { as: "skipped", because: run.of("a") });
    expect(run.begin().map(({ type }) => type)).toEqual(["skip", "skip", "finish"]);
    expect(run.core.endReason).toBe("failed");
  });

  test("where nothing is left, the run ends at once as it would have", () => {
    for (const [end, reason] of [
      [{ as: "failed" }, "failed"],
      [{ as: "skipped", cause: "budget" }, "budget"],
      [{ as: "skipped", cause: "denied" }, "denied"],
      [{ as: "skipped", cause: "stalled" }, "stalled"],
      [{ as: "skipped", cause: "left-out" }, "completed"],
      [{ as: "skipped" }, "completed"],
    ] as const) {
      const run = driver(["a"]);
      run.recorded("a", end);
      expect(run.begin()).toEqual([{ type: "finish", endReason: reason }]);
    }
  });

  test("a task that was skipped because of one that is tried again has not ended", () => {
    const run = driver(["a>b", "b>c", "a>d"], { joins: { d: JoinRule.ANY } });
    for (const id of ["b", "c", "d"]) run.recorded(id, { as: "skipped", because: run.of("a") });
    expect(run.begin()).toEqual([
      ...["b", "d", "c"].map((id) => ({ type: "reopen", task: run.of(id) })),
      { type: "start", task: run.of("a"), attempt: 1 },
    ]);
    for (const id of ["a", "b", "c", "d"]) run.feed("completed", id);
    expect(run.core.endReason).toBe("completed");
  });

  test("a task that does without what was lost starts, and waits for the rest", () => {
    const run = driver(["a>any", "b>any", "a>none", "b>none"], {
      joins: { any: JoinRule.ANY, none: JoinRule.NONE_FAILED },
    });
    run.recorded("a", { as: "skipped", cause: "left-out" });
    expect(run.begin()).toEqual([{ type: "start", task: run.of("b"), attempt: 1 }]);
    expect(run.feed("completed", "b").map((command) => command.type)).toEqual(["start", "start"]);
  });

  test("is ignored once the run has begun", () => {
    const run = driver(["a>b"]);
    run.begin();
    expect(run.recorded("b", { as: "failed" })).toEqual([]);
    expect(isTerminal(run.statuses().b!)).toBe(false);
  });
});
