import { readFile } from "node:fs/promises";
import * as planloom from "planloom";
import * as testing from "planloom/testing";
import { expect, test } from "vitest";

// Red here means: say that you mean it, and write it into the changelog.

test("exports of planloom", () => {
  expect(Object.keys(planloom).sort()).toEqual([
    "CodedError",
    "ControllerError",
    "ControllerErrorCode",
    "EmbeddedController",
    "EmbeddedError",
    "EmbeddedErrorCode",
    "HttpController",
    "HybridController",
    "IssueCode",
    "Job",
    "LlmController",
    "OptimizerError",
    "OptimizerErrorCode",
    "PlanError",
    "PlanErrorCode",
    "Planloom",
    "PlanloomError",
    "PlanloomErrorCode",
    "PlannerError",
    "PlannerErrorCode",
    "PlannerTask",
    "RuntimeError",
    "RuntimeErrorCode",
    "ShutDown",
    "SqliteJournal",
    "TaskData",
    "TaskErrorCode",
    "TaskFailure",
    "answerTask",
    "approve",
    "cancelRun",
    "defineAgent",
    "defineConfig",
    "defineExecutor",
    "defineLlm",
    "definePlan",
    "defineTool",
    "defineWorkflow",
    "deny",
    "folderPlans",
    "fromAiSdk",
    "loadPlan",
    "memoryJournal",
    "memoryPlans",
    "openaiModel",
    "renderAscii",
    "savePlan",
    "waitingFor",
  ]);
});

/** Each stage, by its subpath and by its own package. */
const stages: readonly [name: string, subpath: Promise<object>, stage: Promise<object>][] = [
  ["controller", import("planloom/controller"), import("@planloom/controller")],
  ["embedded", import("planloom/embedded"), import("@planloom/embedded")],
  ["optimizer", import("planloom/optimizer"), import("@planloom/optimizer")],
  ["plan", import("planloom/plan"), import("@planloom/plan")],
  ["planner", import("planloom/planner"), import("@planloom/planner")],
  ["runtime", import("planloom/runtime"), import("@planloom/runtime")],
];

test.each(stages)("planloom/%s is all of the package of that name", async (_name, ...loading) => {
  const [subpath, stage] = (await Promise.all(loading)) as [Record<string, unknown>, Record<string, unknown>];
  expect(Object.keys(subpath)).toEqual(Object.keys(stage));
  expect(Object.keys(stage).filter((key) => subpath[key] !== stage[key])).toEqual([]);
});

test("what the top has of a stage is the stage's own", async () => {
  const all = await Promise.all(stages.map(([, subpath]) => subpath));
  const own = Object.entries(planloom).filter(([name, value]) => {
    const holders = all.filter((stage) => Object.hasOwn(stage, name)) as Record<string, unknown>[];
    for (const holder of holders) expect(holder[name]).toBe(value);
    return holders.length === 0;
  });
  expect(own.map(([name]) => name).sort()).toEqual([
    "Planloom",
    "PlanloomError",
    "PlanloomErrorCode",
    "answerTask",
    "defineConfig",
    "folderPlans",
    "memoryPlans",
  ]);
});

