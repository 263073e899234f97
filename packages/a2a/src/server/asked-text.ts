import type { WaitingCall } from "planloom";
import { repeatText } from "planloom/plan";

/** What people are asked, in words: all that the executors will get, and how often. */
export function askedOf(waiting: readonly WaitingCall[]): string {
  return waiting
    .map(({ id, uid, input, parameters, retry_until }) => {
      const beside = parameters === undefined ? "" : `, parameters ${JSON.stringify(parameters)}`;
      const again = retry_until === undefined ? "" : `, ${repeatText(retry_until)}`;
      return `May ${uid} be called for ${id} with ${JSON.stringify(input)}${beside}${again}?`;
    })
    .join("\n");
}
