import type { WaitingCall } from "planloom";
import { planTitle } from "planloom/plan";
import type { StoredRun, TaskWait } from "planloom/runtime";
import { duration, plainLine, type Style } from "../terminal/style.ts";
import { waitText } from "../terminal/wait-text.ts";
import { answerView } from "./answer-view.ts";
import { askedView } from "./asked-view.ts";
import { headline, section } from "./heading.ts";
import { type RecordedRun, recordedTaskView } from "./recorded-task-view.ts";
import { predictionLine, worthShowing } from "./results-view.ts";
import { timeline } from "./timeline.ts";

/** Tasks shown of a run. */
const MAX_TASKS = 60;

/** The run as a whole: its status, what that means, and when its tasks ran. */
export function recordedRunHead({ run, status, records }: RecordedRun, style: Style): string {
  const meaning = statusMeanings[status];
  return [
    headline(planTitle(run.plan), style),
    section("Run", `${run.run_id} · ${status} · started ${run.created_at}`, style),
    meaning === undefined ? "" : style.paint("dim", `  ${meaning}\n`),
    style.paint("dim", recordedPrediction(run)),
    timeline(run.plan, records, style),
  ].join("");
}

/** Of statuses whose word does not say what becomes of the run. */
const statusMeanings: Readonly<Record<string, string>> = {
  interrupted: "Its process is gone. It can be resumed.",
  waiting: "It continues when a time or a signal has come: `resume --due`, `scheduler`.",
  drained: "It was drained: running calls ended, and nothing more was started. It can be resumed.",
  shut_down: "Its program shut down while it ran. It can be resumed.",
  cancelled: "It was cancelled by a person. It continues only if it is resumed explicitly.",
};

/** What the subgraphs of the run were predicted to take when it was begun, and what the newest session took. */
function recordedPrediction({ options: { dispatch }, certificate }: StoredRun): string {
  if (dispatch?.predicted === undefined) return "";
  const { predicted, subgraphs, dispatcher } = dispatch;
  const took = certificate === undefined ? "" : `  ${duration(certificate.achieved_ms)} achieved\n`;
  return predictionLine({ ...predicted, dispatches: subgraphs.length, dispatcher }) + took;
}

/** The tasks in plan order; of many, those that did not complete come before others. */
export function recordedTasksView(recorded: RecordedRun, style: Style): string {
  const { run, records } = recorded;
  const tasks = run.plan.planned_tasks;
  const shown = worthShowing(tasks, ({ task_id }) => records.get(task_id)?.status, MAX_TASKS);
  const views = shown.map((task) => recordedTaskView(recorded, task, style));
  const rest = tasks.length - shown.length;
  if (rest > 0) views.push(style.paint("dim", `  … and ${rest} more tasks (--json has them all)\n`));
  return section("Tasks", "", style) + views.join("");
}

/**
 * What the run waits for: times, signals and people.
 * @param signalled ids of the waits whose signal has come, though the run has not gone on with it
 */
export function recordedWaitsView(recorded: RecordedRun, signalled: ReadonlySet<string>, style: Style): string {
  const { status, waiting, asleep } = recorded;
  const heard = status === "running" ? "the run will get it" : "resume continues with it";
  const waitLine = (wait: TaskWait) => {
    const come = signalled.has(wait.id) ? `; its signal has come, ${heard}` : "";
    return `  ${style.paint("bold", plainLine(wait.id))}  ${plainLine(waitText(wait))}${come}\n`;
  };
  const listed = <Item>(title: string, about: string, items: readonly Item[], line: (item: Item) => string) =>
    items.length === 0 ? "" : section(title, about, style) + items.map(line).join("");
  const questionOf = (call: WaitingCall) => questionView(call, style);
  const open = waiting.filter(({ answer }) => answer === undefined);
  const closed = waiting.filter(({ answer }) => answer !== undefined);
  return [
    listed("Waiting", "for a time or a signal", [...asleep.values()].flat(), waitLine),
    listed("Waiting", "for approval", open, questionOf),
    listed("Answered", heard, closed, questionOf),
  ].join("");
}

function questionView(call: WaitingCall, style: Style): string {
  const { id, uid = "", answer } = call;
  const head = `  ${style.paint("bold", plainLine(id))}  ${style.paint("dim", plainLine(uid))}\n`;
  // The input that was asked about is not the one that is executed if a person has edited it.
  const { input: _, ...rest } = call;
  return (
    head +
    askedView(answer?.input === undefined ? call : rest, style) +
    (answer === undefined ? "" : answerView(answer, style))
  );
}
