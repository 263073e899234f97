import { isRecord, TaskData } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { isAlreadyParsed } from "../parsed-plan.ts";
import type { StoredOptions, StoredRun } from "./journal.ts";

/**
 * Whoever goes on with a run, replays or verifies it may rely on what it reads: a journal may be damaged, or come from elsewhere.
 * @throws RuntimeError JOURNAL_CORRUPT for a plan or options that no run was begun with
 */
export function checkStoredRun({ run_id, plan, options }: StoredRun, journal: string): void {
  const wrong = wrongInPlan(plan) ?? wrongInOptions(options);
  if (wrong === undefined) return;
  throw new RuntimeError(
    RuntimeErrorCode.JOURNAL_CORRUPT,
    `The journal ${journal} is damaged: ${wrong} of run "${run_id}" is not valid. Restore the journal from a copy, or start the run again.`,
    { details: { run_id, problems: [] } },
  );
}

function wrongInPlan(plan: StoredRun["plan"]): string | undefined {
  if (isAlreadyParsed(plan)) return undefined;
  const issue = TaskData.safeParse(plan).error?.issues[0];
  return issue && `the plan (${issue.path.join(".")}: ${issue.message})`;
}

function wrongInOptions(options: StoredOptions): string | undefined {
  const values: Readonly<Record<string, unknown>> = { ...options };
  const name = Object.keys(checks).find((key) => !checks[key as keyof StoredOptions]?.(values[key]));
  return name && `the option ${name}`;
}

const isNumber = (value: unknown) => typeof value === "number";
const isText = (value: unknown) => typeof value === "string";
const isPositive = (value: unknown) => typeof value === "number" && value > 0;
const isPositiveOrNull = (value: unknown) => value === null || isPositive(value);
const isListOf = (element: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(element);
const isRecordOf = (element: (value: unknown) => boolean) => (value: unknown) =>
  isRecord(value) && Object.values(value).every(element);
const optional = (check: (value: unknown) => boolean) => (value: unknown) => value === undefined || check(value);
const isSubgraph = (value: unknown) =>
  isRecord(value) &&
  isText(value.subgraph_id) &&
  isListOf(isText)(value.task_ids) &&
  isListOf(isText)(value.dependencies);

/** What holds for each option of every run that was ever stored. */
const checks: { readonly [Name in keyof StoredOptions]-?: (value: unknown) => boolean } = {
  concurrency: isPositiveOrNull,
  limits: (value) => isRecord(value) && isRecordOf(isNumber)(value.kinds) && isRecordOf(isNumber)(value.resources),
  task_timeout_ms: isPositiveOrNull,
  retry: (value) => value === null || isRecord(value),
  on_failure: (value) => value === "continue" || value === "halt",
  on_unknown: optional(isText),
  budgets: optional(isRecord),
  guards: optional(isRecord),
  rates: optional(isRecordOf(isRecord)),
  tenant: optional(isText),
  max_repeats: optional(isNumber),
  total_timeout_ms: optional(isPositive),
  max_task_timeout_ms: optional(isPositiveOrNull),
  max_attempts: optional(isPositiveOrNull),
  idle_timeout_ms: optional(isPositive),
  retry_on: optional((value) => Array.isArray(value) || isRecord(value)),
  subgraphs: optional(isListOf(isSubgraph)),
  dispatch: optional((value) => isRecord(value) && isText(value.dispatcher) && isListOf(isSubgraph)(value.subgraphs)),
  approval_resources: optional(isListOf(isText)),
  approval_allow: optional(isListOf(isText)),
  confirm: optional(isText),
  approval_expires_after_ms: optional(isPositive),
  replan: optional(isRecord),
  resource_fingerprints: optional(isRecordOf(isText)),
  variables: isRecord,
  input: () => true,
  metadata: optional(isRecord),
};
