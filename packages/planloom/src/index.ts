// What a first program needs: the class `Planloom`, what it takes and gives, and the errors it throws. All else is on subpaths, one for each stage (docs/decisions/2026-11-22-one-front-door.md).
export {
  type BehaviorController,
  ControllerError,
  ControllerErrorCode,
  fromAiSdk,
  HttpController,
  HybridController,
  LlmController,
  type Model,
  openaiModel,
} from "@planloom/controller";
export { EmbeddedController, EmbeddedError, EmbeddedErrorCode } from "@planloom/embedded";
export { type Optimized, OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
export {
  definePlan,
  type Executor,
  IssueCode,
  Job,
  type JsonSchema,
  type JsonValue,
  loadPlan,
  PlanError,
  PlanErrorCode,
  type PlanIssue,
  PlannerTask,
  type Resource,
  renderAscii,
  savePlan,
  TaskData,
  type TaskDataInput,
  type TypedPlan,
} from "@planloom/plan";
export { PlannerError, PlannerErrorCode, type PlanQuestion } from "@planloom/planner";
export {
  type ApprovalAnswer,
  approve,
  type Confirm,
  cancelRun,
  defineAgent,
  defineExecutor,
  defineLlm,
  defineTool,
  defineWorkflow,
  deny,
  type EndReason,
  type Journal,
  memoryJournal,
  type RunEvent,
  type RunResult,
  type RunStatus,
  type RunStatusView,
  type RunSummary,
  RuntimeError,
  RuntimeErrorCode,
  resumableStatuses,
  type SentSignal,
  ShutDown,
  SqliteJournal,
  TaskErrorCode,
  TaskFailure,
  type TaskResult,
  type TaskStatusView,
  type ToolDefinition,
  type TypedRunResult,
  type WaitingCall,
  type WaitView,
  type WokenRun,
  waitingFor,
} from "@planloom/runtime";
export { type AnswerTaskOptions, answerTask } from "./answer-task.ts";
export { defineConfig, type McpServerEntry, type PlanloomConfig } from "./define-config.ts";
export type { PlanloomDescription } from "./description.ts";
export { PlanloomError, PlanloomErrorCode } from "./errors.ts";
export type { PlanloomEvent, PlanloomEventOf, PlanloomEventType, PlanloomListener } from "./events.ts";
export type {
  DispatchOptions,
  GroupingOptions,
  ModelGrouping,
  RuleGrouping,
  RunDispatchOptions,
} from "./grouping/dispatch-options.ts";
export type { GroupedPlan } from "./grouping/grouped-plan.ts";
export type { PlanGroupedEvent, PlanloomRunResult, RunGrouping } from "./grouping/run-grouping.ts";
export type { MemoryOptions } from "./memory/memory-options.ts";
export type { PlanMemory, PlanMemoryOptions, RememberedOf } from "./memory/plan-memory.ts";
export type { CloseOptions } from "./open-work.ts";
export { folderPlans, memoryPlans, type PlanStore, type StoredPlan } from "./plan-store.ts";
export type { PlanStream, StreamedTask } from "./plan-stream.ts";
export { Planloom } from "./planloom.ts";
export type {
  Goal,
  OptimizeOptions,
  PlanloomDryRunOptions,
  PlanloomDueOptions,
  PlanloomForkOptions,
  PlanloomLoopOptions,
  PlanloomOptions,
  PlanloomResumeLoopOptions,
  PlanloomResumeOptions,
  PlanloomRunOptions,
  PlanloomSignalOptions,
  PlanOptions,
} from "./planloom-options.ts";
export type { ReplannedPlan, ReplanPlanOptions } from "./replan-plan.ts";
export type { RunStream, StreamEvent, StreamGap, StreamOptions } from "./run-stream.ts";
export type { SchedulerOptions } from "./scheduler.ts";
export type { DueFire, Schedule, ScheduleFire, ScheduleOptions } from "./schedules/schedule.ts";
export { Schedules } from "./schedules/schedules.ts";
export type { RunSubscription, SubscribedEvent, SubscribeOptions } from "./subscription.ts";
export { type WorkerParts, workerParts } from "./worker-parts.ts";
