import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { evaluateExpression } from "../../packages/runtime/src/expressions/evaluate-expression.ts";
import { cases } from "../support/cases.ts";
import { cpuTimer } from "../support/cpu-time.ts";

const input = {
  rows: [
    { id: "a", n: 2 },
    { id: "b", n: 3 },
  ],
  text: "Call 030-1234 or 040-99",
};

describe("what expressions do", () => {
  test.for([
    ["{ 'ids': rows.id, 'sum': $sum(rows.n) }", { ids: ["a", "b"], sum: 5 }],
    ["rows[n > 2].id", "b"],
    ["nothing.here", undefined],
    ["$match(text, /(\\d+)-(\\d+)/).groups", ["030", "1234", "040", "99"]],
    ["$match(text, /call/i).match", "Call"],
    ["$replace(text, /\\d/, '#')", "Call ###-#### or ###-##"],
    ["$split('a1b22c', /\\d+/)", ["a", "b", "c"]],
    ["$contains(text, /or$/m)", false],
    ["$pad('a', 3, '-')", "a--"],
    ["$distinct([1, 1, {'a': 1, 'b': 2}, {'b': 2, 'a': 1}, '1'])", [1, { a: 1, b: 2 }, "1"]],
    ["$toMillis('2025-10-12', '[Y0001]-[M01]-[D01]')", 1760227200000],
    ["$fromMillis(0, '[Y0001]-[M01]-[D01]')", "1970-01-01"],
    ["$lookup({}, 'constructor')", undefined],
    ["$sort(rows, function($a, $b) { $a.n < $b.n }).id", ["b", "a"]],
    ["$sort([3, 1, 2])", [1, 2, 3]],
    ["$sort(['b', 'a'])", ["a", "b"]],
    ["$sort(5)", [5]],
    ["$sort(nothing)", undefined],
    ["rows^(>n).id", ["b", "a"]],
    ["$spread([{ 'a': 1, 'b': 2 }, [{ 'c': 3 }]])", [{ a: 1 }, { b: 2 }, { c: 3 }]],
    ["$spread({ 'a': 1 })", { a: 1 }],
    ["[$max(rows.n), $min(rows.n), $max(4)]", [3, 2, 4]],
    ["$max([])", undefined],
    ["text.constructor", undefined],
  ] as const)("%s", async ([source, expected]) => {
    expect(await evaluateExpression(source, input)).toEqual(expected);
  });

  test("gives a copy", async () => {
    const rows = await evaluateExpression("rows", input);
    expect(rows).toEqual(input.rows);
    expect(rows).not.toBe(input.rows);
  });
});

test.for([
  ["the clock on the wall is set forward", Date],
  ["the process is stopped, or the machine asleep", performance],
] as const)("an expression does not run out of time while %s", async ([, clock]) => {
  await evaluateExpression("rows.n", input);
  const real = clock.now.bind(clock);
  let calls = 0;
  // An hour at the fourth look at the clock.
  const spy = vi.spyOn(clock, "now").mockImplementation(() => real() + (++calls > 3 ? 3_600_000 : 0));
  try {
    expect(await evaluateExpression("$sum(rows[n > 2].(n * 2))", input)).toBe(6);
    expect(clock === Date || calls > 3).toBe(true);
  } finally {
    spy.mockRestore();
  }
});

