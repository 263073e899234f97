import { planViewFromEdges } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { JoinRule } from "../../../packages/runtime/src/core/joins.ts";
import { Limits } from "../../../packages/runtime/src/core/limits.ts";
import { createRunState } from "../../../packages/runtime/src/core/run-state.ts";
import { TaskState } from "../../../packages/runtime/src/core/task-state.ts";
import { CoreDriver, viewOf } from "../../support/core-driver.ts";

type Rule = keyof typeof JoinRule;
type End = "completed" | "failed" | "unavailable";
const ends: readonly End[] = ["completed", "failed", "unavailable"];

/** A run that has begun; tasks that `rules` does not name need all they depend on. */
function begun(edges: readonly string[], rules: Readonly<Record<string, Rule>>) {
  const view = viewOf(edges);
  const joins = Uint8Array.from(view.ids, (id) => JoinRule[rules[id] ?? "ALL"]);
  const core = new CoreDriver(createRunState(view, { limits: new Limits({ concurrency: 9 }), joins }));
  core.feed({ type: "begin" });
  const of = (id: string) => core.state.view.ids.indexOf(id);
  return {
    core,
    of,
    feed: (type: End, id: string) => core.feed({ type, task: of(id) }),
    stateOf: (id: string) =>
      Object.keys(TaskState).find((name) => TaskState[name as keyof typeof TaskState] === core.state.state[of(id)]),
    /** The task that another one was skipped for. */
    because: (id: string) => core.state.view.ids[core.state.blame[of(id)]!],
  };
}

const cases = ends.flatMap((a) =>
  ends.flatMap((b) => [["a", "b"] as const, ["b", "a"] as const].map((order) => ({ a, b, order }))),
);

describe("a task that depends on a and b", () => {
  test.for(cases)("any: a $a, b $b, $order", ({ a, b, order: [first, second] }) => {
    const { feed, stateOf, because, core } = begun(["a>j", "b>j"], { j: "ANY" });
    const how = { a, b };
    feed(how[first], first);
    expect(stateOf("j")).toBe("WAITING");
    feed(how[second], second);
    const runs = a === "completed" || b === "completed";
    expect([stateOf("j"), because("j")]).toEqual(runs ? ["RUNNING", undefined] : ["SKIPPED", "a"]);
    if (runs) feed("completed", "j");
    expect(core.state.phase).toBe("ended");
  });

  test.for(cases)("none failed: a $a, b $b, $order", ({ a, b, order: [first, second] }) => {
    const { feed, stateOf, because, core } = begun(["a>j", "b>j"], { j: "NONE_FAILED" });
    const how = { a, b };
    feed(how[first], first);
    // One failure says it already.
    expect(stateOf("j")).toBe(how[first] === "failed" ? "SKIPPED" : "WAITING");
    feed(how[second], second);
    const lost = [first, second].find((id) => how[id] === "failed");
    expect([stateOf("j"), because("j")]).toEqual([lost === undefined ? "RUNNING" : "SKIPPED", lost]);
    if (lost === undefined) feed("completed", "j");
    expect(core.state.phase).toBe("ended");
  });

  test.for(cases)("all: a $a, b $b, $order", ({ a, b, order: [first, second] }) => {
    const { feed, stateOf, because } = begun(["a>j", "b>j"], {});
    const how = { a, b };
    feed(how[first], first);
    expect(stateOf("j")).toBe(how[first] === "completed" ? "WAITING" : "SKIPPED");
    feed(how[second], second);
    const lost = [first, second].find((id) => how[id] !== "completed");
    expect([stateOf("j"), because("j")]).toEqual([lost === undefined ? "RUNNING" : "SKIPPED", lost]);
  });
});

describe("what was skipped before such a task", () => {
  test.for([
    { rule: "NONE_FAILED", how: "failed", expected: ["SKIPPED", "x"] },
    // It was left out and nothing went wrong.
    { rule: "NONE_FAILED", how: "unavailable", expected: ["RUNNING", undefined] },
    { rule: "ANY", how: "failed", expected: ["SKIPPED", "x"] },
    { rule: "ANY", how: "unavailable", expected: ["SKIPPED", "x"] },
  ] as const)("$rule, because of one that is $how: $expected", ({ rule, how, expected }) => {
    const { feed, stateOf, because } = begun(["x>a", "a>j"], { j: rule });
    feed(how, "x");
    expect(because("a")).toBe("x");
    expect([stateOf("j"), because("j")]).toEqual(expected);
  });

  test("passes through several of them to what began it", () => {
    const { feed, stateOf, because } = begun(["x>a", "a>j", "j>k", "k>l"], { j: "ANY", k: "NONE_FAILED" });
    feed("failed", "x");
    for (const id of ["a", "j", "k", "l"]) expect([stateOf(id), because(id)]).toEqual(["SKIPPED", "x"]);
  });
});

