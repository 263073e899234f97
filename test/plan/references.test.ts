import {
  collectReferences,
  effectiveDependencies,
  escapeText,
  formatReference,
  formatTemplate,
  mapReferences,
  maxPathSegments,
  nameCollisions,
  PlanError,
  PlannerTask,
  parseReference,
  parseTemplate,
  type Reference,
  readPath,
  referenceText,
  renameReferences,
  resolveReferences,
  scanReferences,
  TaskData,
  taskNames,
  wholeReference,
} from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../support/any-text.ts";
import { cases } from "../support/cases.ts";
import { cpuTimer } from "../support/cpu-time.ts";

const reference = (name: string, path: Reference["path"] = [], optional = false): Reference => ({
  name,
  path,
  optional,
});
const from = (values: Record<string, unknown>) => {
  const map = new Map(Object.entries(values));
  return (name: string) => ({ found: map.has(name), value: map.get(name) });
};
const codeOf = (act: () => unknown): string | undefined => {
  try {
    act();
  } catch (error) {
    return error instanceof PlanError ? error.code : `not a PlanError: ${error}`;
  }
  return undefined;
};

describe("parseReference", () => {
  test.for<[string, Reference]>([
    ["a", reference("a")],
    ["V1StGXR8_Z5jdHi6B-myT", reference("V1StGXR8_Z5jdHi6B-myT")],
    ["-x9_", reference("-x9_")],
    ["0", reference("0")],
    ["größe.mm", reference("größe", [{ key: "mm" }])],
    ["a.b.c", reference("a", [{ key: "b" }, { key: "c" }])],
    ["a[0][12].x", reference("a", [{ index: 0 }, { index: 12 }, { key: "x" }])],
    ["a.0.x", reference("a", [{ key: "0" }, { key: "x" }])],
    ["a.*.id", reference("a", [{ map: true }, { key: "id" }])],
    ["a[*].id", reference("a", [{ map: true }, { key: "id" }])],
    ["a.[2]", reference("a", [{ index: 2 }])],
    ['a["any key"].x', reference("a", [{ key: "any key" }, { key: "x" }])],
    ["a['it\\'s']", reference("a", [{ key: "it's" }])],
    ['a["}\\u0041"]', reference("a", [{ key: "}A" }])],
    ['["a.b"].x', reference("a.b", [{ key: "x" }])],
    ["a.b?", reference("a", [{ key: "b" }], true)],
    [" a.b ", reference("a", [{ key: "b" }])],
  ])("reads %s", ([text, expected]) => {
    expect(parseReference(text)).toEqual(expected);
  });

  test.for<[string, number]>([
    ["", 0],
    [".a", 0],
    ["a.", 2],
    ["a..b", 2],
    ["a b", 2],
    ["a[-1]", 2],
    ["a[x]", 2],
    ["a[0", 3],
    ['a["x]', 5],
    ['a["\\q"]', 3],
    ["a?.b", 2],
    ["[0]", 1],
    ['[""]', 0],
    ["a.$b", 2],
    [`a[${"9".repeat(20)}]`, 2],
  ])("refuses %s, saying where", ([text, at]) => {
    expect(() => parseReference(text)).toThrow(
      expect.objectContaining({ code: "PLAN_REFERENCE_SYNTAX", details: { text, at } }),
    );
  });

  test("limits the length of a path", () => {
    expect(codeOf(() => parseReference(`a${".b".repeat(maxPathSegments)}`))).toBeUndefined();
    expect(codeOf(() => parseReference(`a${".b".repeat(maxPathSegments + 1)}`))).toBe("PLAN_REFERENCE_SYNTAX");
  });
});

const segment = fc.oneof(
  fc.record({ key: fc.oneof(fc.string(), anyText(), fc.stringMatching(/^[0-9]{1,3}$/)) }),
  fc.record({ index: fc.nat(1e6) }),
  fc.record({ map: fc.constant(true as const) }),
);
const anyReference: fc.Arbitrary<Reference> = fc.record({
  name: fc.oneof(fc.stringMatching(/^[\w-]{1,21}$/), anyText({ minLength: 1 })),
  path: fc.array(segment, { maxLength: 6 }),
  optional: fc.boolean(),
});
const nasty = fc.string({
  unit: fc.constantFrom("$", "{", "}", "a", ".", "[", "]", '"', "'", "\\", "*", "?", "0", " "),
});
const jsonText = (value: unknown) => JSON.stringify(value);

