import { timerMs } from "@planloom/plan";
import { extend, type Reservation } from "../shared-limits/budget-accounts.ts";

/** How many seconds are reserved at a time for a call without an estimate. */
export const defaultSeconds = 1;

/**
 * Watches the time of a call that runs on reserved seconds: reserves as much again when they are over, and says when there
 * is no more. @returns stops watching.
 */
export function meterSeconds(reservation: Reservation, seconds: number, onExhausted: () => void): () => void {
  let timer: NodeJS.Timeout;
  const watch = () => {
    timer = setTimeout(
      () => {
        if (extend(reservation, "seconds", seconds)) watch();
        else onExhausted();
      },
      timerMs(seconds * 1_000),
    );
  };
  watch();
  return () => clearTimeout(timer);
}
