import { parseRecord } from "./legible.ts";
import type { StoredSignal } from "./stored-wait.ts";

/** The columns of a signal that are read. */
export interface SignalRow {
  /** As it was sent, as JSON. */
  readonly signal: string;
  readonly taken_by: string | null;
}

export function signalFromRow({ signal, taken_by }: SignalRow): StoredSignal {
  return { ...parseRecord<StoredSignal>(signal), ...(taken_by !== null && { taken_by }) };
}
