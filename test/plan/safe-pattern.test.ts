import { describe, expect, test } from "vitest";
import { inBoundedTime } from "../../packages/plan/src/validation/check-meter.ts";
import { isQuick, patternShape, safePattern, stepsOf } from "../../packages/plan/src/validation/safe-pattern.ts";

const watched = () => ({ watchedFrom: 0, tooLong: Number.POSITIVE_INFINITY });
const unwatched = () => ({ watchedFrom: Number.POSITIVE_INFINITY, tooLong: Number.POSITIVE_INFINITY });

describe("the shape of a pattern", () => {
  /** Choices, span beyond the pattern's own length, unbounded quantifiers, whether it begins at the start. */
  test.for<[string, [choices: number, beyond: number, unbounded: number, anchored: boolean]]>([
    ["", [1, 0, 0, false]],
    ["abc", [1, 0, 0, false]],
    ["^abc$", [1, 0, 0, true]],
    ["a^", [1, 0, 0, false]],
    ["a*", [1, 0, 1, false]],
    ["a+b*", [1, 0, 2, false]],
    ["a?", [2, 0, 0, false]],
    ["a?b?", [4, 0, 0, false]],
    ["a|b", [2, 0, 0, false]],
    ["a|b|c", [3, 0, 0, false]],
    ["^a|b", [2, 0, 0, false]],
    ["^(a|b)", [2, 0, 0, true]],
    ["^(a|b)(c|d|e)", [6, 0, 0, true]],
    ["(?:a|b)", [2, 0, 0, false]],
    ["((a|b)|c)", [4, 0, 0, false]],
    ["(a|b)?", [4, 0, 0, false]],
    ["a{3}", [1, 3, 0, false]],
    ["a{12}", [1, 12, 0, false]],
    ["a{2,5}", [4, 5, 0, false]],
    ["a{5,2}", [1, 5, 0, false]],
    ["a{2,}", [1, 2, 1, false]],
    ["a{0,1}b{0,2}", [6, 3, 0, false]],
    ["a{b}", [1, 0, 0, false]],
    ["{2}{b}", [1, 2, 0, false]],
    [String.raw`\d+`, [1, 0, 1, false]],
    [String.raw`\*\?\(\|`, [1, 0, 0, false]],
    ["[*+?(|{]", [1, 0, 0, false]],
    [String.raw`[\]*]+`, [1, 0, 1, false]],
    ["[a]*[b", [1, 0, 1, false]],
  ])("of %s", ([source, [choices, beyond, unbounded, anchored]]) => {
    expect(patternShape(source)).toEqual({ choices, span: source.length + beyond, unbounded, anchored });
  });

  test.for([
    "(a)*",
    "(a)+",
    "(a){2}",
    "(?=a)",
    "(?!a)",
    "(?<a>b)",
    String.raw`(a)\1`,
    String.raw`\9`,
    String.raw`\k<a>`,
  ])("is not known of %s", (source) => {
    expect(patternShape(source)).toBeUndefined();
  });

  test("bounds the steps of a text", () => {
    const steps = (source: string, length: number) => stepsOf(patternShape(source), length);
    expect(steps("^abc", 9)).toBe(4);
    expect(steps("abc", 9)).toBe(30);
    expect(steps("^a*", 9)).toBe(30);
    expect(steps("a*b*", 9)).toBe(4_000);
    expect(steps("^a?b", 9)).toBe(8);
    expect(steps("(a)*", 0)).toBe(Number.POSITIVE_INFINITY);
    expect([isQuick(1_000_000), isQuick(1_000_001)]).toEqual([true, false]);
  });
});

describe("a pattern of an untrusted schema", () => {
  const tests = (source: string, text: string, flags = "u") =>
    inBoundedTime(unwatched(), 1, () => safePattern(source, flags).test(text));

  test.for<[string, string, boolean]>([
    ["^a", "ab", true],
    ["^a", "ba", false],
    ["^(ab)+$", "abab", true],
    ["^(ab)+$", "aba", false],
    ["(b)+", "abb", true],
    ["^(?=a)", "ab", true],
    [String.raw`^(a)\1$`, "aa", true],
    [String.raw`^(a)\1$`, "ab", false],
    [String.raw`^[\w-.]$`, ".", true],
    [String.raw`^\p{Lu}$`, "Ä", true],
    ["^.$", "👍", true],
  ])("%s on %s", ([source, text, holds]) => {
    expect(tests(source, text)).toBe(holds);
  });

  test("that is legal without the flags `u` and `v` alone is read without them", () => {
    for (const flags of ["u", "v"]) expect(tests(String.raw`^[\w-.]$`, "-", flags)).toBe(true);
  });

  test("that is none, or too long, is a syntax error", () => {
    expect(() => safePattern("(", "u")).toThrow(SyntaxError);
    expect(() => safePattern("a".repeat(5_001), "u")).toThrow(
      new SyntaxError("Expected a pattern of at most 5000 characters, got 5001."),
    );
    expect(String(safePattern("a".repeat(5_000), "u"))).toBe(`/${"a".repeat(5_000)}/u`);
  });

  test("that backtracks without end on another engine does not here", () => {
    const hostile = safePattern("^(a|a)*$", "u");
    // The engine is loaded by the first try, which needs a watchdog.
    expect(() => hostile.test("a")).toThrow();
    const text = `${"a".repeat(5_000)}!`;
    expect(inBoundedTime(watched(), 1, () => [hostile.test(text), hostile.test("aa")])).toEqual([false, true]);
  });

  test("whose steps are not known is tried under a watchdog alone, and so is one that takes many", () => {
    expect(() => safePattern("^(a|a)*$", "u").test("a")).toThrow();
    expect(() => safePattern("a*b*c*", "u").test("a".repeat(1_000))).toThrow();
    const slow = safePattern("^(?=(a|a)*!)", "u");
    const history = watched();
    expect(inBoundedTime(history, 1, () => slow.test("a".repeat(60)))).toBeUndefined();
    expect(history.tooLong).toBe(1);
  });

  test("takes of what one check affords", () => {
    const pattern = safePattern("a*b*", "u");
    const begun = (turns: number) => {
      let times = 0;
      inBoundedTime(unwatched(), 1, () => {
        times++;
        for (let turn = 0; turn < turns; turn++) pattern.test("c".repeat(40));
      });
      return times;
    };
    // 276,000 steps each, of a million; the fourth time needs a watchdog, and the check is begun again.
    expect([begun(3), begun(4)]).toEqual([1, 2]);
  });
});
