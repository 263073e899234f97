import { useSignal, useSignalEffect } from "@preact/signals";
import { dateAndClock, duration } from "../format.ts";
import { TokenWanted } from "../http-source.ts";
import { runStatusWords, statuses, statusNumber, statusWords } from "../model/status.ts";
import { PlanDiffView } from "../shell/plan-diff.tsx";
import { StatusMark } from "../shell/status-mark.tsx";
import type { ComparedRun, PageSource } from "../source.ts";
import type { PageState } from "../state.ts";

type PlanDiff = Awaited<ReturnType<NonNullable<PageSource["server"]>["diff"]>>;

/** How often runs that are in progress are looked at again, in milliseconds. */
const againMs = 2_000;
const maxRows = 500;

/** The newest runs of one plan side by side: a row for each task, a column for each run; below, what differs between the plans of two neighbours. */
export function PlanRuns({ planId, state }: { readonly planId: string; readonly state: PageState }) {
  const server = state.source.server!;
  const runs = useSignal<readonly ComparedRun[] | undefined>(undefined);
  const diff = useSignal<{ readonly of: string; readonly value: PlanDiff } | undefined>(undefined);
  useSignalEffect(() => {
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async () => {
      try {
        runs.value = await server.runsOf(planId, left.signal);
        if (runs.value.some(({ status }) => status === "running")) timer = setTimeout(() => void load(), againMs);
      } catch (error) {
        if (left.signal.aborted) return;
        if (error instanceof TokenWanted) state.wantsToken.value = error.message;
        else state.notice.value = error instanceof Error ? error.message : String(error);
      }
    };
    void load();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  });
  const shown = runs.value ?? [];
  const tasks = tasksOf(shown);
  const compare = (older: ComparedRun, newer: ComparedRun) =>
    state.attempt(async () => {
      diff.value = { of: newer.run_id, value: await server.diff(older.run_id, newer.run_id) };
    });
  return (
    <main class="runs">
      <header class="head">
        <div class="head-title">
          <a class="back" href="#/" aria-label="All runs">
            ←
          </a>
          <h1>{shown[0]?.title || planId}</h1>
        </div>
        <p class="facts">
          The newest runs of <a href={`#/plans/${encodeURIComponent(planId)}`}>this plan</a>, the newest first.
        </p>
      </header>
      {state.notice.value !== undefined && (
        <p class="error" role="alert">
          {state.notice.value}
        </p>
      )}
      {runs.value?.length === 0 && <p class="muted">The plan has not been run yet.</p>}
      {shown.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
        <section class="table-box" tabIndex={0} aria-label="Runs of the plan">
          <table class="grid">
            <thead>
              <tr>
                <th scope="col">Task</th>
                {shown.map((run, at) => (
                  <th key={run.run_id} scope="col">
                    <a href={`#/runs/${encodeURIComponent(run.run_id)}`}>{dateAndClock(run.created_at)}</a>
                    <span class={`status ${run.status}`}>{runStatusWords(run.status)}</span>
                    {shown[at + 1] !== undefined && (
                      <button type="button" class="link" onClick={() => void compare(shown[at + 1]!, run)}>
                        what changed
                      </button>
                    )}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {tasks.slice(0, maxRows).map(({ id, title }) => (
                <tr key={id}>
                  <th scope="row">{title}</th>
                  {shown.map((run) => (
                    <Cell key={run.run_id} task={run.tasks.find(({ task_id }) => task_id === id)} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {tasks.length > maxRows && <p class="muted">and {tasks.length - maxRows} more tasks</p>}
      {diff.value !== undefined && (
        <section class="section" aria-label="What changed in the plan">
          <h2>
            What changed in the plan until{" "}
            {dateAndClock(shown.find(({ run_id }) => run_id === diff.value?.of)?.created_at ?? "")}
          </h2>
          <PlanDiffView diff={diff.value.value} name={(id) => <code>{id}</code>} />
        </section>
      )}
    </main>
  );
}

function Cell({ task }: { readonly task: ComparedRun["tasks"][number] | undefined }) {
  if (task === undefined) return <td class="muted">–</td>;
  const status = statuses[statusNumber(task.status)]!;
  return (
    <td title={task.error?.message ?? statusWords[status]}>
      <StatusMark status={status} /> {task.duration_ms === undefined ? statusWords[status] : duration(task.duration_ms)}
    </td>
  );
}

/** The tasks of all runs: those of the newest in its order, then those that older ones had. */
function tasksOf(runs: readonly ComparedRun[]): { readonly id: string; readonly title: string }[] {
  const titles = new Map<string, string>();
  for (const { tasks } of runs)
    for (const { task_id, title } of tasks) if (!titles.has(task_id)) titles.set(task_id, title || task_id);
  return [...titles].map(([id, title]) => ({ id, title }));
}
