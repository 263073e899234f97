import {
  escapeReferences,
  mapReferences,
  PlanError,
  PlannerTask,
  parseReference,
  renameReferences,
  resolveReferences,
  variableNames,
} from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { collectSecrets, fillSecrets, isSecretName } from "../../packages/plan/src/references/secret-object.ts";

const faultOf = (text: string): PlanError => {
  try {
    parseReference(text);
  } catch (error) {
    if (error instanceof PlanError) return error;
    throw error;
  }
  throw new Error(`Expected ${text} to be refused.`);
};
const hint = ' A reference reads ${name.key[0]["any key"].*}; for a literal "${" write "$${".';

describe("a reference that cannot be read", () => {
  test.for<{ text: string; at: number; says: string }>([
    { text: "", at: 0, says: 'Expected a name, got the end at offset 0 of "".' },
    { text: "  .a", at: 2, says: 'Expected a name, got "." at offset 2 of "  .a".' },
    { text: "a b", at: 2, says: 'Expected the end of the reference, got "b" at offset 2 of "a b".' },
    { text: "[x]", at: 1, says: 'Expected a quoted name, got "x" at offset 1 of "[x]".' },
    { text: '["a', at: 3, says: 'Expected a closing ", got the end at offset 3 of "[\\"a".' },
    { text: "['a", at: 3, says: `Expected a closing ', got the end at offset 3 of "['a".` },
    { text: '["a"x', at: 4, says: 'Expected "]", got "x" at offset 4 of "[\\"a\\"x".' },
    { text: '[""].x', at: 0, says: 'Expected a name that is not empty, got "[" at offset 0 of "[\\"\\"].x".' },
    { text: "a.", at: 2, says: 'Expected a key, "*" or a bracket after the dot, got the end at offset 2 of "a.".' },
    { text: "a.👍", at: 2, says: 'Expected a key, "*" or a bracket after the dot, got "👍" at offset 2 of "a.👍".' },
    { text: "a[]", at: 2, says: 'Expected a quoted key, an index from 0 or *, got "]" at offset 2 of "a[]".' },
    { text: "a[*x", at: 2, says: 'Expected a quoted key, an index from 0 or *, got "*" at offset 2 of "a[*x".' },
    { text: "a[1", at: 3, says: 'Expected "]", got the end at offset 3 of "a[1".' },
    { text: "a[99999999999999999]", at: 2, says: 'Expected a smaller index, got "9" at offset 2' },
    { text: 'a["\\x"]', at: 3, says: 'Expected an escape as in JSON, got "\\\\" at offset 3' },
    { text: 'a["\\u12"]', at: 3, says: "Expected an escape as in JSON" },
    { text: 'a["\\u12345', at: 10, says: 'Expected a closing "' },
    { text: 'a["\\uG123"]', at: 3, says: "Expected an escape as in JSON" },
    { text: 'a["\\x0041"]', at: 3, says: "Expected an escape as in JSON" },
    { text: 'a["\\', at: 3, says: "Expected an escape as in JSON" },
    { text: `a${".b".repeat(300)}`, at: 1 + 2 * 257, says: "Expected at most 256 segments" },
    { text: "a-b@c", at: 3, says: 'got "@" at offset 3' },
    { text: "a`", at: 1, says: 'got "`" at offset 1' },
    { text: "a{", at: 1, says: 'got "{" at offset 1' },
    { text: "a\u0080", at: 1, says: 'got "\u0080" at offset 1' },
  ])("$text", ({ text, at, says }) => {
    const error = faultOf(text);
    expect(error).toMatchObject({ code: "PLAN_REFERENCE_SYNTAX", details: { text, at } });
    expect(error.message).toContain(says);
    expect(error.message.endsWith(hint)).toBe(true);
  });

  test("is shown around the place, at most 40 characters on each side", () => {
    const left = "l".repeat(41);
    const right = "r".repeat(40);
    expect(faultOf(`${left}!${right}`).message).toContain(`of "…${"l".repeat(40)}!${"r".repeat(39)}…".`);
    expect(faultOf(`${left.slice(1)}!${right.slice(1)}`).message).toContain(
      `of "${"l".repeat(40)}!${"r".repeat(39)}".`,
    );
  });

  test.for<[string, string, unknown[]]>([
    [`a${".b".repeat(256)}`, "a", Array<unknown>(256).fill({ key: "b" })],
    ["\n\t\r a \n\t\r ", "a", []],
    ["Zz09_-", "Zz09_-", []],
    ["größe.x", "größe", [{ key: "x" }]],
    ['["\\u0041\\n\\"b"]', 'A\n"b', []],
    ["a.['k'].[0].*[*]", "a", [{ key: "k" }, { index: 0 }, { map: true }, { map: true }]],
  ])("blanks, letters of any language and escapes are read: %j", ([text, name, path]) => {
    expect(parseReference(text)).toEqual({ name, path, optional: false });
  });
});

