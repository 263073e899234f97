/** Which of the two questions a request asks. */
export type ControllerPhase = 1 | 2;

/** A request that was answered, as later requests are shown it. Plain JSON. */
export interface ControllerSample {
  readonly search_id: string;
  readonly phase: ControllerPhase;
  /** What was asked, without descriptions of resources. */
  readonly task: string;
  /** The answer's `data`. */
  readonly result: unknown;
  /** When the request came, in milliseconds since the epoch. */
  readonly at: number;
}

/** Where answered requests are kept for `n_history_samples`. */
export interface SampleStore {
  add(sample: ControllerSample): void | Promise<void>;
  /** The newest `count` of a phase by the time when they came, oldest first. */
  latest(phase: ControllerPhase, count: number): readonly ControllerSample[] | Promise<readonly ControllerSample[]>;
}

/** Samples in memory: of each phase the newest `max`. */
export function memorySamples(max = 100): SampleStore {
  const kept: Record<ControllerPhase, ControllerSample[]> = { 1: [], 2: [] };
  return {
    add(sample) {
      const samples = kept[sample.phase];
      // Answers do not come in the order of their requests.
      const place = samples.findLastIndex(({ at }) => at <= sample.at) + 1;
      samples.splice(place, 0, sample);
      if (samples.length > max) samples.shift();
    },
    latest: (phase, count) => (count === 0 ? [] : kept[phase].slice(-count)),
  };
}
