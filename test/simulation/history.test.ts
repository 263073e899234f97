import { expect, test } from "vitest";
import { checkHistory, type HistoryEvent, type HistoryFacts } from "./history.ts";

const facts: HistoryFacts = {
  dependencies: new Map([
    ["a", []],
    ["b", ["a"]],
  ]),
  gated: new Set(),
  unrepeatable: new Set(),
  concurrency: 1,
  maxCalls: Number.POSITIVE_INFINITY,
  survivesKill: true,
};

type Loose = Readonly<Record<string, unknown>>;
const reported = (...events: readonly Loose[]) =>
  events.map((event, atMs) => ({ atMs, process: "p", ...event }) as unknown as HistoryEvent);
const session = (completed: string[] = [], token = "t", process = "p") => ({
  type: "session",
  token,
  completed,
  process,
});
const begin = (taskId: string, more: Loose = {}) => ({ type: "effect-begin", taskId, key: `k/${taskId}`, ...more });
const end = (taskId: string) => ({ type: "effect-end", taskId, how: "completed" });
const acknowledged = (...completed: string[]) => ({ type: "acknowledged", token: "t", completed });
const write = (records: Loose[], more: Loose = {}) => ({
  type: "write",
  operation: "record",
  token: "t",
  outcome: "ok",
  records,
  ...more,
});
const kill = { type: "kill" };

test("a history in which all went well has no problems", () => {
  const done = write([{ task_id: "a", status: "completed", output: 1 }]);
  const history = [session(), begin("a"), end("a"), done, acknowledged("a"), { type: "reported", taskId: "a" }];
  expect(
    checkHistory(reported(...history, begin("b"), kill, session(["a"], "u", "q"), begin("b", { process: "q" })), facts),
  ).toEqual([]);
});

test.for<{ name: string; events: Loose[]; problem: RegExp; facts?: Partial<HistoryFacts> }>([
  {
    name: "a failed call that is made again by who only continues the run",
    events: [{ type: "continues" }, { ...session(), failed: ["a"] }, begin("a")],
    problem: /a had failed and was executed again by p at 2/,
  },
  {
    name: "two writers",
    events: [session(), { type: "settled" }, session([], "u", "q"), write([])],
    problem: /p wrote \(record\) at 3 after another session had begun/,
  },
  {
    name: "a run taken from a living process",
    events: [session(), session([], "u", "q")],
    problem: /q took the run from p at 1, which lived/,
  },
  {
    name: "an acknowledged completion that is lost",
    events: [session(), acknowledged("a"), kill, session([], "u", "q")],
    problem: /a was acknowledged as completed, and is lost for q/,
  },
  {
    name: "a completion that goes away",
    events: [session(["a"]), kill, session([], "u", "q")],
    problem: /a was completed, and is not for q/,
  },
  {
    name: "two outputs",
    events: [1, 2].map((output) => write([{ task_id: "a", status: "completed", output }])),
    problem: /a has two outputs: 1, 2/,
  },
  {
    name: "work done again that is recorded",
    events: [session(["a"]), begin("a")],
    problem: /a was completed and was executed again by p at 1/,
  },
  {
    name: "work done again in one session",
    events: [session(), begin("a"), end("a"), acknowledged("a"), begin("a")],
    problem: /a was completed and was executed again/,
  },
  {
    name: "a dependent that begins before what it needs is kept",
    events: [session(), begin("a"), end("a"), begin("b")],
    problem: /b began at 3 before a was kept/,
  },
  {
    name: "news of what is not kept",
    events: [session(), begin("a"), end("a"), { type: "reported", taskId: "a" }],
    problem: /p reported that a is completed before it was kept/,
  },
  {
    name: "too many at once",
    events: [session(["a"]), begin("b"), begin("c")],
    problem: /2 ran at once in p/,
  },
  {
    name: "one task twice at once",
    events: [session(), begin("a"), begin("a")],
    problem: /a ran twice at once in p/,
  },
  {
    name: "a call too many",
    events: [session(), begin("a"), end("a"), begin("c")],
    problem: /2 calls were made of a budget of 1/,
    facts: { maxCalls: 1 },
  },
  {
    name: "a gate that nobody opened",
    events: [session(), begin("a")],
    problem: /a began at 1 after no answer/,
    facts: { gated: new Set(["a"]) },
  },
  {
    name: "a yes after a no",
    events: ["deny", "approve"]
      .map((answer): Loose => ({ type: "answer", taskId: "a", answer }))
      .concat(session(), begin("a")),
    problem: /a began at 3 after deny/,
    facts: { gated: new Set(["a"]) },
  },
  {
    name: "a call done again of which it is unknown whether it was done",
    events: [session(), begin("a"), kill, session([], "u", "q"), begin("a", { process: "q" })],
    problem: /a was begun again by q at 4, and nobody was asked/,
    facts: { unrepeatable: new Set(["a"]) },
  },
  {
    name: "another key for another attempt",
    events: [session(), begin("a"), end("a"), begin("a", { key: "k/a/2" })],
    problem: /a has the keys k\/a and k\/a\/2/,
  },
  {
    name: "one key for two tasks",
    events: [session(), begin("a"), end("a"), begin("c", { key: "k/a" })],
    problem: /a and c have one key/,
  },
])("finds $name", ({ events, problem, facts: more }) => {
  expect(checkHistory(reported(...events), { ...facts, ...more }).join("\n")).toMatch(problem);
});
