import { expect, test } from "vitest";
import { AnswerStore } from "../../../packages/runtime/src/approvals/answer-store.ts";

const yes = (task_id: string, content_hash: string) => ({
  task_id,
  content_hash,
  answer: "approve" as const,
  answered_at: "2026-01-01T00:00:00.000Z",
});

test("an answer holds for its task and what was asked about it, and for nothing else", () => {
  const answers = new AnswerStore();
  answers.add(yes("a", "one"));
  expect(answers.find("a", "one")).toBeDefined();
  expect([answers.find("a", "two"), answers.find("b", "one"), answers.find("a", "")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(answers.hasNews([{ id: "a", content_hash: "two" }], 0)).toBe(false);
  expect(answers.hasNews([{ id: "a", content_hash: "one" }], 0)).toBe(true);
});
