import { expect, test } from "vitest";
import { planQuery, runQuery } from "../../packages/page/app/runs/list-query.ts";

const now = Date.parse("2026-11-28T12:00:00Z");
const asked = (text: string, more: object = {}) =>
  Object.fromEntries(runQuery({ text, status: "", within: "", ...more }, now));

test.each([
  ["", {}],
  ["weather of  Bonn", { q: "weather of Bonn" }],
  ["customer=acme", { metadata: '{"customer":"acme"}' }],
  ["weather order=7 urgent=true", { q: "weather", metadata: '{"order":7,"urgent":true}' }],
  ['order="7"', { metadata: '{"order":"7"}' }],
  ["a= =b x=[1]", { q: "a= =b", metadata: '{"x":"[1]"}' }],
  ["__proto__=1", { metadata: '{"__proto__":1}' }],
])("%s asks for %o", (text, query) => {
  expect(asked(text)).toEqual({ limit: "50", ...query });
});

test("status, time and the next page are asked for as they are chosen, of plans by when they were saved", () => {
  const chosen = { text: "a=b", status: "failed", within: "3600000", cursor: "c" };
  const rest = { limit: "50", status: "failed", cursor: "c" };
  expect(asked("a=b", chosen)).toEqual({ ...rest, metadata: '{"a":"b"}', created_after: "2026-11-28T11:00:00.000Z" });
  expect(Object.fromEntries(planQuery(chosen, now))).toEqual({
    ...rest,
    q: "a=b",
    saved_after: "2026-11-28T11:00:00.000Z",
  });
});
