/** When every subgraph ran; milliseconds since the run began. */
export interface Schedule {
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
}
