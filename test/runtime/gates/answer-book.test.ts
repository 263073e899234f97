import { expect, test } from "vitest";
import { AnswerBook } from "../../../packages/runtime/src/approvals/answer-book.ts";

const yes = (task_id: string, content_hash: string) => ({
  task_id,
  content_hash,
  answer: "approve" as const,
  answered_at: "2026-01-01T00:00:00.000Z",
});

test("an answer holds for its task and what was asked about it, and for nothing else", () => {
  const book = new AnswerBook();
  book.add(yes("a", "one"));
  expect(book.find("a", "one")).toBeDefined();
  expect([book.find("a", "two"), book.find("b", "one"), book.find("a", "")]).toEqual([undefined, undefined, undefined]);
  expect(book.hasNews([{ id: "a", content_hash: "two" }], 0)).toBe(false);
  expect(book.hasNews([{ id: "a", content_hash: "one" }], 0)).toBe(true);
});
