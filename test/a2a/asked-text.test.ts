import { expect, test } from "vitest";
import { askedOf } from "../../packages/a2a/src/server/asked-text.ts";

test("a client is asked about the parameters of a call, and how often it is made, as about its input", () => {
  const call = { id: "p", content_hash: "h", uid: "pay", input: { to: "ada" } };
  const retry_until = { condition: "output.done", max_polls: 5 };
  expect(askedOf([call, { ...call, parameters: { mode: "now" }, retry_until }])).toBe(
    'May pay be called for p with {"to":"ada"}?\nMay pay be called for p with {"to":"ada"}, parameters {"mode":"now"}, repeated until output.done, every 1 s, at most 5 times?',
  );
});
