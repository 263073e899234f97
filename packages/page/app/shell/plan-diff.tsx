import type { ComponentChildren } from "preact";
import type { PageData } from "../../src/page-data.ts";

type PlanDiff = NonNullable<NonNullable<PageData["run"]>["diff"]>;

/** What differs between two plans, task by task. @param name shows the id of a task of the second plan */
export function PlanDiffView({
  diff,
  name,
}: {
  readonly diff: PlanDiff;
  readonly name: (id: string) => ComponentChildren;
}) {
  const { outputs = [] } = diff;
  if (diff.equal && outputs.length === 0) return <p class="muted">The plans are the same.</p>;
  return (
    <ul class="diff plain">
      {diff.removed.map(({ task_id, description }) => (
        <li key={`-${task_id}`}>
          <span class="removed">− {task_id}</span> <span class="muted">{description}</span>
        </li>
      ))}
      {diff.added.map(({ task_id, description, lineage }) => (
        <li key={`+${task_id}`}>
          <span class="added">+ {name(task_id)}</span> <span class="muted">{description}</span>
          {lineage !== undefined && <span class="muted">in the place of {lineage}</span>}
        </li>
      ))}
      {diff.renewed.map(({ task_id, was }) => (
        <li key={`↻${task_id}`}>
          <span class="removed">− {was}</span>
          <span class="added">↻ {name(task_id)}</span>
        </li>
      ))}
      {diff.changed.map(({ task_id, was, changes }) => (
        <li key={`~${task_id}`} class="changed">
          <span>
            ~ {name(task_id)} {was !== undefined && <span class="muted">was {was}</span>}
          </span>
          <table>
            <tbody>
              {changes.map((change) => (
                <tr key={change.path}>
                  <th scope="row">{change.path}</th>
                  <td class="removed">{"before" in change ? JSON.stringify(change.before) : "–"}</td>
                  <td class="added">{"after" in change ? JSON.stringify(change.after) : "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </li>
      ))}
      {diff.rewired.map(({ task_id, waits_for, no_longer }) => (
        <li key={`→${task_id}`}>
          <span>→ {name(task_id)}</span>
          {waits_for.length > 0 && <span class="added">waits for {waits_for.join(", ")}</span>}
          {no_longer.length > 0 && <span class="removed">no longer for {no_longer.join(", ")}</span>}
        </li>
      ))}
      {outputs.map((output) => (
        <li key={`output ${output.name}`}>
          <span>~ output {output.name}</span>
          {output.was !== undefined && <span class="removed">of {output.was}</span>}
          {output.is !== undefined && <span class="added">of {name(output.is)}</span>}
        </li>
      ))}
    </ul>
  );
}