describe("laws of the grammar", () => {
  test("a reference reads back as it was written", () => {
    fc.assert(
      fc.property(anyReference, (written) => {
        expect(parseReference(referenceText(written))).toEqual(written);
        expect(wholeReference(formatReference(written))).toEqual(written);
      }),
    );
  });

  test("a template reads back as it was written, whatever its texts", () => {
    const part = fc.oneof(
      anyReference,
      nasty.filter((text) => text !== ""),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const joined = parts.filter((it, i) => typeof it !== "string" || typeof parts[i - 1] !== "string");
        expect(parseTemplate(formatTemplate({ parts: joined })).parts).toEqual(joined);
      }),
    );
  });

  test("no text makes the parsers throw anything but their own error", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          nasty,
          anyText(),
          nasty.map((it) => `\${${it}`),
        ),
        (text) => {
          for (const parse of [parseReference, parseTemplate]) {
            expect([undefined, "PLAN_REFERENCE_SYNTAX"]).toContain(codeOf(() => parse(text)));
          }
          wholeReference(text);
          scanReferences({ [text]: [text, { $ref: text }] });
        },
      ),
      { numRuns: cases(1000) },
    );
  });

  test("an escaped text resolves to itself", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(resolveReferences(escapeText(text), from({}))).toBe(text);
      }),
    );
  });

  test("values without references come back as they are, unmutated", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const before = jsonText(value);
        if (before.includes("${") || before.includes('"$ref"')) return;
        expect(resolveReferences(value, from({}))).toBe(value);
        expect(jsonText(value)).toBe(before);
      }),
    );
  });

  test("resolves in one pass: what is put in is never searched again", () => {
    fc.assert(
      fc.property(nasty, fc.jsonValue(), (text, data) => {
        const value = { text: `\${x}${text}`, data, $ref: "y" };
        const lookup = from({ a: value, x: "never" });
        expect(resolveReferences({ k: "${a}" }, lookup)).toEqual({ k: value });
        expect(resolveReferences("<${a.text}|${a.text}>", lookup)).toBe(`<${value.text}|${value.text}>`);
      }),
    );
  });

  test("long hostile texts take linear time", () => {
    for (const text of ["${", "$", "${a", "${a}", '${["', "$${", "${a.b", "[".repeat(3)]) {
      const cpuMs = cpuTimer();
      codeOf(() => parseTemplate(text.repeat(200_000)));
      expect(cpuMs()).toBeLessThan(1_000);
    }
  });
});

describe("readPath", () => {
  const value = { rows: [{ id: 1 }, { id: 2, tags: ["x"] }], by: { a: { n: 1 }, b: { n: 2 } }, text: "abc", nil: null };
  const read = (text: string, options?: { optional: boolean }) =>
    readPath(value, parseReference(`v${text}`).path, options);
  test.for<[string, unknown]>([
    ["", value],
    [".rows[1].id", 2],
    [".rows.1.id", 2],
    [".rows.*.id", [1, 2]],
    [".by.*.n", [1, 2]],
    [".nil", null],
  ])("%s", ([text, expected]) => {
    expect(read(text)).toEqual({ found: true, value: expected });
  });
  test.for<[string, string]>([
    [".rows[2].id", "rows[2]"],
    [".rows.length", "rows.length"],
    [".rows.01", "rows.01"],
    [".text[0]", "text[0]"],
    [".text.length", "text.length"],
    [".nil.x", "nil.x"],
    [".constructor", "constructor"],
    [".__proto__", "__proto__"],
    [".rows.*.tags", "rows[0].tags"],
    [".rows.*.tags.*.x", "rows[0].tags"],
    [".text.*", "text.*"],
    [".by[0]", "by[0]"],
  ])("%s is absent", ([text, at]) => {
    expect(read(text)).toEqual({ found: false, at });
  });
  test("keeps the nesting of maps", () => {
    expect(readPath([{ a: [{ b: 1 }, { b: 2 }] }, { a: [] }], parseReference("v.*.a.*.b").path)).toEqual({
      found: true,
      value: [[1, 2], []],
    });
  });
  test("an optional map has null for elements without the key", () => {
    expect(read(".rows.*.tags", { optional: true })).toEqual({ found: true, value: [null, ["x"]] });
  });
  test("reads an own key __proto__ that JSON can carry", () => {
    expect(readPath(JSON.parse('{"__proto__": 7}'), [{ key: "__proto__" }])).toEqual({ found: true, value: 7 });
  });
});

