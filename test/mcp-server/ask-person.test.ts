import { expect, test } from "vitest";
import { approvalRequest } from "../../packages/mcp-server/src/ask-person.ts";

const call = { id: "p", content_hash: "h", uid: "pay", input: { to: "ada" } };
const messageOf = (more: object) =>
  (approvalRequest({ ...call, ...more }, "r") as { params: { message: string } }).params.message;

test("a person is asked about the parameters of a call, and how often it is made, as about its input", () => {
  const retry_until = { condition: "output.done", max_polls: 5 };
  expect(messageOf({ parameters: { mode: "now" }, retry_until })).toBe(
    'May pay be called with this?\n{\n  "to": "ada"\n}\nIts parameters:\n{\n  "mode": "now"\n}\nThe call is repeated until output.done, every 1 s, at most 5 times.',
  );
  expect(messageOf({})).toBe('May pay be called with this?\n{\n  "to": "ada"\n}');
});
