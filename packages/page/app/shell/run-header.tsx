import type { PageData, PageRun } from "../../src/page-data.ts";
import { isAsked } from "../edit/is-asked.ts";
import { PlanBar } from "../edit/plan-bar.tsx";
import { count, dateAndClock, duration } from "../format.ts";
import { runName } from "../model/run-name.ts";
import {
  asked,
  completed,
  countWords,
  failed,
  openRunStatuses,
  running,
  runStatusWords,
  statuses,
  waiting,
} from "../model/status.ts";
import type { PageState } from "../state.ts";

/** What the plan or run is, how far it is, how near to the best possible it came, and what can be done with it. */
export function RunHeader({ state }: { readonly state: PageState }) {
  const data = state.data.value;
  void state.version.value;
  if (data === undefined) return null;
  const { plan, run } = data;
  const counts = state.counts.value;
  return (
    <header class="head">
      <div class="head-title">
        {state.source.server !== undefined && (
          <a class="back" href="#/" aria-label="All runs">
            ←
          </a>
        )}
        <h1>{run === undefined ? plan.title : runName({ ...run, title: plan.title, plan_id: plan.id })}</h1>
        {run !== undefined && <span class={`status ${run.status}`}>{runStatusWords(run.status)}</span>}
      </div>
      <p class="facts">
        {run === undefined ? (
          <span class="muted">A plan of {count(plan.tasks.length, "task")}, not executed.</span>
        ) : (
          <>
            <strong>
              {counts[completed]!.toLocaleString("en")} of {plan.tasks.length.toLocaleString("en")}
            </strong>{" "}
            completed
            {[running, waiting, asked, failed].map((status) =>
              counts[status] === 0 ? null : (
                <span key={status}>
                  {" "}
                  · <span class={`count ${statuses[status]}`}>{counts[status]}</span> {countWords[statuses[status]!]}
                </span>
              ),
            )}
            <ChangedInputs run={run} />
            <Bound state={state} />
            <Predicted run={run} subgraphs={plan.subgraphs.length} />
            <span class="muted"> · {dateAndClock(run.created_at)} · </span>
            <code class="muted">{run.run_id}</code>
          </>
        )}
      </p>
      <Notes data={data} state={state} />
      {run !== undefined && <Progress counts={counts} total={plan.tasks.length} />}
      {state.source.server !== undefined && (
        <p class="actions">
          {run !== undefined && openRunStatuses.has(run.status) && (
            <button type="button" onClick={() => void state.act({ kind: "cancel" })}>
              Cancel
            </button>
          )}
          {run !== undefined && continues(run) !== undefined && (
            <button type="button" onClick={() => void state.act({ kind: "resume" })}>
              {continues(run)}
            </button>
          )}
          <a href={`#/plans/${encodeURIComponent(plan.id)}/runs`}>
            {run === undefined ? "Runs of this plan" : "Beside other runs of this plan"}
          </a>
        </p>
      )}
      <PlanBar state={state} />
      {state.notice.value !== undefined && (
        <p class="error" role="alert">
          {state.notice.value}
        </p>
      )}
    </header>
  );
}

const mostNotes = 5;

/** What the planner noted, such as parts of the goal that it left open: a completed run of half a goal is not the whole. */
function Notes({ data, state }: { readonly data: PageData; readonly state: PageState }) {
  const { plan, draft } = data;
  const notes = plan.notes.filter((note) => !isAsked(note, draft?.questions ?? []));
  if (notes.length === 0) return null;
  return (
    <ul class="plain notes" aria-label="Notes of the planner">
      {notes.slice(0, mostNotes).map(({ message, task_id, code, argument_path }) => (
        <li key={`${code}/${task_id}/${argument_path}/${message}`}>
          {task_id === undefined ? (
            message
          ) : (
            <button type="button" class="link" onClick={() => state.select(state.numberOf(task_id))}>
              {message}
            </button>
          )}
        </li>
      ))}
      {notes.length > mostNotes && <li class="muted">and {count(notes.length - mostNotes, "more note")}</li>}
    </ul>
  );
}

/** What the button is called by which a run that has stopped goes on; undefined where nothing is left to do. Completed tasks are not run again. */
function continues({ status, resumable }: NonNullable<PageData["run"]>): string | undefined {
  if (resumable || status === "cancelled") return "Resume";
  return status === "failed" || status === "budget" ? "Retry what failed" : undefined;
}

/** Titles say what was planned; of tasks that a person approved with another input this says so beside them. */
function ChangedInputs({ run }: { readonly run: PageRun }) {
  const changed = run.states.filter(({ input_changed }) => input_changed === true).length;
  if (changed === 0) return null;
  return <> · {count(changed, "task")} with an input changed by a person</>;
}

/** How near to the best possible the run came, and what no schedule could have helped. */
function Bound({ state }: { readonly state: PageState }) {
  const run = state.data.value?.run;
  const certificate = run?.certificate;
  // Of a run that is not at its end the figures say nothing yet.
  if (run === undefined || certificate === undefined || openRunStatuses.has(run.status)) return null;
  const { achieved_ms: achieved, lower_bound_ms: bound, ratio, waits } = certificate;
  const isOneOfSeveral = run.events.filter(({ type }) => type === "run-start").length > 1;
  const reasons = [
    [waits?.approval_ms, "approvals"],
    [waits?.retry_ms, "retries"],
    [waits?.limit_ms, "limits"],
  ].flatMap(([ms, what]) => (typeof ms === "number" && ms >= 1 ? [`${duration(ms)} for ${what}`] : []));
  return (
    <span title="No schedule can be faster with these durations and limits.">
      {" "}
      · {isOneOfSeveral && "in its last session "}
      {duration(achieved)}, best possible {duration(bound)} ({ratio.toFixed(2)}×)
      {reasons.length > 0 && `, tasks waited ${reasons.join(", ")}`}
    </span>
  );
}

/** What its subgraphs were predicted to take, and what one dispatch for each task was. */
function Predicted({ run: { predicted }, subgraphs }: { readonly run: PageRun; readonly subgraphs: number }) {
  if (predicted === undefined) return null;
  return (
    <span class="muted">
      {" "}
      · predicted {duration(predicted.predicted_ms)} in {count(subgraphs, "subgraph")},{" "}
      {duration(predicted.per_task_ms)} with one dispatch for each task
    </span>
  );
}

function Progress({ counts, total }: { readonly counts: Uint32Array; readonly total: number }) {
  const words = statuses.flatMap((status, number) =>
    counts[number] === 0 ? [] : [`${counts[number]} ${countWords[status]}`],
  );
  return (
    <div class="progress" role="img" aria-label={words.join(", ")}>
      {[completed, failed, asked, waiting, running].map((status) => (
        <span
          key={status}
          class={statuses[status]!}
          style={{ width: `${(100 * counts[status]!) / Math.max(1, total)}%` }}
        />
      ))}
    </div>
  );
}
