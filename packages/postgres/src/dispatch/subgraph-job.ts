import { runAsked } from "./asked-run.ts";
import type { DispatchStore } from "./dispatch-store.ts";
import type { Mailbox } from "./mailbox.ts";
import { runSubgraph, type SubgraphRunOptions } from "./subgraph-run.ts";

export interface SubgraphJobParts extends SubgraphRunOptions {
  readonly store: DispatchStore;
  readonly mailbox: Mailbox;
  /** Called when the database cannot be reached, for what is under way then. */
  readonly unreachable: Set<(error: unknown) => void>;
}

/** What a worker does with an attempt that the engine gives it. An attempt that does not count any more begins nothing. */
export async function subgraphJob(id: string, attempt: number, parts: SubgraphJobParts): Promise<unknown> {
  const taken = parts.drain.aborted ? undefined : await parts.store.take(id, attempt);
  // Another attempt is due, or the subgraph was cancelled.
  if (taken === undefined) return "not begun";
  const { request, triesAgain } = taken;
  if (request.settings.asks === true) return runAsked(id, attempt, request, parts);
  return runSubgraph(id, request, { ...parts, triesAgain });
}
