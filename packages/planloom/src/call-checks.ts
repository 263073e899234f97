import { checksOf, checksWithout, type OptionChecks } from "@planloom/plan";
import { candidatesCheck } from "@planloom/planner";
import { runtimeChecks } from "@planloom/runtime";
import { dispatchChecks, runDispatchChecks } from "./grouping/dispatch-options.ts";
import type {
  OptimizeOptions,
  PlanloomDryRunOptions,
  PlanloomDueOptions,
  PlanloomForkOptions,
  PlanloomLoopOptions,
  PlanloomReplanOptions,
  PlanloomResumeLoopOptions,
  PlanloomResumeOptions,
  PlanloomRunOptions,
  PlanOptions,
} from "./planloom-options.ts";
import type { StreamOptions } from "./run-stream.ts";
import { ownSchedulerChecks, type SchedulerOptions } from "./scheduler.ts";
import type { ToolCallOptions } from "./tool-call.ts";

/** The checks of the options of planning. */
export const planChecks = {
  context: "object",
  instructions: "text",
  llmData: "object",
  candidates: candidatesCheck,
  memory: "boolean",
  tenant: "text",
  signal: "signal",
} as const satisfies OptionChecks<PlanOptions>;

const ofRuns = {
  ...planChecks,
  // `tenant` of a run may have limits too.
  ...checksWithout(runtimeChecks.run, "executors", "bind", "replan", "journal", "shared"),
  checkpoint: "boolean",
  dispatch: { options: runDispatchChecks },
} as const satisfies OptionChecks<PlanloomRunOptions>;

const notOfCalls = [
  "context",
  "instructions",
  "llmData",
  "candidates",
  "memory",
  "variables",
  "input",
  "replanPolicy",
] as const;
const notOfOneTask = [
  "dispatch",
  "subgraphs",
  "semantics",
  "dispatcher",
  "dispatchOrder",
  "dispatchOverheadMs",
  "adaptiveDispatch",
  "prediction",
] as const;

const brought = ["executors", "bind", "journal", "shared"] as const;
const ofLoops = checksWithout(runtimeChecks.planExecute, ...brought) satisfies OptionChecks<PlanloomLoopOptions>;

/** The checks of the options of each method of a `Planloom`. */
export const callChecks = {
  plan: planChecks,
  run: ofRuns,
  optimize: {
    ...checksOf(ofRuns, ["concurrency"]),
    dispatch: { options: dispatchChecks },
    signal: "signal",
  } as const satisfies OptionChecks<OptimizeOptions>,
  callTool: checksWithout(ofRuns, ...notOfCalls, ...notOfOneTask) satisfies OptionChecks<ToolCallOptions>,
  dryRun: {
    ...checksWithout(runtimeChecks.dryRun, "executors"),
    signal: "signal",
  } as const satisfies OptionChecks<PlanloomDryRunOptions>,
  resume: {
    ...checksWithout(runtimeChecks.resume, ...brought, "replan"),
    llmData: "object",
  } as const satisfies OptionChecks<PlanloomResumeOptions>,
  resumeDue: {
    llmData: "object",
    ...checksWithout(runtimeChecks.resume, ...brought, "replan", "ifDueBy", "retryFailed"),
    limit: "count",
    withMetadata: "object",
    runsAtOnce: "count",
  } as const satisfies OptionChecks<PlanloomDueOptions>,
  scheduler: {
    ...checksOf(runtimeChecks.resume, ["secrets", "approval", "confirm", "signal"]),
    ...ownSchedulerChecks,
  } as const satisfies OptionChecks<SchedulerOptions>,
  fork: {
    ...checksWithout(runtimeChecks.fork, ...brought, "replan"),
    llmData: "object",
  } as const satisfies OptionChecks<PlanloomForkOptions>,
  replan: {
    mark: "texts",
    note: "text",
    llmData: "object",
    signal: "signal",
  } as const satisfies OptionChecks<PlanloomReplanOptions>,
  planExecute: ofLoops,
  resumePlanExecute: checksWithout(
    runtimeChecks.resumePlanExecute,
    ...brought,
  ) satisfies OptionChecks<PlanloomResumeLoopOptions>,
} as const;

/** The checks that methods which give a stream have in addition. */
export const streamChecks = { bufferSize: "own", whenFull: "own" } as const satisfies OptionChecks<StreamOptions>;
