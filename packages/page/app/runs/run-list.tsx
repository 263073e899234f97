import { useSignal, useSignalEffect } from "@preact/signals";
import { dateAndClock } from "../format.ts";
import { TokenWanted } from "../http-source.ts";
import { runStatusWords } from "../model/status.ts";
import { ListFilters } from "../shell/list-filters.tsx";
import type { RunRow } from "../source.ts";
import type { PageState } from "../state.ts";
import { StartForm } from "./start-form.tsx";

const runStatuses = [
  "running",
  "waiting_approval",
  "waiting",
  "completed",
  "failed",
  "cancelled",
  "interrupted",
  "drained",
  "shut_down",
];

/** The runs of the server's journal, newest first. */
export function RunList({ state }: { readonly state: PageState }) {
  const { source } = state;
  const text = useSignal("");
  const status = useSignal("");
  const rows = useSignal<readonly RunRow[] | undefined>(undefined);
  const next = useSignal<string | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);

  const load = async (cursor?: string) => {
    const filter = { text: text.value, status: status.value };
    try {
      const page = await source.server!.listRuns(cursor === undefined ? filter : { ...filter, cursor });
      if (filter.text !== text.value || filter.status !== status.value) return;
      rows.value = cursor === undefined ? page.runs : [...(rows.value ?? []), ...page.runs];
      next.value = page.next;
      error.value = undefined;
    } catch (reason) {
      if (reason instanceof TokenWanted) state.fail(reason);
      else error.value = reason instanceof Error ? reason.message : String(reason);
    }
  };
  useSignalEffect(() => {
    void load();
    const timer = setInterval(() => void (next.peek() === undefined && load()), 5_000);
    return () => clearInterval(timer);
  });

  return (
    <main class="runs">
      <header class="head">
        <h1>Runs</h1>
        <StartForm state={state} />
        <ListFilters
          of="runs"
          text={text}
          status={status}
          statuses={runStatuses.map((status) => ({ status, label: runStatusWords(status) }))}
        />
      </header>
      {[error.value, state.notice.value].map((message) =>
        message === undefined ? null : (
          <p key={message} class="error" role="alert">
            {message}
          </p>
        ),
      )}
      {rows.value?.length === 0 && <p class="muted">No run fits.</p>}
      <div class="table-box">
        <table>
          <thead>
            <tr>
              <th scope="col">Goal</th>
              <th scope="col">Status</th>
              <th scope="col" class="number">
                Tasks
              </th>
              <th scope="col">Started</th>
            </tr>
          </thead>
          <tbody>
            {rows.value?.map((run) => (
              <tr key={run.run_id}>
                <td>
                  <a href={`#/runs/${encodeURIComponent(run.run_id)}`}>{run.title === "" ? run.run_id : run.title}</a>
                </td>
                <td>
                  <span class={`status ${run.status}`}>{runStatusWords(run.status)}</span>
                </td>
                <td class="number">
                  {run.completed}/{run.tasks}
                  {run.failed > 0 && <span class="count failed"> {run.failed} failed</span>}
                </td>
                <td>{dateAndClock(run.created_at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {next.value !== undefined && (
        <button type="button" class="link" onClick={() => void load(next.value)}>
          Older runs
        </button>
      )}
    </main>
  );
}
