import { type AttemptFeedback, controllerPrompts } from "@planloom/controller";

/**
 * What earlier attempts got wrong, oldest first, for the end of the next prompt. Issues are cumulative, each with the legal
 * ways out that validation found; only the latest answer is repeated, so the prompt does not grow with whole plans.
 */
export function describeFeedback(feedback: readonly AttemptFeedback[]): string {
  return feedback.length === 0 ? "" : `## Feedback\n${controllerPrompts.feedback(feedback)}`;
}
