export type { Provenance, ProvenanceByTask } from "./build/provenance.ts";
export type { Unresolved } from "./build/unresolved.ts";
export { EmbeddedController, type EmbeddedControllerOptions } from "./embedded-controller.ts";
export { EmbeddedError, EmbeddedErrorCode } from "./errors.ts";
export { type KeywordMeaning, mapKeyword } from "./map-keyword.ts";
export {
  type EmbeddingsModel,
  type Encode,
  type EncodeOptions,
  modelEncoder,
} from "./meaning/encode.ts";
export { encodeGoal } from "./meaning/encode-goal.ts";
export type { Meaning } from "./meaning/meaning.ts";
export { type EmbeddedPlan, maxGoalLength, type PlanGoalOptions, planGoal } from "./plan-goal.ts";
export type { ClockOptions } from "./temporal/calendar.ts";
export { type DateRange, isWithinRange, resolveTemporal } from "./temporal/resolve-temporal.ts";
export { type Words, wordnet } from "./words/wordnet.ts";