describe("references that are rewritten", () => {
  const upper = (value: unknown) => renameReferences(value, (name) => name.toUpperCase());

  test("in texts, lists and both object forms; all else is shared", () => {
    const given = {
      plain: "no reference",
      text: "from ${a.x} to ${b}",
      list: ["${a}", 1, null, [true]],
      ref: { $ref: "a.b[0]" },
      made: { $text: "${a}" },
      more: { $ref: "a", other: 1 },
      same: { deep: ["x"] },
    };
    const mapped = upper(given) as typeof given;
    expect(mapped).toEqual({
      ...given,
      text: "from ${A.x} to ${B}",
      list: ["${A}", 1, null, [true]],
      ref: { $ref: "A.b[0]" },
      made: { $text: "${A}" },
    });
    expect(mapped.same).toBe(given.same);
    expect(mapped.list[3]).toBe(given.list[3]);
    expect(upper(given.same)).toBe(given.same);
    const date = new Date(0);
    expect(upper(date)).toBe(date);
  });

  test("what is malformed stays as it is", () => {
    for (const given of ["${a", "${a..b}", { $ref: "a..b" }, { $ref: 7 }]) expect(upper(given)).toEqual(given);
  });

  test("a text in place of a reference is literal text, joined with what is beside it", () => {
    expect(mapReferences("x${a}${b}y", () => "-")).toBe("x--y");
    expect(mapReferences({ $ref: "a" }, () => "${b}")).toBe("${b}");
    expect(mapReferences("${a}", () => "${b}")).toBe("$${b}");
    expect(mapReferences("${a}${b}", (reference) => (reference.name === "a" ? "" : reference))).toBe("${b}");
  });

  test("a mistake of whoever maps them is not taken for a malformed text", () => {
    const fails = () => {
      throw new RangeError("mine");
    };
    expect(() => mapReferences("${a}", fails)).toThrow("mine");
    expect(() => mapReferences({ $ref: "a" }, fails)).toThrow("mine");
  });

  test("escaped, no text is read as one", () => {
    const given = { text: "${a} and $${b}", ref: { $ref: "a" }, made: { $text: "${a}" } };
    const escaped = escapeReferences(given) as typeof given;
    expect(escaped).toEqual({ ...given, text: "$${a} and $$$${b}" });
    expect(upper(escaped.text)).toBe(escaped.text);
  });

  test("nested too deep, or within itself, is refused", () => {
    const nested = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], "x");
    let deepest = 0;
    while (deepest < 10_000) {
      try {
        upper(nested(deepest + 1));
        deepest++;
      } catch (error) {
        expect(error).toMatchObject({ code: "PLAN_INVALID", details: { maxDepth: deepest } });
        expect((error as Error).message).toBe(
          `Expected arguments nested at most ${deepest} levels deep, got deeper ones (or a cycle). Flatten them.`,
        );
        break;
      }
    }
    expect(deepest).toBeGreaterThan(10);
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(() => upper(cyclic)).toThrow(PlanError);
  });
});