test("the top has at most 80 names, types counted", async () => {
  const report = await readFile(new URL("../../packages/planloom/api.md", import.meta.url), "utf8");
  const top = report.split(/^## /m).find((section) => section.startsWith("`planloom`\n"))!;
  const [exported] = top.split("Mentioned there, not exported:");
  const passedOn = exported!.match(/^ {4}(?:type )?\w+,$/gm)!;
  const own = exported!.match(/^export (?:declare )?(?:const|class|function|interface|type) (\w+)/gm)!;
  const names = new Set([...passedOn, ...own].map((line) => /(\w+),?$/.exec(line)![1]));
  expect([...names]).toEqual(expect.arrayContaining(["Planloom", "PlanloomOptions", "TaskData", "folderPlans"]));
  expect(names.size, "what not every program needs is on a subpath").toBeLessThanOrEqual(80);
});

test("exports of planloom/dispatch", async () => {
  expect(Object.keys(await import("planloom/dispatch"))).toEqual(["workerLimits", "workerParts"]);
});

test("exports of planloom/serving", async () => {
  expect(Object.keys(await import("planloom/serving"))).toEqual([
    "ListenerLimit",
    "answeredDetails",
    "answeredIssues",
    "bearsToken",
    "bodyRefusal",
    "isLoopback",
    "isTooDeep",
    "listenOn",
    "maxAnsweredIssues",
    "maxBodyDepth",
    "readBody",
    "requestTimeouts",
  ]);
});

test("exports of planloom/schedules", async () => {
  expect(Object.keys(await import("planloom/schedules"))).toEqual(["Schedules", "approvalOf", "runScheduler"]);
});

test("planloom/events has types alone", async () => {
  expect(Object.keys(await import("planloom/events"))).toEqual([]);
});

test("exports of planloom/options", async () => {
  const [subpath, table] = await Promise.all([import("planloom/options"), import("@planloom/runtime/options")]);
  expect(Object.keys(subpath)).toEqual(Object.keys(table));
});

test("exports of planloom/plan-tools", async () => {
  expect(Object.keys(await import("planloom/plan-tools")).sort()).toEqual([
    "describePlan",
    "describeRecordedRun",
    "describeRun",
    "handlePlanCommand",
    "handlePlanTool",
    "isPlanTool",
    "parsePlanCommand",
    "planTools",
  ]);
});

test("exports of planloom/testing", () => {
  expect(Object.keys(testing).sort()).toEqual([
    "chatBehaviours",
    "executorContract",
    "fakeClock",
    "journalContract",
    "memoryJournal",
    "scriptedController",
    "scriptedModel",
    "startChatServer",
  ]);
});

test("methods of Planloom", () => {
  const { prototype } = planloom.Planloom;
  const names = [prototype, Object.getPrototypeOf(prototype)].flatMap((each) => Object.getOwnPropertyNames(each));
  expect([...new Set(names)].sort()).toEqual([
    "answer",
    "callTool",
    "choose",
    "close",
    "constructor",
    "deleteSchedule",
    "describe",
    "draft",
    "dryRun",
    "estimate",
    "fork",
    "graph",
    "journal",
    "off",
    "on",
    "optimize",
    "pauseSchedule",
    "plan",
    "planExecute",
    "planExecuteStream",
    "planStream",
    "questions",
    "replan",
    "resources",
    "resume",
    "resumeDue",
    "resumePlanExecute",
    "run",
    "runStatus",
    "schedule",
    "scheduleHistory",
    "scheduler",
    "schedules",
    "signal",
    "stream",
    "subscribe",
    "validate",
  ]);
});

test("error codes", () => {
  const codes = Object.entries(planloom).flatMap(([name, value]) =>
    /^\w+ErrorCode$/.test(name) ? Object.values(value as unknown as Record<string, string>) : [],
  );
  expect(codes.sort()).toEqual([
    "CONTROLLER_AUTH",
    "CONTROLLER_CONFIG",
    "CONTROLLER_CONTENT_FILTER",
    "CONTROLLER_CONTEXT_EXCEEDED",
    "CONTROLLER_LENGTH",
    "CONTROLLER_MODEL_NOT_FOUND",
    "CONTROLLER_OPTION",
    "CONTROLLER_PROMPT_TOO_LARGE",
    "CONTROLLER_PROTOCOL",
    "CONTROLLER_QUOTA",
    "CONTROLLER_RATE_LIMIT",
    "CONTROLLER_REFUSED",
    "CONTROLLER_RUNAWAY",
    "CONTROLLER_SCRIPT",
    "CONTROLLER_STATUS",
    "CONTROLLER_TIMEOUT",
    "CONTROLLER_UNREACHABLE",
    "CONTROLLER_UNREADABLE",
    "EMBEDDED_ENCODER",
    "EMBEDDED_OPTION",
    "EMBEDDED_UNKNOWN_TEMPORAL",
    "OPTIMIZER_CYCLE",
    "OPTIMIZER_DUPLICATE_TASK",
    "OPTIMIZER_ENVIRONMENT",
    "OPTIMIZER_INFEASIBLE",
    "OPTIMIZER_INPUT",
    "OPTIMIZER_INVALID_PARTITION",
    "OPTIMIZER_OPTION",
    "OPTIMIZER_PLAN_TOO_LARGE",
    "OPTIMIZER_UNKNOWN_DEPENDENCY",
    "OPTIMIZER_UNKNOWN_STRATEGY",
    "PLANLOOM_CLOSED",
    "PLANLOOM_COMMAND",
    "PLANLOOM_INVALID_PLAN",
    "PLANLOOM_OPEN_QUESTIONS",
    "PLANLOOM_OPTION",
    "PLANLOOM_PLAN_CONFLICT",
    "PLANLOOM_PLAN_ID",
    "PLANLOOM_PLAN_NOT_FOUND",
    "PLANLOOM_SCHEDULE_NOT_FOUND",
    "PLANNER_ANSWER_INVALID",
    "PLANNER_CHOICE_INVALID",
    "PLANNER_CONFIG",
    "PLANNER_GOAL_EMPTY",
    "PLANNER_GOAL_TOO_LARGE",
    "PLANNER_INPUT_INVALID",
    "PLANNER_NO_VALID_PLAN",
    "PLANNER_NO_VALID_REPLAN",
    "PLANNER_NO_VALID_STEP",
    "PLANNER_OPEN_QUESTIONS",
    "PLANNER_OPTION",
    "PLANNER_PROMPT_TOO_LARGE",
    "PLANNER_REPLAN_INPUT",
    "PLANNER_RESOURCES_EMPTY",
    "PLANNER_RESOURCE_UNKNOWN",
    "PLANNER_TIMEOUT",
    "PLAN_CALLBACK",
    "PLAN_CYCLE",
    "PLAN_DIALECT",
    "PLAN_DUPLICATE_TASK",
    "PLAN_FILE",
    "PLAN_INVALID",
    "PLAN_OPTION",
    "PLAN_PATCH_REFUSED",
    "PLAN_REFERENCE_ABSENT",
    "PLAN_REFERENCE_SYNTAX",
    "PLAN_TOO_LARGE",
    "PLAN_UNKNOWN_DEPENDENCY",
    "RUNTIME_ALREADY_ANSWERED",
    "RUNTIME_ALREADY_DENIED",
    "RUNTIME_DISPATCH_FORMAT",
    "RUNTIME_DUPLICATE_RESOURCE",
    "RUNTIME_INVALID_ANSWER",
    "RUNTIME_INVALID_DEFINITION",
    "RUNTIME_INVALID_OPTION",
    "RUNTIME_INVALID_PLAN",
    "RUNTIME_INVALID_SIGNAL",
    "RUNTIME_JOURNAL_CORRUPT",
    "RUNTIME_JOURNAL_FOREIGN",
    "RUNTIME_JOURNAL_KEY",
    "RUNTIME_JOURNAL_LOCKED",
    "RUNTIME_JOURNAL_NEWER",
    "RUNTIME_JOURNAL_OPEN",
    "RUNTIME_JOURNAL_READ",
    "RUNTIME_JOURNAL_TIMEOUT",
    "RUNTIME_JOURNAL_WRITE",
    "RUNTIME_LEASE_LOST",
    "RUNTIME_NOT_DUE",
    "RUNTIME_NOT_RUNNING",
    "RUNTIME_NOT_WAITING",
    "RUNTIME_NOT_YET_ASKED",
    "RUNTIME_NO_WAITS",
    "RUNTIME_QUESTION_CHANGED",
    "RUNTIME_QUEUE_FULL",
    "RUNTIME_REVISION_CONFLICT",
    "RUNTIME_REVISION_REFUSED",
    "RUNTIME_RUN_ENDED",
    "RUNTIME_RUN_EXISTS",
    "RUNTIME_RUN_LEASED",
    "RUNTIME_RUN_NOT_FOUND",
    "RUNTIME_SECRET_MISSING",
    "RUNTIME_SIGNALS_FULL",
    "RUNTIME_SIGNAL_CONFLICT",
    "RUNTIME_TASK_FAILED",
    "RUNTIME_TASK_NOT_FOUND",
    "RUNTIME_UNSUPPORTED_SUB_TYPE",
    "TASK_AGENT_REFUSED",
    "TASK_BIND",
    "TASK_BLOCKED",
    "TASK_BUDGET",
    "TASK_CALLBACK",
    "TASK_CANCELLED",
    "TASK_CHOICE",
    "TASK_CONDITION",
    "TASK_CONVERTOR",
    "TASK_DEADLINE",
    "TASK_DENIED",
    "TASK_DEPENDENCY",
    "TASK_DISPATCH",
    "TASK_ELEMENT",
    "TASK_FAILED",
    "TASK_HALTED",
    "TASK_INPUT_TOO_LARGE",
    "TASK_INVALID_INPUT",
    "TASK_ITEMS",
    "TASK_NESTED",
    "TASK_NOT_MET",
    "TASK_NO_ANSWER",
    "TASK_OUTPUT_INVALID",
    "TASK_OUTPUT_NOT_JSON",
    "TASK_OUTPUT_TOO_LARGE",
    "TASK_REFERENCE",
    "TASK_RESOURCE_NOT_FOUND",
    "TASK_SECRET",
    "TASK_STALLED",
    "TASK_TIMEOUT",
    "TASK_UNAVAILABLE",
    "TASK_UNBOUND",
    "TASK_UNKNOWN_OUTCOME",
    "TASK_WAIT",
    "TASK_WAITING",
  ]);
});

test("issue codes", () => {
  expect(Object.values(planloom.IssueCode)).toEqual([
    "schema",
    "unknown_field",
    "plan_empty",
    "duplicate_task",
    "name_collision",
    "unknown_dependency",
    "self_dependency",
    "cycle",
    "unknown_tool",
    "unknown_agent",
    "unknown_llm",
    "unknown_dsl",
    "no_resource",
    "resource_schema",
    "schema_budget",
    "missing_argument",
    "unknown_argument",
    "invalid_argument",
    "reference_syntax",
    "expression_syntax",
    "unknown_reference",
    "unknown_output",
    "type_mismatch",
    "never_runs",
    "no_else",
    "may_be_skipped",
    "unknown_secret",
    "misplaced_secret",
    "run_policy",
    "budget",
    "unreadable",
    "unresolved",
    "proposal",
    "unverified",
    "patch_stale",
    "patch_region",
    "patch_boundary",
    "patch_protection",
    "patch_task",
    "task_repeated",
  ]);
});
