import type { DispatchContext, DispatchReply, DispatchRequest } from "@planloom/runtime";
import { AskedSubgraph } from "./asked-subgraph.ts";
import { DispatchedSubgraph, type DispatchParts } from "./dispatched-subgraph.ts";
import type { Mailbox } from "./mailbox.ts";

export interface SubgraphDispatchParts extends DispatchParts {
  readonly mailbox: Mailbox;
  /** Called when the database cannot be reached; what asks then has nobody to talk to. */
  readonly unreachable: Set<(error: unknown) => void>;
}

/** Dispatches a subgraph: so that its worker asks before each call where the run must, else as a run of its own. */
export async function dispatchSubgraph(
  request: DispatchRequest,
  context: DispatchContext,
  parts: SubgraphDispatchParts,
): Promise<DispatchReply> {
  const { store, queue, unreachable } = parts;
  const must = mustAsk(request);
  const { id, isOpened, asked } = await store.keep(request, queue, !must);
  // A subgraph whose workers asked is continued so, even where the run was resumed without limits: only the run has what they reported.
  const asks = must || asked === true;
  if (!asks) return new DispatchedSubgraph(parts, id, request, context).reply(isOpened);
  const asking = { ...request, settings: { ...request.settings, asks: true } };
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  unreachable.add(lost.reject);
  try {
    return await Promise.race([new AskedSubgraph(parts, id, asking, context, asked === false).reply(), lost.promise]);
  } finally {
    unreachable.delete(lost.reject);
  }
}

/** Whether only the process of the run knows what a worker must: limits and gates, or what was begun, asked or completed within tasks before. */
export function mustAsk({ settings, begun, nested, asked = [] }: DispatchRequest): boolean {
  return settings.asks === true || begun.length > 0 || nested.length > 0 || asked.length > 0;
}
