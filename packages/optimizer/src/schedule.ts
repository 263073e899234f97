/** When every subgraph ran; milliseconds since the run began. */
export interface SubgraphSchedule {
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
  /** Number of the class whose executor ran each; absent where there is one class. */
  readonly kind?: Int32Array;
}
