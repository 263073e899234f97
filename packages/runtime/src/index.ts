export type { AskedCall, CallAnswer, CallPermit, CallPermitSource } from "./admission/call-permit.ts";
export { type AnswerOptions, type ApproveOptions, approve, deny, waitingFor } from "./approvals/approvals.ts";
export { type SupplyOptions, supplyOutput } from "./approvals/supply-output.ts";
export { type WaitingRun, type WaitingRunsOptions, waitingRuns } from "./approvals/waiting-runs.ts";
export type { CachedOutput, CacheFilter, ResultCache } from "./cached-output.ts";
export { runtimeChecks } from "./call-checks.ts";
export { type Confirm, type ConfirmCall, type ConfirmLevel, confirmLevels } from "./confirm.ts";
export {
  type ChildProcessDispatcher,
  type ChildProcessOptions,
  childProcessDispatcher,
} from "./dispatch/child-process-dispatcher.ts";
export {
  costsOf,
  type DispatchClass,
  type DispatchCosts,
  type PreparationOptions,
} from "./dispatch/port/dispatch-costs.ts";
export {
  type DispatchContext,
  type Dispatcher,
  type DispatchReply,
  type DispatchRequest,
  inProcessDispatcher,
  type TaskReport,
} from "./dispatch/port/dispatcher.ts";
export type { ErrorSummary, ErrorTrace } from "./error-trace.ts";
export { RuntimeError, RuntimeErrorCode } from "./errors.ts";
export type { EndReason, PatchRefusal, RunEvent } from "./events.ts";
export {
  type AgentDefinition,
  type AgentOptions,
  type AgentReply,
  agentExecutor,
  defineAgent,
} from "./executors/agent.ts";
export type { AgentDescription } from "./executors/agent-description.ts";
export type { DelegationOptions } from "./executors/agents/delegation-options.ts";
export { type LedByModelOptions, ledByModel, ledStepMessages } from "./executors/agents/led-by-model.ts";
export { agentMessages, agentRules, type ModelAgent, type ModelAgentOptions } from "./executors/agents/model-agent.ts";
export { defineExecutor } from "./executors/define-executor.ts";
export { defineLlm, type LlmDefinition, type LlmOptions, llmExecutor, llmMessages } from "./executors/llm.ts";
export type { AnySchema } from "./executors/read-schema.ts";
export { type Registry, type RegistryEntry, registry } from "./executors/registry.ts";
export { type AskOptions, type RunPowers, runPowers, type SecretReference } from "./executors/run-powers.ts";
export { defineTool, type ToolDefinition, type ToolOptions, toolExecutor } from "./executors/tool.ts";
export {
  defineWorkflow,
  type WorkflowDefinition,
  type WorkflowOptions,
  workflowExecutor,
} from "./executors/workflow.ts";
export { type ExpressionOptions, evaluateExpression, expressionLimits } from "./expressions/evaluate-expression.ts";
export { type WatchedRun, watchRun } from "./feed/run-feed.ts";
export type { Durability } from "./journal/durability.ts";
export type {
  ApprovalAnswer,
  AskedQuestion,
  AskedTask,
  BegunCall,
  CallRecord,
  CancelMode,
  ClaimDueOptions,
  DeleteRunOptions,
  Journal,
  NestedRecord,
  OpenedRun,
  OpenRunOptions,
  PendingUsage,
  RunChange,
  RunSummary,
  StoredCertificate,
  StoredEvent,
  StoredOptions,
  StoredPrediction,
  StoredRun,
  StoredStatus,
  TakenOver,
  TaskRecord,
  TaskTiming,
  TaskUsage,
} from "./journal/journal.ts";
export { isStale as isLeaseStale, type Lease, type LeaseOwner, processOwner, releaseOwner } from "./journal/lease.ts";
export { defaultMaxEndedRuns, type MemoryJournalOptions, memoryJournal } from "./journal/memory-journal.ts";
export type { ChecksumProblem, ChecksumReport } from "./journal/run-chain.ts";
export {
  type ListRunsOptions,
  type RunFilter,
  type RunStatus,
  resumableStatuses,
  runStatuses,
} from "./journal/run-filter.ts";
export { SqliteJournal } from "./journal/sqlite-journal.ts";
export type { SqliteJournalOptions } from "./journal/sqlite-journal-options.ts";
export {
  type AddedSignal,
  type DueRun,
  type KnownWaits,
  maxPendingSignals,
  maxSignalBytes,
  type SignalName,
  type StoredSignal,
  type StoredWait,
  type WaitChange,
} from "./journal/stored-wait.ts";
export { questionsOf, type WaitingCall } from "./journal/waiting-call.ts";
export type { LoopEndReason } from "./loop/end-reason.ts";
export type { LoopAction, LoopAgent, LoopEvent } from "./loop/events.ts";
export { modelExecutor, modelPlanner, modelReplanner } from "./loop/lazy-model-roles.ts";
export { type LoopOptions, planExecuteDefaults, type ReplanWhen } from "./loop/loop-options.ts";
export type {
  ModelExecutorOptions,
  ModelPlannerOptions,
  ModelReplannerOptions,
  ModelRoleOptions,
  ReadPlan,
} from "./loop/model-role-options.ts";
export {
  type PlanExecuteOptions,
  type PlanExecuteResult,
  planExecute,
  planExecuteAgent,
  type ResumePlanExecuteOptions,
  resumePlanExecute,
} from "./loop/plan-execute.ts";
export { type LoopPlanInput, planExecuteTools } from "./loop/plan-tools.ts";
export { type LoopVariables, planExecutePrompts } from "./loop/prompts.ts";
export {
  exitLoop,
  type LoopChoice,
  type LoopContext,
  type LoopExecutor,
  LoopExit,
  type LoopPlanner,
  type LoopReplanner,
  type RoleContext,
} from "./loop/roles.ts";
export {
  type ExecutedStep,
  type LoopMessage,
  type LoopPlan,
  type LoopSession,
  loopSessionKeys,
} from "./loop/session.ts";
export { loopVariables } from "./loop/session-text.ts";
export { type AbsentElement, absentElement } from "./operations/absent-element.ts";
export { type CancelledRun, type CancelOptions, cancelRun } from "./operations/cancel-run.ts";
export { type DryRunOptions, type DryRunResult, type DryStep, dryRun } from "./operations/dry-run.ts";
export { type ForkOptions, fork } from "./operations/fork-run.ts";
export { nextTasks } from "./operations/next-tasks.ts";
export { type L2Options, PlanAndExecuteL2, type StepPlannerLike } from "./operations/plan-and-execute-l2.ts";
export { type KeptRun, type PruneOptions, type PruneResult, pruneRuns } from "./operations/prune-runs.ts";
export type { RatedCalls } from "./operations/rated-calls.ts";
export { type Divergence, type ReplayOptions, type ReplayResult, replay } from "./operations/replay-run.ts";
export {
  claimDueRuns,
  type DueOptions,
  type ResumeDueOptions,
  resumeDue,
  type WokenRun,
  wakeRuns,
} from "./operations/resume-due.ts";
export {
  type RecordedAnswer,
  type RunStatusOptions,
  type RunStatusView,
  runStatus,
  type TaskStatusView,
  type TaskWait,
} from "./operations/run-status.ts";
export { type SentSignal, type SignalOptions, signal } from "./operations/signal-run.ts";
export type { VerifyProblem } from "./operations/verify-problem.ts";
export { type VerifyReport, verifyRun } from "./operations/verify-run.ts";
export type { InstanceScope, OptionFlag, OptionRow } from "./options/option-row.ts";
export { type NamesWith, namesWith, type OptionName, runOptionTable } from "./options/run-option-table.ts";
export type { AbandonedCall } from "./ports/abandoned-call.ts";
export type { AdaptiveDispatchOptions } from "./ports/adaptive-dispatch.ts";
export type { Budget, BudgetLeft, BudgetUnit } from "./ports/amounts.ts";
export type { BudgetOptions } from "./ports/budget.ts";
export type { DispatchPrediction } from "./ports/dispatch-prediction.ts";
export type { ErrorClass } from "./ports/error-class.ts";
export {
  type GuardedCall,
  type GuardPolicy,
  type GuardPolicyName,
  guardPolicies,
} from "./ports/guard-policy.ts";
export type { LimitRows, LimitStore } from "./ports/limit-store.ts";
export type {
  Replan,
  ReplanPolicy,
  ReplanRegion,
  ReplanTrigger,
  StoredReplanPolicy,
} from "./ports/replan-policy.ts";
export { replanTriggers } from "./ports/replan-policy.ts";
export type { RetryOn } from "./ports/retry.ts";
export type { TurnOptions } from "./ports/run-claim.ts";
export type { RunSemantics, SubgraphSemantics } from "./ports/run-semantics.ts";
export type { ReplanCause, StoredRevision } from "./ports/stored-revision.ts";
export type { RateLimit } from "./ports/token-bucket.ts";
export { type WaitView, waitSentence } from "./ports/wait-view.ts";
export { type MarkOptions, markTasks } from "./replan/mark-tasks.ts";
export { type RecordedPlan, recordedPlan, reviseRun } from "./replan/revise-run.ts";
export { type CacheOptions, memoryCache } from "./result-cache.ts";
export { type ResumeOptions, resume } from "./resume.ts";
export { run } from "./run.ts";
export type { RunLimits } from "./run-limits.ts";
export type { Certificate, ElementCounts, RunResult, TaskResult, TypedRunResult, Usage } from "./run-result.ts";
export type {
  ApprovalOptions,
  FailedAttempt,
  GivenAnswer,
  OnUnknown,
  ResultOutputs,
  RunOptions,
} from "./run-settings.ts";
export type { SecretSource, Secrets } from "./secrets/secrets.ts";
export { SharedLimits, type SharedLoad } from "./shared-limits/shared-limits.ts";
export type {
  SharedBudget,
  SharedBudgets,
  SharedLimitsOptions,
  TenantLimits,
  TenantOptions,
} from "./shared-limits/shared-options.ts";
export { isStopped, ShutDown, type StopReason } from "./stop-reason.ts";
export type { AtLeast } from "./stricter-options.ts";
export { type TaskError, TaskErrorCode, TaskFailure } from "./task-error.ts";
export type { ExpectedCalls } from "./task-shape.ts";
export type { Distribution } from "./what-if/distribution.ts";
export {
  type EstimatedPlan,
  type EstimatePlanOptions,
  type EstimateSources,
  estimatePlan,
} from "./what-if/estimate-plan.ts";
export { type Behaviour, type Behaviours, learnBehaviours } from "./what-if/learn-behaviour.ts";
export { type RecordedTask, type RecordedWorkload, recordedWorkload } from "./what-if/recorded-workload.ts";
export { type WhatIfOptions, type WhatIfScenario, whatIf } from "./what-if/what-if.ts";
