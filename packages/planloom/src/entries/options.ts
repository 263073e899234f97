// The table of run options, which is everything of `@planloom/runtime/options`, and the types of what the methods of a `Planloom` and a configuration take.
export * from "@planloom/runtime/options";
export type { AnswerTaskOptions } from "../answer-task.ts";
export type { McpServerEntry, PlanloomConfig } from "../define-config.ts";
export type { DispatchOptions, RunDispatchOptions } from "../grouping/dispatch-options.ts";
export type { MemoryOptions } from "../memory/memory-options.ts";
export type { CloseOptions } from "../open-work.ts";
export type { StorePlanOptions } from "../plan-store.ts";
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
} from "../planloom-options.ts";
export type { ReplanPlanOptions } from "../replan-plan.ts";
export type { StreamOptions } from "../run-stream.ts";
export type { SchedulerOptions } from "../scheduler.ts";
export type { ScheduleOptions } from "../schedules/schedule.ts";
export type { SubscribeOptions } from "../subscription.ts";
export type { LogFields, Logger } from "../telemetry/logger.ts";
export type { Telemetry, TelemetryCall } from "../telemetry/telemetry.ts";
