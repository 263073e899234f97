import { type OptionChecks, validateValue } from "@planloom/plan";
import { checkOptions, ofJournal } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { invalid } from "../invalid-option.ts";
import type { ApprovalAnswer, Journal } from "../journal/journal.ts";
import type { WaitingCall } from "../journal/waiting-call.ts";
import { jsonCopy } from "../json-copy.ts";
import { answeredRuns, waitingFor } from "./approvals.ts";
import { refuseBegun } from "./begun-answer.ts";
import { refuseDenied, refuseOtherQuestion, refuseUndoing } from "./given-answers.ts";
import { keepAnswers } from "./keep-answers.ts";

export interface SupplyOptions {
  readonly journal: Journal;
  /** The name or the account of the person who answers. It is kept with the answer. */
  readonly by?: string;
  /** The reason. It is kept with the answer. */
  readonly note?: string;
  /** Limit for one call of the journal, in milliseconds. @default 30_000 */
  readonly journalTimeoutMs?: number | undefined;
  /** As in `AnswerOptions`. */
  readonly contentHash?: string | undefined;
  /** Whether this output may replace another one that was supplied before. @default false */
  readonly replace?: boolean;
}

const checks = {
  ...ofJournal,
  by: "name",
  note: "text",
  contentHash: "text",
  replace: "boolean",
} as const satisfies OptionChecks<SupplyOptions>;

/**
 * Supplies the output of a call whose outcome is unknown (`WaitingCall.begun_at`) and that was carried out: its task is completed with
 * `output` when the run continues. To make the call again, `approve` it; to skip the task, `deny` it.
 * @param runId the run's whole id.
 * @param taskId the task's id, or the id of what waits in it (`waitingFor`).
 * @param output any JSON value.
 * @throws RuntimeError RUN_NOT_FOUND; NOT_WAITING where no such call waits; NOT_YET_ASKED where the run was not resumed since the call was begun; ALREADY_DENIED where a person said no; ALREADY_ANSWERED where
 *   another output was supplied (`replace`); QUESTION_CHANGED (`contentHash`); INVALID_OPTION for an output that is not JSON, or that the
 *   output schema of the resource refuses (`details.issues`)
 */
export async function supplyOutput(
  runId: string,
  taskId: string,
  output: unknown,
  options: SupplyOptions,
): Promise<ApprovalAnswer> {
  checkOptions("`supplyOutput`", options, checks);
  const { note, by, replace = false } = options;
  if (typeof replace !== "boolean") throw invalid("replace", "true or false", replace);
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const given = readOutput(output);
  const calls = (await waitingFor(runId, { journal })).filter(({ begun_at }) => begun_at !== undefined);
  const call = calls.find(({ id }) => id === taskId || id === `${taskId}#begun`);
  if (call === undefined) {
    await refuseBegun(runId, taskId, await journal.getTasks(runId, { outputs: "small" }), journal);
    const known = calls.map(({ id }) => id);
    const others = known.length === 0 ? "No call of the run does." : `These do: ${known.slice(0, 5).join(", ")}.`;
    const message = `Task "${taskId}" of run ${runId} does not wait for an answer whether its call was carried out. ${others}`;
    throw new RuntimeError(RuntimeErrorCode.NOT_WAITING, message, { details: { run_id: runId, task_id: taskId } });
  }
  refuseOtherQuestion(runId, [call], options.contentHash);
  refuseUnfit(given, call);
  const answer: ApprovalAnswer = {
    task_id: call.id,
    content_hash: call.content_hash,
    answer: "approve",
    output: given,
    answered_at: new Date().toISOString(),
    ...(call.uid !== undefined && { uid: call.uid }),
    ...(by !== undefined && { by }),
    ...(note !== undefined && { note }),
  };
  await keepAnswers(runId, journal, (before) => {
    refuseDenied(runId, [call], before);
    if (!replace) refuseUndoing(runId, [call], [answer], before);
    return [answer];
  });
  answeredRuns.find(journal, runId)?.(answer);
  return answer;
}

/** An output that the tool itself could not have given is a slip of the person who types it. */
function refuseUnfit(output: unknown, { uid = "", output_schema }: WaitingCall): void {
  if (output_schema === undefined) return;
  const issues = validateValue(output, output_schema, { what: "the output" }).filter(
    ({ severity }) => severity === "error",
  );
  const [first] = issues;
  if (first === undefined) return;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  throw new RuntimeError(
    RuntimeErrorCode.INVALID_OPTION,
    `Expected \`output\` to fit the output schema of "${uid}": ${first.message}${more}`,
    { details: { option: "output", uid, issues: issues.slice(0, maxIssues) } },
  );
}

/** Issues of one output that an error lists. */
const maxIssues = 20;

function readOutput(output: unknown): unknown {
  try {
    return jsonCopy(output, { maxBytes: Number.POSITIVE_INFINITY }).value ?? null;
  } catch (error) {
    throw invalid("output", `JSON (${error instanceof Error ? error.message : "it cannot be read"})`, output);
  }
}
