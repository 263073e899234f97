export { definePlan, type OutputsOf, type PlanResult } from "./builder/define-plan.ts";
export type { Expression } from "./builder/expression.ts";
export type { JsonSchemaValue } from "./builder/json-schema-value.ts";
export type { CallableOf, Decision, PlanBuilder, PlanParts } from "./builder/plan-builder.ts";
export type { ChooseOptions, EachOptions, TaskOptions, WaitFor, WaitOptions } from "./builder/task-options.ts";
export type { PlanOutput, TypedPlan } from "./builder/typed-plan.ts";
export type {
  Arguments,
  Items,
  Ref,
  Reference as TypedReference,
  TaskRef,
  ValueOf,
} from "./builder/typed-reference.ts";
export type { Callable, InputOf, OutputOf, TypedResource } from "./builder/typed-resource.ts";
export { CodedError, type CodedErrorOptions } from "./coded-error.ts";
export { normaliseTask } from "./dialects/agent-grid/normalise-task.ts";
export type { Dialect, PlanReading, ReadContext, RunRules } from "./dialects/dialect.ts";
export { dialects } from "./dialects/dialects.ts";
export type { WrittenKirhaStep } from "./dialects/kirha/kirha.ts";
export type { KirhaReply, KirhaStep } from "./dialects/kirha/steps.ts";
export type { KirhaReference, KirhaTemplate } from "./dialects/kirha/template.ts";
export type { McpCliPlan, McpCliStep } from "./dialects/mcp-cli/plan-schema.ts";
export type { PlanExecutePlan } from "./dialects/plan-execute/plan-execute.ts";
export type { PlannerAgentPlan, PlannerAgentStep } from "./dialects/planner-agent/plan-schema.ts";
export { readPlan, recogniseDialect } from "./dialects/read-plan.ts";
export { runRulesOf } from "./dialects/run-rules.ts";
export {
  type ChangedOutput,
  type ChangedTask,
  type DiffTask,
  diffPlans,
  type PlanDiff,
  type RewiredTask,
} from "./diff/diff-plans.ts";
export type { FieldChange } from "./diff/field-changes.ts";
export { type PlanTotals, planTotals } from "./diff/plan-totals.ts";
export { type DiffTextOptions, renderDiff } from "./diff/render-diff.ts";
export { renderDiffMermaid } from "./diff/render-diff-mermaid.ts";
export { callNow } from "./edge/call-now.ts";
export { callWithin } from "./edge/call-within.ts";
export { callbackError, isCallbackError, thrownText } from "./edge/callback-error.ts";
export { type ConnectFailure, type Connecting, connectAll, connectionsOf } from "./edge/connect-all.ts";
export { delegates, estimatedBy, reattaches, resourcesOf, whyUnavailable } from "./edge/executor-port.ts";
export { FaultLog, notify } from "./edge/notify.ts";
export { ignoreRejection, isThenable } from "./edge/promises.ts";
export { timerMs } from "./edge/timer-ms.ts";
export { readTraceHeaders, type TraceHeaders, traceHeaders, withTraceHeaders } from "./edge/trace-headers.ts";
export { PlanError, PlanErrorCode } from "./errors.ts";
export { formatPlan } from "./files/format-plan.ts";
export { makeFolder } from "./files/make-folder.ts";
export { type ParsePlanOptions, type PlanFormat, parsePlanText } from "./files/parse-plan-text.ts";
export { type LoadPlanOptions, loadPlan, planFormatOf, type SavePlanOptions, savePlan } from "./files/plan-file.ts";
export { readFileWithin } from "./files/read-file-within.ts";
export { type GraphBounds, headLengths, lowerBounds, taskLevels, upwardRanks } from "./graph/bounds.ts";
export { findCycle } from "./graph/find-cycle.ts";
export { graphToGexf, graphToGraphml } from "./graph/graph-files.ts";
export { planGraph, planViewFromGraph, subGraphGraph } from "./graph/plan-graph.ts";
export { type PlanEdges, PlanView, planView, planViewFromEdges, viewWithCosts } from "./graph/plan-view.ts";
export {
  type DependencyAttributes,
  type PathAttributes,
  type ScheduledGraphs,
  type SimulatedDispatch,
  type SubgraphAttributes,
  scheduledGraphs,
  type TaskAttributes,
} from "./graph/scheduled-graphs.ts";
export { DEFAULT_ITEMS, DEFAULT_TASK_MS, expectedLength, type TaskCosts } from "./graph/task-costs.ts";
export { hashValue } from "./hashes/hash-value.ts";
export { definitionHash, definitionHashes, planHashes, type TaskHashes } from "./hashes/plan-hashes.ts";
export { IssueCode, type PlanIssue, type Repair } from "./issue.ts";
export { isRecord, type JsonSchema, type JsonValue } from "./json.ts";
export type { KindRecord, PinnedTask, TaskPin } from "./kinds/kind-record.ts";
export { type ExecutionKind, executionKinds, kindRecord } from "./kinds/kinds.ts";
export { notedIssues } from "./noted-issues.ts";
export { expectedInstead, type OptionCheck } from "./options/option-check.ts";
export { checkedAlike, checksOf, checksWithout, type OptionChecks, optionChecker } from "./options/option-checks.ts";
export { unknownOption, type WrongOption } from "./options/unknown-option.ts";
export { applyPatch } from "./patch/apply-patch.ts";
export {
  type DraftedPatch,
  type DraftPatchOptions,
  draftPatch,
  type PatchProposal,
  type ProposedTask,
} from "./patch/draft-patch.ts";
export { knownItems } from "./patch/known-items.ts";
export { PlanPatch, type PlanPatchInput, RenewedTask, TaskReplacement } from "./patch/plan-patch.ts";
export { planRevision, retiredTasks, taskLineage } from "./patch/revision.ts";
export { isElementOf, type SplitElements, splitElements } from "./patch/split-elements.ts";
export { subGraphAfter } from "./patch/sub-graph-after.ts";
export { type VerifyPatchOptions, verifyPatch } from "./patch/verify-patch.ts";
export { type CheckedUsage, checkUsage, largestUsage } from "./ports/check-usage.ts";
export { withDeclaredEffects } from "./ports/declared-effects.ts";
export type {
  Bind,
  BindOptions,
  BindRequest,
  CallUsage,
  ExecutionContext,
  Executor,
  RecordedCall,
  Step,
  UsageTotals,
} from "./ports/executor.ts";
export { nameWords } from "./ports/name-words.ts";
export type { Resource, ResourceCatalogue } from "./ports/resource.ts";
export { Branch, Choose, defaultMaxElements, ForEachFailure, Join, maxElements, When } from "./records/control-flow.ts";
export { EstimateData } from "./records/estimate-data.ts";
export { Job, type JobInput, PlanningContext } from "./records/job.ts";
export { newId } from "./records/new-id.ts";
export { planTitle } from "./records/plan-title.ts";
export {
  ExecutionType,
  ForEach,
  type ForEachInput,
  OnFailure,
  PlannerTask,
  type PlannerTaskInput,
  RetryPolicy,
  TaskStatus,
} from "./records/planner-task.ts";
export { type RecordName, recordNames, recordSchemas } from "./records/record-schemas.ts";
export { SubGraph } from "./records/sub-graph.ts";
export { PlanStatus, TaskData, type TaskDataInput } from "./records/task-data.ts";
export { TaskId } from "./records/task-id.ts";
export { maxPolls, maxWaitMs, OnDeadline, RetryUntil, Wait } from "./records/waiting.ts";
export { redact, redactCause } from "./redact.ts";
export {
  collectReferences,
  type FoundReference,
  type MalformedReference,
  scanReferences,
} from "./references/collect-references.ts";
export { effectiveDependencies, taskDependencies } from "./references/effective-dependencies.ts";
export {
  deadlineValue,
  defaultItemName,
  elementId,
  elementNames,
  flowValues,
  hasFlowValues,
  indexName,
  localNames,
  readElementId,
  referringValues,
} from "./references/flow-values.ts";
export {
  escapeText,
  formatPath,
  formatReference,
  formatTemplate,
  referenceText,
} from "./references/format-reference.ts";
export { hasInnerTasks, isDecidedByConditions, withInnerTasks } from "./references/inner-tasks.ts";
export { isAboutElements, mayLeaveElementsOut } from "./references/left-out-elements.ts";
export { escapeReferences, mapReferences, renameReferences } from "./references/map-references.ts";
export { parseReference } from "./references/parse-reference.ts";
export { parseTemplate, wholeReference } from "./references/parse-template.ts";
export { type ReadPathResult, readPath } from "./references/read-path.ts";
export { readTime } from "./references/read-time.ts";
export {
  maxArgumentDepth,
  maxPathSegments,
  type PathSegment,
  type Reference,
  type Template,
} from "./references/reference.ts";
export { type ReferenceLookup, resolveReference, resolveReferences } from "./references/resolve-references.ts";
export {
  collectSecrets,
  type FoundSecret,
  fillSecrets,
  isSecretName,
  planSecrets,
  secretObjectName,
} from "./references/secret-object.ts";
export { inputName, type NameCollision, type NameHolder, nameCollisions, taskNames } from "./references/task-names.ts";
export { findPlace, type PlaceStep, type TaskPlace } from "./references/task-place.ts";
export { variableNames } from "./references/variable-names.ts";
export type { Paint, PaintStyle } from "./rendering/ascii-style.ts";
export { displayWidth, fit, pad, printable } from "./rendering/printable.ts";
export { type AsciiOptions, renderAscii } from "./rendering/render-ascii.ts";
export { renderDot } from "./rendering/render-dot.ts";
export { type DiagramOptions, renderMermaid } from "./rendering/render-mermaid.ts";
export { repeatText, waitText, withoutCallText } from "./rendering/task-text.ts";
export { pinFields, pinTo, type ResourcePin, resourcePin } from "./resource-pin.ts";
export { type Assignability, assignable } from "./validation/assignable.ts";
export { choiceFault } from "./validation/flow-faults.ts";
export { branchNames } from "./validation/flow-types.ts";
export { isJudgedStep, rememberJudgedStep } from "./validation/judged-step.ts";
export { type NearestNames, nearestNames } from "./validation/nearest-names.ts";
export { resourceCatalogue } from "./validation/resource-catalogue.ts";
export { type SchemaAtPath, schemaAtPath } from "./validation/schema-at-path.ts";
export { taskName } from "./validation/task-name.ts";
export {
  hasOnlyKnownFields,
  keptUnreadIssues,
  type UnreadField,
  unreadFields,
  unreadIssue,
  withKnownFields,
} from "./validation/unread-fields.ts";
export { validatePlan } from "./validation/validate-plan.ts";
export { type ValueOptions, validateStep, validateValue } from "./validation/validate-value.ts";
export type { ValidationOptions } from "./validation/validation-options.ts";
