import type { PlanView } from "@planloom/plan";
import { type Quotient, quotientView } from "./quotient.ts";

/**
 * The quotient with some tasks of one subgraph in a new one, whose number follows those there are. No subgraphs wait for one another then either, if the tasks need
 * nothing of those that stay, or the other way round. O(n + m)
 * @param view the plan, with the durations that subgraphs' work is made of
 */
export function splitSubgraph(
  view: PlanView,
  quotient: Quotient,
  subgraph: number,
  tasks: readonly number[],
  overheadMs: number,
): Quotient {
  const added = quotient.members.length;
  const part = quotient.part.slice();
  const moved = new Set(tasks);
  for (const task of tasks) part[task] = added;
  const members = [...quotient.members, quotient.members[subgraph]!.filter((task) => moved.has(task))];
  members[subgraph] = quotient.members[subgraph]!.filter((task) => !moved.has(task));
  // A subgraph that waits for the whole of this one waits for both parts.
  const waits = quotient.declared.filter(([from]) => from === subgraph).map(([, to]) => [added, to] as const);
  const declared = [...quotient.declared, ...waits];
  const ids = [...quotient.view.ids, freeId(quotient.view, quotient.view.ids[subgraph]!)];
  return { view: quotientView(view, part, ids, declared, overheadMs), members, part, declared };
}

function freeId(view: PlanView, id: string): string {
  for (let number = 2; ; number++) if (view.indexOf(`${id}.${number}`) === -1) return `${id}.${number}`;
}
