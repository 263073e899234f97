import type { ApprovalAnswer } from "../journal/journal.ts";

/** The person who gave an answer, at the beginning of a sentence. */
export function who({ by }: Pick<ApprovalAnswer, "by">): string {
  return by ?? "A person";
}

/** The note of an answer, to go after what was answered and before the full stop. */
export function why({ note }: Pick<ApprovalAnswer, "note">): string {
  const text = note?.trim().replace(/\.$/, "") ?? "";
  return text === "" ? "" : `: ${text}`;
}
