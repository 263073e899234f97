import * as planloom from "planloom";
import * as testing from "planloom/testing";
import { expect, test } from "vitest";

// Red here means: say that you mean it, and write it into the changelog.

test("exports of planloom", () => {
  expect(Object.keys(planloom).sort()).toEqual([
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
    "defineTool",
    "defineWorkflow",
    "deny",
    "folderPlans",
    "loadPlan",
    "memoryJournal",
    "memoryPlans",
    "openaiModel",
    "renderAscii",
    "resumableStatuses",
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

test("exports of planloom/plan-tools", async () => {
  expect(Object.keys(await import("planloom/plan-tools")).sort()).toEqual([
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
  expect(Object.getOwnPropertyNames(planloom.Planloom.prototype).sort()).toEqual([
    "callTool",
    "close",
    "constructor",
    "dryRun",
    "fork",
    "journal",
    "off",
    "on",
    "optimize",
    "plan",
    "planExecute",
    "planExecuteStream",
    "planStream",
    "replan",
    "resources",
    "resume",
    "resumePlanExecute",
    "run",
    "stream",
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
    "CONTROLLER_PROMPT_TOO_LARGE",
    "CONTROLLER_PROTOCOL",
    "CONTROLLER_RATE_LIMIT",
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
    "OPTIMIZER_PLAN_TOO_LARGE",
    "OPTIMIZER_UNKNOWN_DEPENDENCY",
    "OPTIMIZER_UNKNOWN_STRATEGY",
    "PLANLOOM_CLOSED",
    "PLANLOOM_COMMAND",
    "PLANLOOM_INVALID_PLAN",
    "PLANLOOM_OPTION",
    "PLANLOOM_PLAN_CONFLICT",
    "PLANLOOM_PLAN_ID",
    "PLANLOOM_PLAN_NOT_FOUND",
    "PLANNER_CONFIG",
    "PLANNER_GOAL_EMPTY",
    "PLANNER_GOAL_TOO_LARGE",
    "PLANNER_INPUT_INVALID",
    "PLANNER_NO_VALID_PLAN",
    "PLANNER_NO_VALID_REPLAN",
    "PLANNER_NO_VALID_STEP",
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
    "PLAN_PATCH_REFUSED",
    "PLAN_REFERENCE_ABSENT",
    "PLAN_REFERENCE_SYNTAX",
    "PLAN_TOO_LARGE",
    "PLAN_UNKNOWN_DEPENDENCY",
    "RUNTIME_ALREADY_ANSWERED",
    "RUNTIME_ALREADY_DENIED",
    "RUNTIME_DUPLICATE_RESOURCE",
    "RUNTIME_INVALID_ANSWER",
    "RUNTIME_INVALID_DEFINITION",
    "RUNTIME_INVALID_OPTION",
    "RUNTIME_INVALID_PLAN",
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
    "RUNTIME_NOT_RUNNING",
    "RUNTIME_NOT_WAITING",
    "RUNTIME_NOT_YET_ASKED",
    "RUNTIME_QUEUE_FULL",
    "RUNTIME_REVISION_CONFLICT",
    "RUNTIME_REVISION_REFUSED",
    "RUNTIME_RUN_EXISTS",
    "RUNTIME_RUN_LEASED",
    "RUNTIME_RUN_NOT_FOUND",
    "RUNTIME_SECRET_MISSING",
    "RUNTIME_TASK_FAILED",
    "RUNTIME_TASK_NOT_FOUND",
    "RUNTIME_UNSUPPORTED_SUB_TYPE",
    "TASK_AGENT_REFUSED",
    "TASK_BIND",
    "TASK_BLOCKED",
    "TASK_BUDGET",
    "TASK_CALLBACK",
    "TASK_CANCELLED",
    "TASK_CONVERTOR",
    "TASK_DENIED",
    "TASK_DEPENDENCY",
    "TASK_DISPATCH",
    "TASK_FAILED",
    "TASK_HALTED",
    "TASK_INVALID_INPUT",
    "TASK_NESTED",
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
    "unknown_reference",
    "unknown_output",
    "type_mismatch",
    "unknown_secret",
    "misplaced_secret",
    "run_policy",
    "budget",
    "unreadable",
    "unresolved",
    "patch_stale",
    "patch_region",
    "patch_boundary",
    "patch_protection",
    "patch_task",
    "task_repeated",
  ]);
});
