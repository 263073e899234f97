// What a first program writes, 80 names at most: `Planloom`, what it takes and gives, and the errors it throws. All else is on subpaths, one for each stage
// and one for each subject of this package (docs/decisions/2026-11-23-eighty-names-at-the-top.md).
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
export { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
export {
  CodedError,
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
  RuntimeError,
  RuntimeErrorCode,
  ShutDown,
  SqliteJournal,
  TaskErrorCode,
  TaskFailure,
  type TaskResult,
  type TypedRunResult,
  type WaitingCall,
  waitingFor,
} from "@planloom/runtime";
export { answerTask } from "./answer-task.ts";
export { defineConfig, type PlanloomConfig } from "./define-config.ts";
export type { PlanloomDescription } from "./description.ts";
export { PlanloomError, PlanloomErrorCode } from "./errors.ts";
export type { PlanloomEvent } from "./events.ts";
export type { PlanloomRunResult } from "./grouping/run-grouping.ts";
export { folderPlans, memoryPlans, type PlanStore, type StoredPlan } from "./plan-store.ts";
export { Planloom } from "./planloom.ts";
export type {
  Goal,
  PlanloomOptions,
  PlanloomResumeOptions,
  PlanloomRunOptions,
  PlanOptions,
} from "./planloom-options.ts";
export type { ReplannedPlan } from "./replan-plan.ts";
