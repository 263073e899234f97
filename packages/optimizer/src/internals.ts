// What `@planloom/bench` and `planloom` measure with beyond the public surface. It may change in any version.

export { candidates, evaluate } from "./candidate.ts";
export { isolated } from "./isolated-strategy.ts";
export { expectedRework, priceOf, totalTokens } from "./metrics.ts";
export { type AcyclicPartitionOptions, acyclicPartition } from "./multilevel/acyclic-partition.ts";
export { type Random, seededRandom } from "./random.ts";
export { makespanWaiting, waitTimes } from "./timed-waits.ts";