describe("resolveReferences", () => {
  const lookup = from({
    a: { n: 5, f: false, nil: null, o: { k: [1] }, s: "A", list: [{ id: 1 }, {}] },
    input: { q: "Q" },
  });
  test.for<[unknown, unknown]>([
    ["${a.n}", 5],
    ["${a.f}", false],
    ["${a.nil}", null],
    ["${a.o}", { k: [1] }],
    [{ $ref: "a.n" }, 5],
    [
      { $ref: "a.n", note: 1 },
      { $ref: "a.n", note: 1 },
    ],
    [{ $text: "${a.n}" }, "5"],
    [{ $text: "${a.o}!" }, '{"k":[1]}!'],
    [{ $text: "plain" }, "plain"],
    ["n=${a.n} f=${a.f} nil=${a.nil} o=${a.o} s=${a.s}", 'n=5 f=false nil=null o={"k":[1]} s=A'],
    ["${a.gone?}", null],
    ["x${a.gone?}", "xnull"],
    ["${nobody?}", null],
    ["${a.list.*.id?}", [1, null]],
    ["$${a.n}", "${a.n}"],
    ["$$${a.n}", "$5"],
    ["costs $5 and { }", "costs $5 and { }"],
    [[{ deep: ["${input.q}", 1] }], [{ deep: ["Q", 1] }]],
  ])("%j", ([value, expected]) => {
    expect(resolveReferences(value, lookup)).toEqual(expected);
  });
  test.for<[unknown, string, string]>([
    ["${a.gone}", "PLAN_REFERENCE_ABSENT", '"gone"'],
    ["${nobody.x}", "PLAN_REFERENCE_ABSENT", '"nobody"'],
    ["${a.list.*.id}", "PLAN_REFERENCE_ABSENT", '"list[1].id"'],
    ["${a.", "PLAN_REFERENCE_SYNTAX", "offset 4"],
    ["${a", "PLAN_REFERENCE_SYNTAX", "closing"],
    ["echo ${HOME:-x}", "PLAN_REFERENCE_SYNTAX", 'write "$${"'],
  ])("%j fails", ([value, code, part]) => {
    expect(() => resolveReferences(value, lookup)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(part) }),
    );
  });
  test("does not copy what it puts in, and shares what has no reference", () => {
    const big = { rows: [1, 2, 3] };
    const same = { untouched: [1] };
    const resolved = resolveReferences({ a: "${big}", same }, from({ big })) as { a: unknown; same: unknown };
    expect(resolved.a).toBe(big);
    expect(resolved.same).toBe(same);
  });
  test("keeps a __proto__ key an ordinary key", () => {
    const resolved = resolveReferences(JSON.parse('{"__proto__": {"x": "${a.n}"}}'), lookup) as object;
    expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype);
    expect(JSON.stringify(resolved)).toBe('{"__proto__":{"x":5}}');
  });
  test("refuses endless nesting instead of overflowing", () => {
    let deep: unknown = "${a.n}";
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const value of [deep, cycle]) {
      expect(codeOf(() => resolveReferences(value, lookup))).toBe("PLAN_INVALID");
      expect(scanReferences(value).malformed).toHaveLength(1);
    }
  });
  test("a cyclic value in text is a clear error", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(codeOf(() => resolveReferences("x ${c}", from({ c: cycle })))).toBe("PLAN_INVALID");
  });
});

