import { randomUUID } from "node:crypto";
import { answeredDetails } from "./answered-issues.ts";
import type { Logger } from "./telemetry/logger.ts";

/** What somebody on another machine may read of an error. */
export interface CallerError {
  /** HTTP status of the code. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Without names of files and folders; absent where nothing is left. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The status of HTTP for each code of the library that a caller on another machine can do something about. */
const statuses: Readonly<Record<number, readonly string[]>> = {
  400: [
    "PLANLOOM_OPTION",
    "PLANLOOM_INVALID_PLAN",
    "PLANLOOM_PLAN_ID",
    "PLAN_OPTION",
    "PLAN_INVALID",
    "PLAN_CYCLE",
    "PLAN_UNKNOWN_DEPENDENCY",
    "PLAN_DUPLICATE_TASK",
    "PLAN_REFERENCE_SYNTAX",
    "PLAN_DIALECT",
    "PLAN_PATCH_REFUSED",
    "PLANNER_OPTION",
    "PLANNER_INPUT_INVALID",
    "PLANNER_GOAL_EMPTY",
    "PLANNER_GOAL_TOO_LARGE",
    "PLANNER_ANSWER_INVALID",
    "PLANNER_CHOICE_INVALID",
    "PLANNER_RESOURCE_UNKNOWN",
    "PLANNER_REPLAN_INPUT",
    "RUNTIME_INVALID_PLAN",
    "RUNTIME_INVALID_OPTION",
    "RUNTIME_INVALID_ANSWER",
    "RUNTIME_INVALID_SIGNAL",
    "RUNTIME_SECRET_MISSING",
    "RUNTIME_UNSUPPORTED_SUB_TYPE",
    "OPTIMIZER_OPTION",
    "OPTIMIZER_CYCLE",
    "OPTIMIZER_INPUT",
  ],
  404: ["PLANLOOM_PLAN_NOT_FOUND", "PLANLOOM_SCHEDULE_NOT_FOUND", "RUNTIME_RUN_NOT_FOUND", "RUNTIME_TASK_NOT_FOUND"],
  409: [
    "PLANLOOM_PLAN_CONFLICT",
    "RUNTIME_RUN_EXISTS",
    "RUNTIME_RUN_LEASED",
    "RUNTIME_LEASE_LOST",
    "RUNTIME_NOT_RUNNING",
    "RUNTIME_RUN_ENDED",
    "RUNTIME_SIGNAL_CONFLICT",
    "RUNTIME_NOT_DUE",
    "RUNTIME_NOT_WAITING",
    "RUNTIME_NOT_YET_ASKED",
    "RUNTIME_ALREADY_DENIED",
    "RUNTIME_ALREADY_ANSWERED",
    "RUNTIME_QUESTION_CHANGED",
    "RUNTIME_REVISION_CONFLICT",
    "RUNTIME_REVISION_REFUSED",
  ],
  413: ["PLAN_TOO_LARGE"],
  422: [
    "PLANLOOM_OPEN_QUESTIONS",
    "PLANNER_OPEN_QUESTIONS",
    "PLANNER_NO_VALID_PLAN",
    "PLANNER_NO_VALID_STEP",
    "PLANNER_NO_VALID_REPLAN",
    "PLANNER_RESOURCES_EMPTY",
    "PLANNER_PROMPT_TOO_LARGE",
    "CONTROLLER_PROMPT_TOO_LARGE",
    "CONTROLLER_CONTEXT_EXCEEDED",
    "CONTROLLER_CONTENT_FILTER",
    "CONTROLLER_REFUSED",
  ],
  429: ["RUNTIME_QUEUE_FULL", "RUNTIME_SIGNALS_FULL"],
  502: [
    "CONTROLLER_UNREACHABLE",
    "CONTROLLER_STATUS",
    "CONTROLLER_AUTH",
    "CONTROLLER_QUOTA",
    "CONTROLLER_RATE_LIMIT",
    "CONTROLLER_MODEL_NOT_FOUND",
    "CONTROLLER_PROTOCOL",
    "CONTROLLER_UNREADABLE",
    "CONTROLLER_LENGTH",
    "CONTROLLER_RUNAWAY",
  ],
  503: ["PLANLOOM_CLOSED", "RUNTIME_JOURNAL_LOCKED", "RUNTIME_JOURNAL_TIMEOUT"],
  504: ["CONTROLLER_TIMEOUT", "PLANNER_TIMEOUT"],
};

const statusOfCode = new Map(
  Object.entries(statuses).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)] as const)),
);

/** HTTP status of an error's code; undefined where a caller can do nothing about the error. */
export function callerStatus(code: string): number | undefined {
  return statusOfCode.get(code);
}

/** Fields of `details` that name what is on the machine. */
const ofTheMachine: ReadonlySet<string> = new Set(["file", "folder", "journal"]);

/**
 * What a server may say of an error to a caller on another machine: an error that the caller can do something about keeps its code and text, without the
 * names of files and databases of the server. Linear in the text.
 * @param journals names of the journals of the server (`planloom.describe().journal.name`)
 * @returns undefined for any other error: that is for the log of the server alone
 */
export function callerError(error: unknown, journals: readonly string[] = []): CallerError | undefined {
  const { code, message, details } = (error ?? {}) as { code?: unknown; message?: unknown; details?: unknown };
  const status = typeof code === "string" ? callerStatus(code) : undefined;
  if (status === undefined) return undefined;
  const given = Object.entries(typeof details === "object" && details !== null ? details : {});
  const names = given.flatMap(([field, value]) =>
    ofTheMachine.has(field) && typeof value === "string" ? [value] : [],
  );
  const kept = given.filter(([field]) => !ofTheMachine.has(field));
  return {
    status,
    code: code as string,
    message: withoutNames(String(message), [...journals, ...names]),
    ...(kept.length > 0 && { details: answeredDetails(Object.fromEntries(kept)) }),
  };
}

function withoutNames(text: string, names: readonly string[]): string {
  let said = text;
  for (const name of names) {
    said = said.replaceAll(` (${name})`, "").replaceAll(` (${name}-wal)`, "").replaceAll(`${name}: `, "");
    // A short name as "memory" is a word like any other.
    if (/[/\\]/.test(name)) said = said.replaceAll(name, "it");
  }
  return said;
}

/** What `refusalFor` reads of an instance. */
interface ErrorSource {
  describe(): { readonly journal: { readonly name: string } };
  readonly logger: Logger | undefined;
}

/**
 * The code and the text that a caller on another machine gets for an error. Of an error that the caller can do nothing about the text has an id, under which
 * the log has the error.
 * @param log where such an error is written. @default the logger of the instance
 */
export function refusalFor(
  error: unknown,
  planloom: ErrorSource,
  log: Pick<Logger, "error"> | undefined = planloom.logger,
): Pick<CallerError, "code" | "message"> {
  const known = callerError(error, [planloom.describe().journal.name]);
  if (known !== undefined) return { code: known.code, message: known.message };
  const request_id = randomUUID();
  log?.error({ request_id, err: error }, "a request failed");
  const message = `The request failed for a reason that the caller cannot mend. The log of the server has it under ${request_id}.`;
  return { code: "SERVER_INTERNAL", message };
}
