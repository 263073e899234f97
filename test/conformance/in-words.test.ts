import { expect, test } from "vitest";
import { numberInWords, roundInWords, stepsInWords, textInWords, valueInWords } from "./in-words.ts";

test("a described text is written out", () => {
  expect(textInWords("4 y characters")).toBe("yyyy");
  expect(textInWords("disk full")).toBeUndefined();
  expect(textInWords({ a: 1 })).toBeUndefined();
});

test.for(["str", "dict", "list"])("a described %s has that length as JSON", (type) => {
  const value = valueInWords(`<${type} of 321 JSON chars>`);
  expect(JSON.stringify(value)).toHaveLength(321);
  expect(Array.isArray(value)).toBe(type === "list");
});

test("a value that is written out stays", () => {
  expect(valueInWords({ a: "<str>" })).toEqual({ a: "<str>" });
});

test("steps in words have delays and dependencies", () => {
  expect(stepsInWords("1(10ms), 2(300 ms) independent; 3 depends on 1 and 2")).toMatchObject([
    { index: "1", delayMs: 10, depends_on: [] },
    { index: "2", delayMs: 300, depends_on: [] },
    { index: "3", delayMs: 0, depends_on: ["1", "2"] },
  ]);
});

test("a round in words counts from 0", () => {
  expect(roundInWords("executor, third round")).toEqual({ agent: "executor", round: 2 });
  expect(() => roundInWords("somewhere")).toThrow("Expected an agent and a round");
  expect(numberInWords("first 8 characters as shown by list")).toBe(8);
});