test("a run may be given values for a plan's variables, and for names that nobody else gives", () => {
  const task = (task_id: string, given: object, more: object = {}) =>
    PlannerTask.parse({ task_id, arguments: given, ...more });
  const planned_tasks = [
    task("a", { x: "${city} ${input.y} ${own}" }, { result_variable: "found" }),
    task("b", { x: "${a.z} ${found} ${city}" }, { parameters: { uid: "u", q: { $ref: "limit" } } }),
  ];
  expect(variableNames({ planned_tasks, variables: { own: 1, spare: 2 } })).toEqual(["own", "spare", "city", "limit"]);
  expect(variableNames({ planned_tasks })).toEqual(["city", "own", "limit"]);
});

describe("secrets", () => {
  test("are found in document order, and filled in where they still are", () => {
    const value = {
      list: [{ $secret: "ONE" }, { $secret: "TWO", other: 1 }, null, "x"],
      deep: { key: { $secret: "THREE" } },
      wrong: { $secret: 4 },
    };
    const found = collectSecrets(value);
    expect(found).toEqual([
      { name: "ONE", path: [{ key: "list" }, { index: 0 }] },
      { name: "THREE", path: [{ key: "deep" }, { key: "key" }] },
    ]);
    const missing: string[] = [];
    (value.deep.key as { $secret: string }).$secret = "CHANGED";
    const filled = fillSecrets(
      value,
      [...found, { name: "GONE", path: [{ key: "nowhere" }, { key: "x" }] }, { name: "ALL", path: [] }],
      ({ name }) => `text of ${name}`,
      ({ name }) => missing.push(name),
    );
    expect(filled).toBe(value);
    expect(value.list[0]).toBe("text of ONE");
    expect(value.deep.key).toEqual({ $secret: "CHANGED" });
    expect(missing).toEqual(["THREE", "GONE", "ALL"]);
  });

  test("stand for a place that was taken by a text, by nothing, or by another key: they are missing", () => {
    for (const holder of ["text", null, {}, [], 7]) {
      const missing: string[] = [];
      const secret = { name: "S", path: [{ key: "a" }, { key: "b" }] };
      fillSecrets(
        { a: holder },
        [secret],
        () => "x",
        ({ name }) => missing.push(name),
      );
      expect(missing).toEqual(["S"]);
    }
  });

  test.for([
    ["A", true],
    ["_a.b-C9", true],
    ["x".repeat(128), true],
    ["x".repeat(129), false],
    ["9a", false],
    ["-a", false],
    ["a b", false],
    ["", false],
  ] as const)("may be called %s: %s", ([name, fine]) => {
    expect(isSecretName(name)).toBe(fine);
  });
});

describe("an object that only looks like a template", () => {
  const lookup = () => ({ found: true, value: 5 });
  test.for<[given: unknown, resolved: unknown]>([
    [{ $text: "${a}" }, "5"],
    [
      { $text: "${a}", more: 1 },
      { $text: 5, more: 1 },
    ],
    [{ $text: 7 }, { $text: 7 }],
    [{ $ref: "a" }, 5],
    [
      { $ref: "a", more: 1 },
      { $ref: "a", more: 1 },
    ],
    [{ $ref: 7 }, { $ref: 7 }],
  ])("%j becomes %j", ([given, resolved]) => {
    expect(resolveReferences(given, lookup)).toEqual(resolved);
  });
});

test("an absent value is named with the reference and the place where reading stopped", () => {
  const lookup = (name: string) => (name === "a" ? { found: true, value: { b: [1] } } : { found: false });
  for (const [text, at] of [
    ["a.b[3].c", "b[3]"],
    ["a.x", "x"],
    ["none.b", "none"],
  ] as const) {
    expect(() => resolveReferences(`\${${text}}`, lookup)).toThrow(
      expect.objectContaining({ code: "PLAN_REFERENCE_ABSENT", details: { reference: `\${${text}}`, at } }),
    );
  }
});
