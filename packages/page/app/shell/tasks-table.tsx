import { useSignal } from "@preact/signals";
import { duration } from "../format.ts";
import { statuses, statusWords } from "../model/status.ts";
import { taskTitle } from "../model/task-title.ts";
import type { PageState } from "../state.ts";
import { ListFilters } from "./list-filters.tsx";
import { StatusMark } from "./status-mark.tsx";

const pageSize = 200;

/** The tasks as a table: what the graph says, in words. */
export function TasksTable({ state }: { readonly state: PageState }) {
  void state.version.value;
  const text = useSignal("");
  const status = useSignal("");
  const shown = useSignal(pageSize);
  const data = state.data.value;
  if (data === undefined) return null;
  const records = new Map(data.run?.records.map((record) => [record.task_id, record]));
  const wanted = text.value.toLowerCase();
  const rows = data.plan.tasks.flatMap((task, at) => {
    const now = statuses[state.statusNumbers[at] ?? 0]!;
    if (status.value !== "" && now !== status.value) return [];
    const words = `${task.task_id} ${task.title ?? ""} ${task.description ?? ""} ${task.tool_id ?? ""}`;
    return words.toLowerCase().includes(wanted) ? [{ task, at, now }] : [];
  });
  return (
    <section class="tasks" aria-label="Tasks">
      <ListFilters
        of="tasks"
        text={text}
        status={status}
        statuses={statuses.map((status, number) => ({
          status,
          label: `${statusWords[status]} (${state.counts.value[number]})`,
        }))}
      />
      <div class="table-box">
        <table>
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col">Status</th>
              <th scope="col">By</th>
              <th scope="col" class="number">
                Time
              </th>
              <th scope="col" class="number">
                Attempts
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown.value).map(({ task, at, now }) => {
              const record = records.get(task.task_id);
              return (
                <tr
                  key={task.task_id}
                  class={state.critical.value.has(at) ? "critical" : ""}
                  aria-selected={state.selected.value === at}
                >
                  <td>
                    <button type="button" class="link" onClick={() => state.select(at)}>
                      {taskTitle(task, data.run?.states[at])}
                    </button>
                  </td>
                  <td>
                    <StatusMark status={now} /> {statusWords[now]}
                  </td>
                  <td>
                    {data.run?.states[at]?.given === true
                      ? "the plan, not called"
                      : (record?.uid ?? task.tool_id ?? task.agent_id ?? task.execution_type ?? "")}
                  </td>
                  <td class="number">
                    {record === undefined || record.attempts === 0 ? "" : duration(record.duration_ms)}
                  </td>
                  <td class="number">{record === undefined || record.attempts === 0 ? "" : record.attempts}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <p class="muted">No task fits.</p>}
      {rows.length > shown.value && (
        <button
          type="button"
          class="link"
          onClick={() => {
            shown.value += pageSize;
          }}
        >
          {(rows.length - shown.value).toLocaleString("en")} more
        </button>
      )}
    </section>
  );
}
