import { useSignal } from "@preact/signals";
import { count } from "../format.ts";
import type { PageState } from "../state.ts";
import { isAsked } from "./is-asked.ts";
import { changePlan } from "./plan-editor.tsx";

/** A plan before it runs: what it lacks, what is wrong with it, a further task, and the button that runs it. */
export function PlanBar({ state }: { readonly state: PageState }) {
  const data = state.data.value;
  const { server } = state.source;
  if (data?.draft === undefined || server === undefined) return null;
  const { issues, questions, confidence } = data.draft;
  const errors = issues.filter(({ severity }) => severity === "error");
  const isReady = errors.length === 0 && questions.length === 0;
  const shown = errors.filter((error) => !isAsked(error, questions));
  return (
    <>
      <p class="facts">
        {confidence !== undefined && (
          <span class="muted">{Math.round(confidence * 100)} % likely right, its planner says.</span>
        )}
      </p>
      {questions.length > 0 && (
        <ul class="plain notes" aria-label="What the plan lacks">
          {questions.map(({ name, task_id }) => (
            <li key={name}>
              <button type="button" class="link" onClick={() => state.select(state.numberOf(task_id))}>
                {name} is missing
              </button>
            </li>
          ))}
        </ul>
      )}
      {shown.length > 0 && (
        <ul class="plain">
          {shown.slice(0, 5).map(({ message, task_id, code, argument_path }) => (
            <li key={`${task_id}/${code}/${argument_path}`} class="error">
              {message}
            </li>
          ))}
          {shown.length > 5 && <li class="error">and {count(shown.length - 5, "more error")}</li>}
        </ul>
      )}
      <p class="actions">
        <button
          type="button"
          class="main"
          disabled={!isReady}
          onClick={() =>
            void state.attempt(async () => {
              location.hash = `#/runs/${encodeURIComponent(await server.run(data.plan.id))}`;
            })
          }
        >
          Run
        </button>
        <AddTask state={state} />
      </p>
    </>
  );
}

function AddTask({ state }: { readonly state: PageState }) {
  const tools = useSignal<readonly string[] | undefined>(undefined);
  const { server } = state.source;
  if (server === undefined) return null;
  if (tools.value === undefined) {
    return (
      <button
        type="button"
        onClick={() =>
          void state.attempt(async () => {
            tools.value = await server.tools();
          })
        }
      >
        Add a task
      </button>
    );
  }
  return (
    <select
      aria-label="Tool of the new task"
      value=""
      onChange={(event) => {
        const tool = event.currentTarget.value;
        const selected = state.data.value?.plan.tasks[state.selected.value]?.task_id;
        tools.value = undefined;
        if (tool !== "") void addTask(state, tool, selected);
      }}
    >
      <option value="">which tool?</option>
      {tools.value.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}

/** A task after the selected one, or at the beginning. */
function addTask(state: PageState, tool: string, after: string | undefined): Promise<void> {
  return changePlan(state, (plan) => {
    const ids = new Set(plan.planned_tasks.map(({ task_id }) => task_id));
    const stem = tool.replaceAll(/[^A-Za-z0-9_]+/g, "_");
    let task_id = stem;
    for (let number = 2; ids.has(task_id); number += 1) task_id = `${stem}_${number}`;
    const task = { task_id, tool_id: tool, arguments: {}, dependencies: after === undefined ? [] : [after] };
    return { ...plan, planned_tasks: [...plan.planned_tasks, task] };
  });
}
