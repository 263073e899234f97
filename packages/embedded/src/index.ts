export { argumentsFor, type WordsForResource } from "./arguments-for.ts";
export type { Provenance, ProvenanceByTask } from "./draft/provenance.ts";
export type { Unresolved } from "./draft/unresolved.ts";
export { EmbeddedController, type EmbeddedControllerOptions } from "./embedded-controller.ts";
export type { EmbeddedPlan } from "./embedded-plan.ts";
export { encodeGoal } from "./encode-goal.ts";
export { EmbeddedError, EmbeddedErrorCode } from "./errors.ts";
export { maxGoalLength } from "./goal-text.ts";
export type { ClockOptions } from "./language/temporal/calendar.ts";
export { type DateRange, isWithinRange, resolveTemporal } from "./language/temporal/resolve-temporal.ts";
export { type Words, wordnet } from "./language/words/wordnet.ts";
export { type KeywordMeaning, mapKeyword } from "./map-keyword.ts";
export {
  type EmbeddingsModel,
  type Encode,
  type EncodeOptions,
  modelEncoder,
} from "./meaning/encode.ts";
export type { Meaning } from "./meaning/meaning.ts";
export { type AdaptedPlan, type AdaptPlanOptions, adaptPlan, type PlanDifference } from "./memory/adapt-plan.ts";
export type { RememberedPlan } from "./memory/remembered-plan.ts";
export { MemoryController, type MemoryControllerOptions, memoryChecks } from "./memory-controller.ts";
export { type PlanGoalOptions, planGoal } from "./plan-goal.ts";
