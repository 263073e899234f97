import { expectedInstead, isRecord } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { OptionRow } from "../options/option-row.ts";
import { runOptionTable, type StoredName, storedNames } from "../options/run-option-table.ts";
import { unkept } from "../options/unkept.ts";
import { checkStoredPlan, isAlreadyParsed } from "../parsed-plan.ts";
import type { StoredOptions, StoredRun } from "./journal.ts";

/**
 * Checks a run that was read from a journal, which may be damaged or come from elsewhere, so that resuming, replaying and verifying may rely on it.
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
  const issue = checkStoredPlan(plan);
  return issue && `the plan (${issue.path.join(".")}: ${issue.message})`;
}

function wrongInOptions(options: StoredOptions): string | undefined {
  const values: Readonly<Record<string, unknown>> = { ...options };
  const wrong = storedNames.find((name) => !isKeptOption(runOptionTable[name], values[runOptionTable[name].stored]));
  const name =
    wrong === undefined
      ? Object.keys(ownForms).find((key) => !ownForms[key as OwnForm](values[key]))
      : runOptionTable[wrong].stored;
  return name && `the option ${name}`;
}

/** Whether a field can be what `storedFields` made of the option: a value that its row accepts, `null` for no limit, or nothing. */
function isKeptOption(row: OptionRow, field: unknown): boolean {
  if (field === undefined) return row.storedAlways !== true;
  if (field !== null) return expectedInstead(row.check, field) === undefined;
  return row.default === undefined || unkept(row, null) !== undefined;
}

const isNumber = (value: unknown) => typeof value === "number";
const isText = (value: unknown) => typeof value === "string";
const isPositive = (value: unknown) => typeof value === "number" && value > 0;
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

/** Fields that are kept in a form of their own. */
type OwnForm = Exclude<keyof StoredOptions, (typeof runOptionTable)[StoredName]["stored"]>;

/** What holds for each of them in every run that was ever stored. */
const ownForms: { readonly [Name in OwnForm]: (value: unknown) => boolean } = {
  limits: (value) => isRecord(value) && isRecordOf(isNumber)(value.kinds) && isRecordOf(isNumber)(value.resources),
  task_timeout_given: optional((value) => value === true),
  budgets: optional(isRecord),
  guards: optional(isRecord),
  rates: optional(isRecordOf(isRecord)),
  tenant: optional(isText),
  deadline: optional(isText),
  subgraphs: optional(isListOf(isSubgraph)),
  dispatch: optional(
    (value) =>
      isRecord(value) &&
      isText(value.dispatcher) &&
      isListOf(isSubgraph)(value.subgraphs) &&
      optional(isRecord)(value.adaptive),
  ),
  approval_resources: optional(isListOf(isText)),
  approval_allow: optional(isListOf(isText)),
  confirm: optional(isText),
  approval_expires_after_ms: optional(isPositive),
  replan: optional(isRecord),
  resource_fingerprints: optional(isRecordOf(isText)),
  variables: isRecord,
  input: () => true,
  metadata: optional(isRecord),
  trace: optional(isRecordOf(isText)),
};
