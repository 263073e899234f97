import type { EndReason } from "./events.ts";

/** How a run ended that was stopped before its plan was done. Each can be resumed. */
export type StopReason = Extract<EndReason, "cancelled" | "drained" | "shut_down">;

/**
 * Abort a run's `signal` with this as the reason when the program shuts down: the run then ends as `shut_down`, not as `cancelled`, so that
 * the next start of the program knows that it has to resume it. Any reason with `endReason: "shut_down"` has the same effect.
 */
export class ShutDown extends Error {
  override readonly name = "ShutDown";
  readonly endReason = "shut_down";

  constructor(message = "The program shuts down.") {
    super(message);
  }
}

/** Whether a run was stopped before its plan was done: by a person, by a drain, or since its program shut down. */
export function isStopped(reason: string): reason is StopReason {
  return reason === "cancelled" || reason === "drained" || reason === "shut_down";
}

/** The end reason of a run whose signal was aborted with `reason`. */
export function stopReasonOf(reason: unknown): "cancelled" | "shut_down" {
  const asked = typeof reason === "object" && reason !== null && "endReason" in reason ? reason.endReason : undefined;
  return asked === "shut_down" ? "shut_down" : "cancelled";
}

const words: Readonly<Record<StopReason, string>> = {
  cancelled: "was cancelled",
  drained: "was drained",
  shut_down: "was shut down",
};

/** Why a task was not completed, as a sentence without its full stop. */
export function stopSentence(stop: StopReason, reason: unknown): string {
  return `The run ${words[stop]}${reason instanceof Error ? ` (${reason.message.replace(/\.$/, "")})` : ""}`;
}
