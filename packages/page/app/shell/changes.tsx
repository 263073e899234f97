import { JsonView } from "../details/json-view.tsx";
import { clock, count } from "../format.ts";
import type { PageState } from "../state.ts";
import { PlanDiffView } from "./plan-diff.tsx";

/** The revisions of the plan: what was replaced by what, and why. */
export function Changes({ state }: { readonly state: PageState }) {
  const data = state.data.value;
  const revisions = data?.run?.revisions ?? [];
  if (data === undefined || revisions.length === 0) return <p class="muted">The plan was not changed.</p>;
  const known = new Set(data.plan.tasks.map(({ task_id }) => task_id));
  const name = (id: string) =>
    known.has(id) ? (
      <button type="button" class="link" onClick={() => state.select(state.numberOf(id))}>
        {id}
      </button>
    ) : (
      <code>{id}</code>
    );
  return (
    <div class="changes">
      {data.run?.diff !== undefined && (
        <section class="section" aria-label="From the first plan to this one">
          <h3>From the first plan to this one</h3>
          <PlanDiffView diff={data.run.diff} name={name} />
        </section>
      )}
      <ol class="plain">
        {revisions.map(({ patch, causes, at }, number) => (
          <li key={patch.patch_id}>
            <h3>
              Revision {number + 1} <span class="muted">{clock(at)}</span>
            </h3>
            {patch.reason !== undefined && <p>{patch.reason}</p>}
            {causes.map(({ task_id, cause }) => (
              <p key={task_id} class="muted">
                because of {name(task_id)} ({String(cause)})
              </p>
            ))}
            <ul class="diff plain">
              {patch.replacements.map(({ task_id, replaced_by }) => (
                <li key={task_id}>
                  <span class="removed">− {task_id}</span>
                  {replaced_by.map((id) => (
                    <span key={id} class="added">
                      + {name(id)}
                    </span>
                  ))}
                </li>
              ))}
              {patch.renewed.map(({ task_id, new_task_id }) => (
                <li key={task_id}>
                  <span class="removed">− {task_id}</span>
                  <span class="added">↻ {name(new_task_id)}</span>
                </li>
              ))}
            </ul>
            <details class="section">
              <summary>{count(patch.tasks.length, "new task")}</summary>
              <JsonView value={patch.tasks} />
            </details>
          </li>
        ))}
      </ol>
    </div>
  );
}
