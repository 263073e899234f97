/**
 * Subgraphs that were not dispatched yet are regrouped once durations are not what they were estimated at: an executor that would be idle gets tasks of a waiting subgraph that
 * could start, or half of one that is about to be dispatched. Plain JSON.
 */
export interface AdaptiveDispatchOptions {
  /** What tasks are expected to take, in milliseconds, by id. @default their `estimate_data`, as everywhere */
  readonly estimatesMs?: Readonly<Record<string, number>> | undefined;
  /** How far a subgraph may be from its estimate, in milliseconds, before anything is regrouped. @default `dispatchOverheadMs`, and at least a twentieth of the mean estimate of a task */
  readonly toleranceMs?: number | undefined;
  /** How long a subgraph must be expected to wait still, in milliseconds, before tasks are taken out of it. @default half of `toleranceMs` */
  readonly patienceMs?: number | undefined;
}
