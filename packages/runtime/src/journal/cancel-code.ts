import type { CancelMode } from "./journal.ts";

/** How a column keeps that a run is to be cancelled; 0: it is not. */
const codes = { now: 1, drain: 2 } as const satisfies Readonly<Record<CancelMode, number>>;

export function cancelCode(mode: CancelMode): number {
  return codes[mode];
}

export function cancelOfCode(code: number): CancelMode | false {
  return code === 0 ? false : code === codes.now ? "now" : "drain";
}
