import { expect, test } from "vitest";
import { compare } from "./compare.ts";

const failure = new Error("Step 3 not found in results");

test.for<{ name: string; expected: unknown; actual: unknown; at?: string[] }>([
  { name: "equal values agree", expected: { a: [1, "x", null] }, actual: { a: [1, "x", null] } },
  { name: "numbers are not texts", expected: { n: 1 }, actual: { n: "1" }, at: ["n"] },
  { name: "a record may hold more", expected: { code: "x" }, actual: { code: "x", message: "why" } },
  { name: "a list may not", expected: { errors: [] }, actual: { errors: [{ code: "x" }] }, at: ["errors"] },
  { name: "lists keep their order", expected: { l: ["a", "b"] }, actual: { l: ["b", "a"] }, at: ["l[0]", "l[1]"] },
  {
    name: "a payload may not hold more",
    expected: { steps: [{ tool: "t", params: {} }] },
    actual: { steps: [{ tool: "t", depends_on: [], params: { limit: 100 } }] },
    at: ["steps[0].params"],
  },
  { name: "nor deep inside", expected: { value: [{ a: 1 }] }, actual: { value: [{ a: 1, b: 2 }] }, at: ["value[0]"] },
  { name: "an undefined field counts as absent", expected: { value: {} }, actual: { value: { a: undefined } } },
  { name: "null may be absent", expected: { plan: null }, actual: {} },
  { name: "but not in a payload", expected: { value: { a: null } }, actual: { value: {} }, at: ["value.a"] },
  { name: "no value", expected: { undefined: true }, actual: { value: undefined } },
  { name: "some value is not no value", expected: { undefined: true }, actual: { value: 0 }, at: [""] },
  { name: "any value", expected: { id: "<uuid4>" }, actual: { id: "V1StGXR8" } },
  { name: "any value is some value", expected: { id: "<uuid4>" }, actual: {}, at: ["id"] },
  { name: "a value or none", expected: { plan: "<plan or none>" }, actual: {} },
  { name: "ids of steps", expected: ["@0", { from: "@0" }, "@1"], actual: ["p", { from: "p" }, "q"] },
  { name: "one id is one step", expected: ["@0", "@1"], actual: ["p", "p"], at: ["[1]"] },
  { name: "one step is one id", expected: ["@0", "@0"], actual: ["p", "q"], at: ["[1]"] },
  { name: "a message", expected: { throws: { messageIncludes: "Step 3" } }, actual: { throws: failure } },
  {
    name: "the start of it",
    expected: { throws: { messageStartsWith: "not" } },
    actual: { throws: failure },
    at: ["throws"],
  },
  { name: "the whole of it", expected: { throws: { message: "Step 3" } }, actual: { throws: failure }, at: ["throws"] },
  { name: "an answer is no error", expected: { throws: { message: "x" } }, actual: { value: 1 }, at: ["throws"] },
  { name: "an error is no answer", expected: { value: 1 }, actual: { throws: failure }, at: ["value"] },
  { name: "an error by a part of it", expected: { error: "3 not found" }, actual: { error: failure } },
  {
    name: "what a list of errors says",
    expected: { errorIncludes: "late" },
    actual: { errors: ["early", "too late"] },
  },
  {
    name: "all that it says",
    expected: { errorIncludesAll: ["a", "z"] },
    actual: { errors: ["a"] },
    at: ["errorIncludesAll"],
  },
  { name: "what it does not say", expected: { userExcludes: ["Context:"] }, actual: { user: "Query: q" } },
  { name: "and it says something", expected: { userExcludes: ["Context:"] }, actual: {}, at: ["userExcludes"] },
  {
    name: "a remark in parentheses",
    expected: { fields: ["tasks", "id (unique)"] },
    actual: { fields: ["tasks", "id"] },
  },
])("$name", ({ expected, actual, at = [] }) => {
  expect(compare(expected, actual).map((mismatch) => mismatch.at)).toEqual(at);
});
