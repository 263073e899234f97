import type { Journal, StoredEvent, StoredRun, StoredSubgraph } from "../journal/journal.ts";

type Split = Extract<StoredEvent, { readonly type: "subgraph-split" }>;

/** The run with the grouping that its last session had, where that one dispatched adaptively and the journal keeps events. */
export async function withRegroupings(run: StoredRun, journal: Journal): Promise<StoredRun> {
  const { dispatch } = run.options;
  if (dispatch?.adaptive === undefined || journal.getEvents === undefined) return run;
  const events = await journal.getEvents(run.run_id);
  const splits = events.filter((event): event is Split => event.type === "subgraph-split");
  if (splits.length === 0) return run;
  // An order is of the grouping that it was made for.
  const { order: _, ...rest } = dispatch;
  const subgraphs = splits.reduce<readonly StoredSubgraph[]>(split, dispatch.subgraphs);
  if (subgraphs === dispatch.subgraphs) return run;
  return { ...run, options: { ...run.options, dispatch: { ...rest, subgraphs } } };
}

function split(
  subgraphs: readonly StoredSubgraph[],
  { subgraphId, newSubgraphId, taskIds }: Split,
): readonly StoredSubgraph[] {
  const moved = new Set(taskIds);
  const own = subgraphs.find(({ subgraph_id }) => subgraph_id === subgraphId);
  // A session that was given another grouping split subgraphs of its own.
  if (own === undefined || !taskIds.every((id) => own.task_ids.includes(id))) return subgraphs;
  const known = subgraphs.map((each) => {
    const dependencies = each.dependencies.includes(subgraphId)
      ? [...each.dependencies, newSubgraphId]
      : each.dependencies;
    return { ...each, dependencies, task_ids: each.task_ids.filter((id) => !moved.has(id)) };
  });
  return [...known, { subgraph_id: newSubgraphId, task_ids: [...taskIds], dependencies: [] }];
}
