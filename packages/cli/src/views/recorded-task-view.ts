import type { ApprovalAnswer, WaitingCall } from "planloom";
import type { StoredRun, TaskRecord, TaskStatusView, TaskWait } from "planloom/runtime";
import { errorText } from "../options/option-places.ts";
import { count, duration, elementsText, plainLine, type Style } from "../terminal/style.ts";
import { isRecord, renderValue } from "../terminal/table.ts";
import { answerView } from "./answer-view.ts";
import { errorTraceLines } from "./error-trace-view.ts";
import { statusWord } from "./results-view.ts";

/** What the journal has of a run, apart from its outputs as a whole. */
export interface RecordedRun {
  readonly run: StoredRun;
  /** For a run that is recorded as running it says whether its process is still alive. */
  readonly status: string;
  readonly records: ReadonlyMap<string, TaskRecord>;
  /** What people are asked, with the answers that the run has not gone on with. */
  readonly waiting: readonly WaitingCall[];
  readonly answers: readonly ApprovalAnswer[];
  /** Calls that were begun and have no end. */
  readonly begun: readonly BegunCall[];
  /** How many elements of its list have ended, by task. */
  readonly elements: ReadonlyMap<string, NonNullable<TaskStatusView["elements"]>>;
  /** The times and signals that tasks wait for, by task. */
  readonly asleep: ReadonlyMap<string, readonly TaskWait[]>;
}

interface BegunCall {
  readonly at: string;
  /** The ids of the tasks that the one of the call is in. */
  readonly path: readonly string[];
  readonly task_id: string;
}

type PlannedTask = StoredRun["plan"]["planned_tasks"][number];

/** Answers shown of a task. */
const MAX_ANSWERS = 5;

/** One task of a recorded run: what became of it, its error, the answers of people about it, and its output. */
export function recordedTaskView(recorded: RecordedRun, task: PlannedTask, style: Style): string {
  const record = recorded.records.get(task.task_id);
  const isGiven = isGivenByPlan(task, record);
  const lines = [headOf(recorded, task, style), record === undefined ? "" : errorOf(recorded, record, style)];
  lines.push(answersAbout(recorded, task.task_id, style));
  if (endOf(task, record) === "completed")
    lines.push(`${renderValue(isGiven ? task.output : record?.output, style, 4)}\n`);
  return lines.join("");
}

/** What the plan has as completed has no record: the run does not call it. */
const isGivenByPlan = (task: PlannedTask, record: TaskRecord | undefined): boolean =>
  record === undefined && task.status === "completed";

const endOf = (task: PlannedTask, record: TaskRecord | undefined): TaskRecord["status"] | "pending" =>
  isGivenByPlan(task, record) ? "completed" : (record?.status ?? "pending");

const colours: Readonly<Record<string, "green" | "red">> = { completed: "green", failed: "red" };

function headOf(recorded: RecordedRun, task: PlannedTask, style: Style): string {
  const record = recorded.records.get(task.task_id);
  const counts = recorded.elements.get(task.task_id);
  const attempts = record?.attempts ?? 0;
  const time = attempts === 0 ? "" : `  ${duration(record?.duration_ms ?? 0)}`;
  const tries = attempts > 1 ? ` in ${count(attempts, "attempt")}` : "";
  const list = counts === undefined ? "" : `  ${elementsText(counts)}`;
  const name = style.paint("bold", plainLine(task.task_id));
  const word = style.paint(colours[endOf(task, record)] ?? "yellow", wordOf(recorded, task));
  return `  ${name}  ${word}${style.paint("dim", time + tries + list)}\n`;
}

/** In a few words: what became of the task. */
function wordOf(recorded: RecordedRun, task: PlannedTask): string {
  const { task_id } = task;
  const record = recorded.records.get(task_id);
  const call = begunCallOf(recorded, task_id);
  if (call !== undefined) return begunWord(call, recorded);
  if (isAnswered(recorded, task_id)) return "answered, not gone on with yet";
  if (record === undefined && recorded.elements.has(task_id)) return "begun";
  if (isGivenByPlan(task, record)) return "completed in the plan, not called";
  return statusWord(record === undefined && recorded.asleep.has(task_id) ? "waiting" : endOf(task, record));
}

/** The newest call in the task that was begun and has no end. */
const begunCallOf = ({ begun }: RecordedRun, taskId: string): BegunCall | undefined =>
  begun.findLast((call) => (call.path[0] ?? call.task_id) === taskId);

function begunWord({ at, path, task_id }: BegunCall, { status, run }: RecordedRun): string {
  const inner = path.length === 0 ? "" : ` (${[...path, task_id].map(plainLine).join("/")})`;
  if (status === "running") return `begun at ${plainLine(at)}${inner}, not ended yet`;
  const { on_unknown = "ask" } = run.options;
  const next = { ask: "resume asks", retry: "resume makes it again", fail: "resume fails its task" }[on_unknown];
  return `begun at ${plainLine(at)}${inner}, outcome unknown; ${next}`;
}

/** Whether the task waits, and all that it waits for has been answered. */
function isAnswered({ waiting }: RecordedRun, taskId: string): boolean {
  const own = waiting.filter(({ id }) => isAbout(id, taskId));
  return own.length > 0 && own.every(({ answer }) => answer !== undefined);
}

function errorOf(recorded: RecordedRun, record: TaskRecord, style: Style): string {
  if (record.error === undefined) return "";
  const trace = errorTraceLines(record.error).map((line) => style.paint("dim", `      ${plainLine(line)}\n`));
  const isOpen = begunCallOf(recorded, record.task_id) !== undefined;
  const doubted = isOpen || record.status !== "failed" ? undefined : doubtedCall(record);
  const doubt = doubted === undefined ? "" : `    ${begunWord(doubted, recorded)}\n`;
  return `    ${plainLine(errorText(record.error))}\n${trace.join("")}${doubt}`;
}

/** The call of a task that failed since it was stopped, which may have had its effect. */
function doubtedCall({ task_id, error }: TaskRecord): BegunCall | undefined {
  const begun = error?.details?.begun;
  return isRecord(begun) && typeof begun.at === "string" ? { at: begun.at, path: [], task_id } : undefined;
}

/** Who said what about a task and what is in it; the answers to all but the first calls of a list are counted. */
function answersAbout({ answers, waiting }: RecordedRun, taskId: string, style: Style): string {
  // Those that the run has not read yet are shown with their questions.
  const unread = new Set(waiting.flatMap(({ answer }) => (answer === undefined ? [] : [keyOf(answer)])));
  const read = answers.filter((answer) => isAbout(answer.task_id, taskId) && !unread.has(keyOf(answer)));
  const lines = read.slice(0, MAX_ANSWERS).map((answer) => {
    const within = answer.task_id === taskId ? "" : `    ${plainLine(answer.task_id)}\n`;
    return within + answerView(answer, style);
  });
  const rest = read.length - lines.length;
  if (rest > 0) lines.push(style.paint("dim", `    … and ${count(rest, "more answer")} (--json has them all)\n`));
  return lines.join("");
}

const keyOf = ({ task_id, content_hash, answered_at }: ApprovalAnswer) =>
  JSON.stringify([task_id, content_hash, answered_at]);

/** Whether a question with this id is about the task or about what is in it. */
const isAbout = (id: string, taskId: string) =>
  id === taskId || id === `${taskId}#begun` || id.startsWith(`${taskId}/`) || id.startsWith(`${taskId}[`);
