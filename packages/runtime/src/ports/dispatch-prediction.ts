/** What was predicted of a run whose subgraphs are dispatched whole, in milliseconds; it is kept with the run and changes nothing of it. Plain JSON. */
export interface DispatchPrediction {
  /** When the run ends. */
  readonly predictedMs: number;
  /** When it would end with one dispatch for each task. */
  readonly perTaskMs: number;
  /** What no grouping can beat. @default unknown */
  readonly lowerBoundMs?: number | undefined;
}