describe("what expressions cannot do, and how soon they end", () => {
  test.for([
    ["syntax", "rows[", /is not a JSONata/],
    ["recursion", "($f := function($n){ 1 + $f($n) }; $f(1))", /[Ss]tack|timeout/],
    ["an endless loop", "($f := function($n){ $f($n + 1) }; $f(1))", /timeout/i],
    ["a huge range", "[1..100000000]", /exceed|range/i],
    ["a huge pad", "$pad('a', 4294967296)", /width/],
    ["a slow regular expression", "$match($join([1..30].'a') & '!', /^(a+)+$/)", undefined],
    ["a back reference", "$match('aa', /(a)\\1/)", /failed/],
    ["a long date picture", "$fromMillis(0, '[Y,99999999]')", /width/],
    ["many date parts", "$toMillis('1', '[Y][M][D][H][m][s][f][Y][M]')", /parts/],
    ["source made at run time", "$eval('1 + 1')", /\$eval/],
    ["a function as a result", "{'f': $sum}", /no JSON value/],
    ["too long a source", `"${"a".repeat(10_001)}"`, /characters/],
    ["too deep a source", "(".repeat(101), /nested/],
    ["$error", "$error('mine')", /mine/],
  ] as const)("%s", async ([, source, message]) => {
    const started = performance.now();
    const attempt = evaluateExpression(source, input, { timeoutMs: 300 });
    if (message === undefined) expect(await attempt).toBeUndefined();
    else
      await expect(attempt).rejects.toMatchObject({ code: "TASK_CONVERTOR", message: expect.stringMatching(message) });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test.for(["$count($match(text, /x*y|x/))", "$replace(text, /x*y|x/, '')", "$count($split(text, /x*y|x/))"])(
    "matches that each search the whole text: %s",
    async (source) => {
      const attempt = evaluateExpression(source, { text: "x".repeat(900_000) });
      await expect(attempt).rejects.toMatchObject({
        code: "TASK_CONVERTOR",
        message: expect.stringContaining("this regular expression takes longer"),
      });
    },
  );

  test("distinct over many objects is linear", async () => {
    const rows = Array.from({ length: 30_000 }, (_, id) => ({ id }));
    const cpuMs = cpuTimer();
    expect(await evaluateExpression("$count($distinct(rows))", { rows })).toBe(30_000);
    expect(cpuMs()).toBeLessThan(1_000);
  });
});

describe("lists of any length that a task may have are read", () => {
  const rows = Array.from({ length: 150_000 }, (_, n) => ({ n: (n * 7919) % 150_000 }));
  test.for([
    ["$sort(rows.n)[0]", 0],
    ["$sort($reverse([1..5000]), function($a, $b) { $a > $b })[0]", 1],
    ["$count($spread(rows))", 150_000],
    ["$max(rows.n) + $min(rows.n)", 149_999],
  ] as const)("%s", async ([source, expected]) => {
    expect(await evaluateExpression(source, { rows })).toBe(expected);
  });
});

describe("what is read for each element and not kept may be long", () => {
  const rows = Array.from({ length: 10_000 }, (_, n) => ({ n }));
  test.for([
    ["$count($map(rows, function($r) { $count($$.rows) }))", 10_000],
    ["($rows := rows; $count($map($rows, function($r) { $rows ~> $count })))", 10_000],
    ["($last := function($l, $at) { $at < $count($l) ? $last($l, $at + 1) : $at }; $last(rows, 0))", 10_000],
    ["($ns := rows.n; $count(rows[n in $ns]))", 10_000],
    ['$length($reduce(rows, function($text, $r) { $text & $r.n & "\n" }, ""))', 48_890],
  ] as const)("%s", async ([source, expected]) => {
    expect(await evaluateExpression(source, { rows })).toBe(expected);
  });
});

test.for([
  ["lists in each element of a list", "[1..1000].([1..1000000])", "elements together"],
  ["lists that are kept", "$map([1..10000], function($x) { $reverse([1..1000000]) })", "elements together"],
  ["what is read again for each element", "[1..100000].($$.rows)", "elements together"],
  [
    "texts",
    "$map([1..20], function() { $replace($pad('', 4000, 'a'), 'a', $pad('', 100000, 'b')) })",
    "characters together",
  ],
  ["texts that are given", "$map([1..1000], function() { $uppercase($$.text) })", "characters together"],
  ["texts that are put together", "($f := function($s) { $f($s & $s) }; $f('ab'))", "characters together"],
  ["long lists that are put in order", "[1..30000]^(>$)", "too long to be put in order"],
] as const)(
  "an expression that takes more memory than there is fails, and the process goes on: %s",
  async ([, source, message]) => {
    const rows = Array.from({ length: 100_000 }, (_, id) => id);
    // Memory ends these, not time, on a busy machine too.
    const attempt = evaluateExpression(source, { rows, text: "a".repeat(1_000_000) }, { timeoutMs: 60_000 });
    await expect(attempt).rejects.toMatchObject({
      code: "TASK_CONVERTOR",
      message: expect.stringContaining(message),
    });
  },
);

test("no source makes it throw anything but its own error", async () => {
  const source = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc
      .array(
        fc.constantFrom("rows", ".", "[", "]", "(", ")", "$", "id", "'", "/", "{", ":", "1", "+", "%", "^", "~>", "*"),
      )
      .map((parts) => parts.join("")),
  );
  await fc.assert(
    fc.asyncProperty(source, async (text) => {
      await evaluateExpression(text, input).catch((error: unknown) =>
        expect(error).toMatchObject({ code: "TASK_CONVERTOR" }),
      );
    }),
    { numRuns: cases(300) },
  );
});

test("the event loop goes on while an expression is evaluated", async () => {
  let beats = 0;
  const beat = setInterval(() => beats++, 5);
  const endless = evaluateExpression("($f := function($n) { $f($n + 1) }; $f(0))", {}, { timeoutMs: 300 });
  await expect(endless).rejects.toMatchObject({ code: "TASK_CONVERTOR" });
  clearInterval(beat);
  expect(beats).toBeGreaterThan(2);
});
