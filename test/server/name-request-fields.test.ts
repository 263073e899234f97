import { expect, test } from "vitest";
import { nameRequestFields } from "../../packages/server/src/api/name-request-fields.ts";

test.for([
  [
    "Say by `onUnknown` what becomes of it.",
    "Say by `onUnknown` (`on_unknown` of a request that starts a run) what becomes of it.",
  ],
  ["Raise `totalTimeoutMs`.", "Raise `totalTimeoutMs` (an option of the server)."],
  ["Raise `timeout_ms` of the task.", "Raise `timeout_ms` of the task."],
  ["Give `dispatchOrder`, or `somethingElse`.", "Give `dispatchOrder`, or `somethingElse`."],
] as const)("%s", ([text, says]) => {
  expect(nameRequestFields(text)).toBe(says);
});