describe("a failure that is held", () => {
  test.for(["ANY", "NONE_FAILED"] as const)("says nothing yet (%s), until it is released", (rule) => {
    const { core, feed, stateOf, of } = begun(["a>j", "b>j"], { j: rule });
    core.feed({ type: "failed", task: of("a"), held: true });
    feed("completed", "b");
    expect(stateOf("j")).toBe("WAITING");
    core.feed({ type: "release", tasks: [of("a")] });
    expect(stateOf("j")).toBe(rule === "ANY" ? "RUNNING" : "SKIPPED");
  });

  test.for(["ANY", "NONE_FAILED"] as const)("is replaced: what takes its place counts (%s)", (rule) => {
    const { core, feed, stateOf, of } = begun(["a>j", "b>j"], { j: rule });
    core.feed({ type: "failed", task: of("a"), held: true });
    feed("unavailable", "b");
    const ids = [...core.state.view.ids, "n", "k"];
    const place = (id: string) => ids.indexOf(id);
    const view = planViewFromEdges({
      n: ids.length,
      ids,
      from: ["b", "n", "n", "b"].map(place),
      to: ["j", "j", "k", "k"].map(place),
      work: ids.map(() => 1),
    });
    const none = new Int32Array(2).fill(-1);
    const rules = Uint8Array.of(JoinRule.ALL, JoinRule[rule]);
    core.feed({
      type: "revise",
      revision: {
        ...{ view, replaced: [of("a")], kindGroup: none, resourceGroup: none, halts: new Uint8Array(2) },
        ...{ asksAgain: [], joins: rules },
      },
    });
    expect([stateOf("a"), stateOf("n"), stateOf("j"), stateOf("k")]).toEqual([
      ...["REPLACED", "RUNNING", "WAITING", "WAITING"],
    ]);
    feed("completed", "n");
    expect([stateOf("j"), stateOf("k")]).toEqual(["RUNNING", "RUNNING"]);
  });
});

test("what depended on a task that was replaced without another in its place has it as completed", () => {
  const { core, feed, stateOf, of } = begun(["a>j", "b>j"], { j: "ANY" });
  core.feed({ type: "failed", task: of("a"), held: true });
  const none = new Int32Array(0);
  core.feed({
    type: "revise",
    revision: {
      ...{ view: core.state.view, replaced: [of("a")], kindGroup: none, resourceGroup: none },
      ...{ halts: new Uint8Array(0), asksAgain: [] },
    },
  });
  expect(stateOf("j")).toBe("WAITING");
  feed("failed", "b");
  expect(stateOf("j")).toBe("RUNNING");
});

describe("a run whose tasks all need all they depend on", () => {
  test.for([
    { rules: ["ALL", "ANY"], expected: ["SKIPPED", "RUNNING"] },
    { rules: ["ALL", "ALL"], expected: ["SKIPPED", "SKIPPED"] },
    { rules: undefined, expected: ["SKIPPED", "SKIPPED"] },
  ] as const)("gets a revision whose new tasks have the rules $rules", ({ rules, expected }) => {
    const view = viewOf(["a", "b"]);
    const core = new CoreDriver(createRunState(view, { limits: new Limits({ concurrency: 9 }) }));
    core.feed({ type: "begin" });
    const none = new Int32Array(2).fill(-1);
    const joins = rules && Uint8Array.from(rules, (rule) => JoinRule[rule]);
    core.feed({
      type: "revise",
      revision: {
        ...{ view: viewOf(["a", "b", "a>j", "b>j", "a>k", "b>k"]), replaced: [], kindGroup: none, resourceGroup: none },
        ...{ halts: new Uint8Array(2), asksAgain: [], ...(joins !== undefined && { joins }) },
      },
    });
    core.feed({ type: "failed", task: 0 });
    core.feed({ type: "completed", task: 1 });
    const nameOf = (task: number) =>
      Object.keys(TaskState).find((name) => TaskState[name as keyof typeof TaskState] === core.state.state[task]);
    expect([nameOf(2), nameOf(3)]).toEqual(expected);
    if (expected[1] === "RUNNING") core.feed({ type: "completed", task: 3 });
    expect(core.endReason).toBe("failed");
  });

  test("one whose tasks have rules keeps them when a revision says none", () => {
    const { core, feed, stateOf } = begun(["a>j", "b>j"], { j: "ANY" });
    const none = new Int32Array(1).fill(-1);
    core.feed({
      type: "revise",
      revision: {
        ...{ view: viewOf(["a>j", "b>j", "a>n", "b>n"]), replaced: [], kindGroup: none, resourceGroup: none },
        ...{ halts: new Uint8Array(1), asksAgain: [] },
      },
    });
    feed("failed", "a");
    feed("completed", "b");
    expect([stateOf("j"), stateOf("n")]).toEqual(["RUNNING", "SKIPPED"]);
  });
});

test("a failure that has taken effect before a revision takes effect once", () => {
  const { core, feed, stateOf, because, of } = begun(["a>j", "b>j", "c>k", "a>k"], { j: "ANY", k: "NONE_FAILED" });
  feed("failed", "a");
  expect([stateOf("j"), stateOf("k"), because("k")]).toEqual(["WAITING", "SKIPPED", "a"]);
  const none = new Int32Array(0);
  core.feed({
    type: "revise",
    revision: {
      ...{ view: core.state.view, replaced: [], kindGroup: none, resourceGroup: none },
      ...{ halts: new Uint8Array(0), asksAgain: [] },
    },
  });
  expect([stateOf("j"), stateOf("k"), because("k")]).toEqual(["WAITING", "SKIPPED", "a"]);
  core.feed({ type: "hold", tasks: [of("a")] });
  core.feed({ type: "release", tasks: [of("a")] });
  feed("completed", "b");
  expect(stateOf("j")).toBe("RUNNING");
});
