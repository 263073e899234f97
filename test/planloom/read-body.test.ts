import { bodyRefusal, readBody } from "planloom/serving";
import { expect, test } from "vitest";

const limits = { maxBytes: 1_000_000, timeoutMs: 1_000 };
const read = (text: string) => readBody(new Request("http://localhost/", { method: "POST", body: text }), limits);
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

test("a body is read up to the levels that JSON may have, and brackets within texts are none", async () => {
  expect(await read(deep(1_100))).toBe(deep(1_100));
  const text = JSON.stringify(["\\", `"${"[".repeat(5_000)}`]);
  expect(await read(text)).toBe(text);
  expect(await read(deep(1_101))).toBe(400);
  expect(await read(`{"a":"\\"","b":${deep(2_000)}}`)).toBe(400);
  expect(bodyRefusal(400, limits)).toMatchObject({ code: "SERVER_NOT_JSON" });
});
