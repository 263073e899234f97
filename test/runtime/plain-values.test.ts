import type { PlannerTaskInput } from "@planloom/plan";
import { approve, defineTool, fork, memoryJournal, resume, run, signal, toolExecutor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";

class Money {
  amount: number;
  #secret = 5;
  constructor(amount: number) {
    this.amount = amount;
  }
  get doubled(): number {
    return this.amount * 2 * this.#secret;
  }
}

interface Row {
  readonly name: string;
  readonly make: () => unknown;
  /** What each task that reads it gets, in one session and after a resumption; absent: it is refused. */
  readonly got?: unknown;
  /** Only a tool may give it. */
  readonly onlyOutput?: true;
}

const rows: readonly Row[] = [
  { name: "-0", make: () => -0, got: 0 },
  { name: "-0 within", make: () => ({ n: -0, list: [[-0]] }), got: { n: 0, list: [[0]] } },
  { name: "undefined within", make: () => ({ a: undefined, b: [undefined] }), got: { b: [null] } },
  {
    name: "NaN and Infinity",
    make: () => [Number.NaN, Infinity, -Infinity],
    got: [null, null, null],
    onlyOutput: true,
  },
  { name: "a Date", make: () => new Date(0), got: "1970-01-01T00:00:00.000Z" },
  { name: "a Date that is none", make: () => ({ at: new Date(Number.NaN) }), got: { at: null }, onlyOutput: true },
  { name: "BigInt", make: () => [5n, -(2n ** 80n)], got: [5, "-1208925819614629174706176"] },
  { name: "a Map and a Set", make: () => ({ m: new Map([["a", -0]]), s: new Set([1]) }), got: { m: { a: 0 }, s: [1] } },
  // biome-ignore lint/suspicious/noSparseArray: this is what is tested.
  { name: "a list with holes", make: () => [, 1, ,], got: [null, 1, null] },
  { name: "lone surrogates", make: () => ({ "k\udc00": "\ud800x" }), got: { "k\udc00": "\ud800x" } },
  { name: "NUL and line separators", make: () => "a\0b\u2028", got: "a\0b\u2028" },
  {
    name: "names of every object",
    make: () => ({ constructor: 1, toString: 2 }),
    got: { constructor: 1, toString: 2 },
  },
  {
    name: "the key __proto__",
    make: () => JSON.parse('{"__proto__": {"a": 1}}'),
    got: JSON.parse('{"__proto__": {"a": 1}}'),
  },
  {
    name: "toJSON",
    make: () => ({ toJSON: () => ({ n: -0, at: new Date(0) }) }),
    got: { n: 0, at: "1970-01-01T00:00:00.000Z" },
  },
  { name: "toJSON that gives nothing", make: () => [{ toJSON: () => undefined }], got: [null] },
  { name: "an instance", make: () => new Money(-0), got: { amount: 0 } },
  { name: "boxed values", make: () => [Object(-0), Object("x"), Object(false)], got: [0, "x", false] },
  {
    name: "a getter",
    make: () => ({
      get n() {
        return -0;
      },
    }),
    got: { n: 0 },
  },
  { name: "keys that are symbols", make: () => ({ [Symbol("s")]: 1, a: 1 }), got: { a: 1 } },
  { name: "an object without a prototype", make: () => Object.assign(Object.create(null), { n: -0 }), got: { n: 0 } },
  { name: "extreme numbers", make: () => [1e308, 5e-324, 0.1 + 0.2], got: [1e308, 5e-324, 0.1 + 0.2] },
  { name: "a function", make: () => ({ f: () => {} }) },
  { name: "a regular expression", make: () => [/x/] },
  { name: "bytes", make: () => ({ b: new Uint8Array(2) }) },
  { name: "a promise", make: () => ({ p: Promise.resolve(1) }) },
  {
    name: "a cycle",
    make: () => {
      const own: unknown[] = [];
      own.push(own);
      return own;
    },
  },
];

/** Where a value comes from, and how the second task refers to it. */
const doors = {
  "a tool's output": { reference: "${a}", output: true },
  "the run's input": { reference: "${input.v}", input: true },
  "a variable": { reference: "${v}", variable: true },
  "an argument of the plan": { literal: true },
  "a signal": { reference: "${a}", signal: true },
} as const;

interface Door {
  readonly reference?: string;
  readonly output?: boolean;
  readonly input?: boolean;
  readonly variable?: boolean;
  readonly literal?: boolean;
  readonly signal?: boolean;
}

async function received(door: Door, make: () => unknown, isCut: boolean): Promise<unknown> {
  const seen: unknown[] = [];
  const give = defineTool({ id: "give", description: "", execute: () => (door.output ? make() : null) });
  const take = defineTool({ id: "take", description: "", execute: (input) => void seen.push(input) });
  const executors = [toolExecutor([give, take])];
  const journal = memoryJournal();
  const first: PlannerTaskInput = door.signal
    ? { task_id: "a", wait: { event: "e" } }
    : { task_id: "a", execution_type: "tool", tool_id: "give" };
  const second: PlannerTaskInput = {
    ...{ task_id: "b", execution_type: "tool", tool_id: "take", dependencies: ["a"] },
    arguments: { x: door.literal ? make() : door.reference },
    ...(isCut && { approval: "required" }),
  };
  const plan = { planned_tasks: [first, second], ...(door.variable && { variables: { v: null } }) };
  let result = await run(plan, {
    ...{ executors, journal, runId: "r" },
    ...(door.input && { input: { v: make() } }),
    ...(door.variable && { variables: { v: make() } }),
  });
  if (door.signal) {
    await signal("r", "e", { journal, data: make() });
    result = await resume("r", { executors, journal });
  }
  if (isCut && result.end_reason === "waiting_approval") {
    await approve("r", "b", { journal });
    result = await resume("r", { executors, journal });
  }
  const refused = result.results.find(({ error }) => error !== undefined)?.error;
  if (refused !== undefined) throw new Error(refused.message);
  return seen;
}

describe.each(Object.entries(doors))("%s is the same before and after a resumption", (name, door) => {
  test.for(rows)("$name", async (row) => {
    for (const isCut of [false, true]) {
      const outcome = await received(door, row.make, isCut).then(
        (seen) => ({ seen }),
        ({ message }: Error) => ({ message }),
      );
      // No executor is given a key `__proto__` among its arguments, and a plan may not have one there; within them it is data.
      if ("got" in row && (row.onlyOutput !== true || "output" in door))
        expect({ name, outcome }).toStrictEqual({ name, outcome: { seen: [{ x: row.got }] } });
      else expect(outcome).toMatchObject({ message: expect.stringMatching(/JSON/) });
    }
  });
});

test("what is no JSON in a plan says where it is", async () => {
  const executors = [toolExecutor([defineTool({ id: "t", description: "", execute: () => 1 })])];
  const task = { task_id: "b", execution_type: "tool", tool_id: "t" } as const;
  const plans: [PlannerTaskInput, RegExp][] = [
    [{ ...task, arguments: { x: { f: () => {} } } }, /Task "b" has a value in `arguments`.*at x\.f, got a function/],
    [{ ...task, arguments: { x: [1, Number.NaN] } }, /at x\[1\], got NaN \(a number that JSON does not have\)/],
    [{ ...task, for_each: { items: [/x/] } }, /`for_each` of task "b" has a value in `items`.*\[0\].*RegExp/],
  ];
  for (const [given, says] of plans) {
    const refused = run({ planned_tasks: [given] }, { executors });
    await expect(refused).rejects.toMatchObject({ code: "RUNTIME_INVALID_PLAN", message: expect.stringMatching(says) });
  }
});

test("an edited input is what the journal keeps of it, also where the run hears of it at once", async () => {
  const seen: unknown[] = [];
  const take = defineTool({ id: "take", description: "", execute: (input) => void seen.push(input) });
  const executors = [toolExecutor([take])];
  const journal = memoryJournal();
  const task = { task_id: "b", execution_type: "tool", tool_id: "take", approval: "required" } as const;
  await run({ planned_tasks: [task] }, { executors, journal, runId: "r" });
  await expect(approve("r", "b", { journal, input: { f: () => {} } })).rejects.toMatchObject({
    ...{ code: "RUNTIME_INVALID_ANSWER", message: expect.stringContaining("at f, got a function") },
  });
  await approve("r", "b", { journal, input: { at: new Date(0), n: -0 } });
  await resume("r", { executors, journal });
  expect(seen).toStrictEqual([{ at: "1970-01-01T00:00:00.000Z", n: 0 }]);
});

test("arguments that a fork is given are JSON as well", async () => {
  const seen: unknown[] = [];
  const executors = [
    toolExecutor([defineTool({ id: "take", description: "", execute: (input) => void seen.push(input) })]),
  ];
  const journal = memoryJournal();
  await run(
    { planned_tasks: [{ task_id: "b", execution_type: "tool", tool_id: "take" }] },
    { executors, journal, runId: "r" },
  );
  await fork("r", "b", { executors, journal, arguments: { at: new Date(0), big: 2n ** 80n } });
  expect(seen[1]).toStrictEqual({ at: "1970-01-01T00:00:00.000Z", big: "1208925819614629174706176" });
  const refused = fork("r", "b", { executors, journal, arguments: { f: () => {} } });
  await expect(refused).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION", details: { option: "arguments" } });
});
