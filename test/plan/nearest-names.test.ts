import { describe, expect, test } from "vitest";
import { nearestNames, similarity } from "../../packages/plan/src/validation/nearest-names.ts";
import { listText, valueText, visibleText } from "../../packages/plan/src/validation/value-text.ts";

describe("how alike two names are", () => {
  test.for<[string, string, number]>([
    ["fetch", "fetch", 1],
    ["fetch_rows", "FetchRows", 1],
    ["", "", 1],
    ["--", "__", 1],
    ["", "a", 0],
    ["abc", "xyz", 0],
    // One letter of five is another, is missing, is too many.
    ["fetch", "fetsh", 0.8],
    ["fetch", "fetc", 0.6 + 0.3 * 0.8],
    ["kitten", "sitting", 4 / 7],
    // A part of the other: more than its letters say.
    ["id", "shipment_id", 0.6 + 0.3 * 0.2],
    ["a", "banana", 1 / 6],
    ["zürich", "Zürich", 1],
  ])("%s and %s", ([one, other, score]) => {
    expect(similarity(one, other)).toBeCloseTo(score, 10);
    expect(similarity(other, one)).toBeCloseTo(score, 10);
  });

  test("by their first 64 characters", () => {
    const long = "x".repeat(64);
    expect(similarity(`${long}a`, `${long}bcd`)).toBe(1);
    expect(similarity(`${long.slice(1)}a`, `${long.slice(1)}b`)).toBeLessThan(1);
  });
});

describe("the nearest of some names", () => {
  test.for<[string, string, string[], object]>([
    ["the likest first", "fetsh", ["send", "fetch"], { names: ["fetch", "send"], score: 0.8, likely: "fetch" }],
    ["two that are as like: neither is named", "ab", ["abc", "abd"], { names: ["abc", "abd"], score: 0.8 }],
    [
      "the same name twice is no rival",
      "fetsh",
      ["fetch", "fetch"],
      { names: ["fetch", "fetch"], score: 0.8, likely: "fetch" },
    ],
    ["half alike is likely", "ab", ["xb"], { names: ["xb"], score: 0.5, likely: "xb" }],
    ["less is not", "abc", ["abxyzu"], { names: ["abxyzu"], score: 1 / 3 }],
    ["none", "a", [], { names: [], score: 0 }],
  ])("%s", ([, wanted, candidates, expected]) => {
    const { score, ...found } = nearestNames(wanted, candidates);
    const { score: wantedScore, ...rest } = expected as { score: number };
    expect(found).toEqual(rest);
    expect(score).toBeCloseTo(wantedScore, 10);
  });

  test("ten of them, or as many as asked for", () => {
    const many = Array.from({ length: 20 }, (_, at) => `name${at}`);
    expect(nearestNames("name", many).names).toHaveLength(10);
    expect(nearestNames("name", many, 3).names).toHaveLength(3);
  });
});

describe("values in messages", () => {
  const itself: unknown[] = [];
  itself.push(itself);
  const round = { itself };
  test.for<[unknown, string]>([
    ["a", '"a"'],
    [1.5, "1.5"],
    [null, "null"],
    [undefined, "undefined"],
    [["a", { b: 1 }], '["a",{"b":1}]'],
    [itself, "an array"],
    [round, "an object"],
    ["\u001b[2J\u202e", '"\\u001b[2J\\u202e"'],
  ])("%j", ([value, text]) => {
    expect(valueText(value)).toBe(text);
  });

  test("80 characters, or as many as asked for", () => {
    expect(valueText("x".repeat(78))).toBe(`"${"x".repeat(78)}"`);
    expect(valueText("x".repeat(79))).toBe(`"${"x".repeat(78)}…`);
    expect(valueText("x".repeat(1000), 10)).toBe(`"${"x".repeat(8)}…`);
    expect(valueText([1, 2, 3, 4, 5, 6], 10)).toBe("[1,2,3,4,…");
  });

  test("values of a list as in prose, and how many more there are", () => {
    expect(listText(["a", 3, null, "b\u0007", "x".repeat(70)])).toBe(`a, 3, null, "b\\u0007", "${"x".repeat(58)}…`);
    expect(
      listText(
        Array.from({ length: 22 }, (_, at) => at),
        20,
      ),
    ).toMatch(/^0, 1, .*, 19, … 2 more$/);
    expect(listText([1, 2], 2)).toBe("1, 2");
    expect(listText([])).toBe("");
  });

  test("what steers a terminal is written out", () => {
    expect(visibleText("a\nb\u2028c\u200fd\u0000é")).toBe("a\\u000ab\\u2028c\\u200fd\\u0000é");
  });
});
