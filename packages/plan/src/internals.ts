// For the other packages of Planloom: how the dialects read their languages, and small helpers. It may change with any release.

export { abortable } from "./abortable.ts";
export { executionTypeSpellings } from "./dialects/agent-grid/vocabulary.ts";
export { describeValue, dialectError } from "./dialects/dialect-error.ts";
export { readKirhaSteps } from "./dialects/kirha/kirha.ts";
export { formatKirhaPath, type KirhaPath, parseKirhaPath } from "./dialects/kirha/path.ts";
export { isKirhaReference, isKirhaTemplate, transformKirhaValue } from "./dialects/kirha/references.ts";
export { parseKirhaReply, parseKirhaSteps } from "./dialects/kirha/steps.ts";
export { type KirhaReference, parseKirhaTemplate, splitKirhaTemplate } from "./dialects/kirha/template.ts";
export { McpCliPlan, McpCliStep, toolOfStep } from "./dialects/mcp-cli/plan-schema.ts";
export { stepDependencies, stepIndices } from "./dialects/mcp-cli/step-numbers.ts";
export { parseRecord } from "./dialects/parse-record.ts";
export { decodePlanExecute, encodePlanExecute, planExecuteDependencies } from "./dialects/plan-execute/plan-execute.ts";
export { checkPlannerAgentPlan, taskId as plannerAgentTaskId } from "./dialects/planner-agent/check-plan.ts";
export { PlannerAgentPlan, parsePlannerAgentPlan } from "./dialects/planner-agent/plan-schema.ts";
export { inferStepDependencies, stepTemplate } from "./dialects/planner-agent/templates.ts";
export { longestTimerMs } from "./edge/timer-ms.ts";
export { keptTrace } from "./edge/trace-headers.ts";
export {
  type DispatchMoment,
  expectedLeftMs,
  independentHalf,
  startableTasks,
} from "./graph/adaptive-dispatch.ts";
export { type MultiGraph, multiGraphConstructor } from "./graph/multi-graph.ts";
export { canonicalJson } from "./hashes/canonical-json.ts";
export { hashText } from "./hashes/hash-value.ts";
export { isEnglish } from "./is-english.ts";
export { type NeededId, neededIds } from "./ports/id-givers.ts";
export { RedactedPieces } from "./redacted-pieces.ts";
export { withOpenInnerTasks } from "./references/inner-tasks.ts";
export { transformReferences } from "./references/map-references.ts";
export { parseTemplateLeniently } from "./references/parse-template.ts";
export { type PinnedResource, pinnedResources } from "./references/pinned-resources.ts";
export { shownName } from "./shown-name.ts";
export {
  CallLength,
  compareByClaim,
  compareByWeight,
  RunClaim,
  RunTurns,
  turnsPerFairTurn,
} from "./turns/run-turns.ts";
export { variableDepthIssues } from "./validation/check-variables.ts";
export { isCredential } from "./validation/credential.ts";
export { isMisspelling } from "./validation/misspelling.ts";
export { prototypeKeys } from "./validation/prototype-keys.ts";
export { flatToolId } from "./validation/resource-catalogue.ts";
export { writtenSchemaFault } from "./validation/written-schema.ts";
