import { dateAndClock } from "../format.ts";
import { runName } from "../model/run-name.ts";
import { runStatusWords } from "../model/status.ts";
import type { PageState } from "../state.ts";
import { ListPage } from "./list-page.tsx";
import { usePages } from "./use-pages.ts";

const runStatuses = [
  "running",
  "waiting_approval",
  "waiting",
  "completed",
  "failed",
  "denied",
  "budget",
  "round_limit",
  "stalled",
  "cancelled",
  "interrupted",
  "drained",
  "shut_down",
].map((status) => ({ status, label: runStatusWords(status) }));

const columns = [{ name: "Goal" }, { name: "Status" }, { name: "Tasks", isNumber: true }, { name: "Started" }];

/** The runs of the server's journal, newest first. */
export function RunList({ state }: { readonly state: PageState }) {
  const pages = usePages(state, async (filter) => {
    const { runs, next } = await state.source.server!.listRuns(filter);
    return { rows: runs, next };
  });
  const empty = "There are no runs yet. Say above what is to be done.";
  return (
    <ListPage state={state} of="runs" statuses={runStatuses} pages={pages} columns={columns} empty={empty}>
      {pages.rows.value?.map((run) => (
        <tr key={run.run_id}>
          <td>
            <a href={`#/runs/${encodeURIComponent(run.run_id)}`}>{runName(run)}</a>
          </td>
          <td>
            <span class={`status ${run.status}`}>{runStatusWords(run.status)}</span>
          </td>
          <td class="number">
            {run.completed.toLocaleString("en")}/{run.tasks.toLocaleString("en")}
            {run.failed > 0 && <span class="count failed"> {run.failed.toLocaleString("en")} failed</span>}
          </td>
          <td>{dateAndClock(run.created_at)}</td>
        </tr>
      ))}
    </ListPage>
  );
}
