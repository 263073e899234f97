import type { AbandonedCall } from "../ports/abandoned-call.ts";
import type { CoreLoop } from "./core-loop.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TimedWork, WorkOutcome } from "./timed-work.ts";

/** True when the work ignored its signal and may still be running. */
export function isAbandoned(outcome: WorkOutcome): boolean {
  return (outcome.type === "timeout" || outcome.type === "stopped") && outcome.abandoned;
}

/** Why an attempt was stopped that ignored its signal. @param limits in milliseconds; `Infinity` for none */
export function whyAbandoned(
  outcome: WorkOutcome,
  exhausted: boolean,
  limits: Readonly<Record<"attempt" | "idle" | "total", number>>,
): Pick<AbandonedCall, "limit" | "timeout_ms"> {
  if (exhausted) return { limit: "budget" };
  return outcome.type === "timeout" ? { limit: outcome.limit, timeout_ms: limits[outcome.limit] } : { limit: "stop" };
}

/** Attempts that were abandoned: their slots stay taken until they have really ended, also where the run continues in a later session. */
export class AbandonedAttempts {
  readonly #parts: ShellParts;
  readonly #loop: CoreLoop;

  constructor(parts: ShellParts, loop: CoreLoop) {
    this.#parts = parts;
    this.#loop = loop;
  }

  /**
   * Call it before the core gets the end of the attempt, and before its slots are given back. An attempt that had lent its slots to a nested plan
   * holds none.
   * @param onSettled called when it has really ended
   */
  note(
    task: number,
    attempt: TimedWork,
    why: Pick<AbandonedCall, "limit" | "timeout_ms">,
    onSettled?: () => void,
  ): void {
    const { state, table, host } = this.#parts;
    attempt.onSettled = onSettled;
    const { kind, resource } = table.prepared[task] ?? {};
    const { task_id } = table.tasks[task]!;
    const holdsSlots = state.holdsSlots[task] !== 0;
    const call: AbandonedCall = {
      task_id,
      outer_task_id: host.position.outerTaskOf(task_id),
      nested: host.position.isNested,
      ...(kind !== undefined && { kind }),
      ...(resource !== undefined && { uid: resource.id }),
      ...why,
    };
    const ended = host.abandoned(call, holdsSlots ? { kind, uid: resource?.id } : undefined);
    if (!holdsSlots) return;
    this.#loop.feed({ type: "abandoned", task });
    attempt.onSettled = () => {
      onSettled?.();
      ended();
      this.#loop.feed({ type: "settled", task });
    };
  }
}
