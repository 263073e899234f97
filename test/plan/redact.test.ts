import { redact } from "@planloom/plan";
import { expect, test } from "vitest";

test.for([
  { name: "texts", value: "key sk-123456!", clean: "key [redacted]!" },
  { name: "texts within", value: { a: ["sk-123456", 1, null] }, clean: { a: ["[redacted]", 1, null] } },
  { name: "keys", value: { "sk-123456": 1 }, clean: { "[redacted]": 1 } },
  { name: "the longer of two first", value: "sk-123456-more", clean: "[redacted]" },
  { name: "what JSON escapes", value: { a: 'pass"\\word' }, clean: { a: "[redacted]" } },
])("blanks $name", ({ value, clean }) => {
  expect(redact(value, ["sk-123456", "sk-123456-more", 'pass"\\word'])).toEqual(clean);
});

test("leaves what holds none as it is, and short words alone", () => {
  const value = { a: ["none"], __proto__: null };
  expect(redact(value, ["sk-123456", "none", ""])).toBe(value);
  const own = JSON.parse('{"__proto__": "sk-123456"}');
  expect(Object.entries(redact(own, ["sk-123456"]))).toEqual([["__proto__", "[redacted]"]]);
});