describe("collecting and rewriting", () => {
  test("finds references in document order, with their place", () => {
    const found = collectReferences({
      a: "x ${p.q} ${r}",
      b: [{ $ref: "s" }, { "odd key": "${t}" }],
      c: { $text: "${u}" },
    });
    expect(found.map((it) => [it.reference.name, it.argument_path, it.whole])).toEqual([
      ["p", "a", false],
      ["r", "a", false],
      ["s", "b[0]", true],
      ["t", 'b[1]["odd key"]', true],
      ["u", "c", false],
    ]);
  });
  test("tells where a text is malformed and still gives the others", () => {
    const { references, malformed } = scanReferences({ a: "${ok}", b: "see ${}", c: { $ref: "#/defs" } });
    expect(references).toHaveLength(1);
    expect(malformed.map(({ argument_path, at, text }) => [argument_path, at, text])).toEqual([
      ["b", 6, "see ${}"],
      ["c", 0, "#/defs"],
    ]);
  });
  test("renames in texts and objects, leaving literals and malformed texts", () => {
    const value = { a: "x ${p.q?} $${p}", b: [{ $ref: "p[0]" }, { $text: "${p}" }], c: "${p", d: "p" };
    expect(renameReferences(value, (name) => (name === "p" ? "new id" : name))).toEqual({
      a: 'x ${["new id"].q?} $${p}',
      b: [{ $ref: '["new id"][0]' }, { $text: '${["new id"]}' }],
      c: "${p",
      d: "p",
    });
    expect(value.b).toEqual([{ $ref: "p[0]" }, { $text: "${p}" }]);
  });
  test("a reference may become text, which then stands for itself", () => {
    const mapped = mapReferences("$${x} ${gone}", (it) => formatReference(it));
    expect(mapped).toBe("$${x} $${gone}");
  });
});

describe("names and dependencies", () => {
  const task = (task_id: string, more: Record<string, unknown> = {}) => PlannerTask.parse({ task_id, ...more });
  const plan = TaskData.parse({
    planned_tasks: [
      task("a", { result_variable: "rows" }),
      task("b", { dependencies: ["gone", "a"], arguments: { x: "${rows.id} ${v} ${input.q} ${nobody}", y: "${" } }),
      task("c", { parameters: { p: { $ref: "b" } }, arguments: { q: ["${a}", "${c.self}", "${b}"] } }),
    ],
    variables: { v: 1 },
  });
  test("declared first, then implied, each once; names that are no tasks imply none", () => {
    expect(effectiveDependencies(plan)).toEqual([[], ["gone", "a"], ["b", "a", "c"]]);
    expect(effectiveDependencies(plan.planned_tasks)).toEqual(effectiveDependencies(plan));
  });
  test("a task id wins over another task's result variable", () => {
    const tasks = [task("a", { result_variable: "b" }), task("b")];
    expect([...taskNames(tasks)]).toEqual([
      ["a", "a"],
      ["b", "b"],
    ]);
  });
  test("collisions are values", () => {
    const clash = TaskData.parse({
      planned_tasks: [
        task("a", { result_variable: "v" }),
        task("v2", { result_variable: "v2" }),
        task("input"),
        task("d"),
        task("d"),
        task("e", { result_variable: "d" }),
      ],
      variables: { v: 1, free: 2 },
    });
    expect(nameCollisions(clash).map(({ name, holders }) => [name, holders.map(({ kind }) => kind)])).toEqual([
      ["input", ["input", "task_id"]],
      ["v", ["result_variable", "variable"]],
      ["d", ["task_id", "task_id", "result_variable"]],
    ]);
    expect(nameCollisions(plan)).toEqual([]);
    expect(nameCollisions([task("d"), task("d")])).toEqual([]);
  });
});

test.for(["", "a", "${a", "${a}b", "b${a}", "${a}${b}", "${a} ", "$${a}", "${}", "${a.}"])(
  "%j is not one reference and nothing else",
  (text) => {
    expect(wholeReference(text)).toBeUndefined();
  },
);

test("a value that is no JSON cannot be written into text, and the error names the reference", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  for (const value of [1n, circle]) {
    expect(() => resolveReferences("n: ${a.b}", () => ({ found: true, value: { b: value } }))).toThrow(
      expect.objectContaining({
        code: "PLAN_INVALID",
        message: expect.stringContaining("Expected ${a.b} to be a JSON value"),
        details: { reference: "${a.b}" },
      }),
    );
  }
});
