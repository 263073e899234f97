import type { Executor } from "@planloom/plan";
import { type Dispatcher, ShutDown } from "@planloom/runtime";
import { type AttemptParts, workflowOf } from "../../../packages/postgres/src/dispatch/attempts.ts";
import { Claims } from "../../../packages/postgres/src/dispatch/claims.ts";
import { queueRow } from "../../../packages/postgres/src/dispatch/dispatch-format.ts";
import { DispatchStore } from "../../../packages/postgres/src/dispatch/dispatch-store.ts";
import {
  dispatchSubgraph,
  type SubgraphDispatchParts,
} from "../../../packages/postgres/src/dispatch/dispatch-subgraph.ts";
import { workerName } from "../../../packages/postgres/src/dispatch/engine.ts";
import { Mailbox } from "../../../packages/postgres/src/dispatch/mailbox.ts";
import { subgraphJob } from "../../../packages/postgres/src/dispatch/subgraph-job.ts";
import { Takeover } from "../../../packages/postgres/src/dispatch/takeover.ts";
import { announced, WorkerRegistry } from "../../../packages/postgres/src/dispatch/worker-registry.ts";
import { leaseMs } from "./cluster.ts";
import { serveQueue, simulatedEngine } from "./engine.ts";
import type { Node } from "./node.ts";

// The dispatcher and the worker of the package, put together over a simulated database.

const queue = "planloom";

export type SimulatedDispatcher = Dispatcher & { close(): Promise<void> };

export function simulatedDispatcher(node: Node): SimulatedDispatcher {
  const parts = partsOf(node);
  return {
    name: "postgres",
    governed: true,
    dispatch: (request, context) => dispatchSubgraph(request, context, parts),
    close: async () => {},
  };
}

export interface SimulatedWorkerOptions {
  readonly executors: readonly Executor[];
  readonly concurrency: number;
  /** Whether it looks for what it took without hearing of it. */
  readonly watchesClaims: boolean;
  /** Whether the worker does not hear of what it has just taken. */
  readonly isLost: () => boolean;
}

/** Makes the process of a node a worker. @returns what lets it take nothing more, as its end does */
export function startSimulatedWorker(
  node: Node,
  { executors, concurrency, watchesClaims, isLost }: SimulatedWorkerOptions,
): { drain(): void } {
  const { cluster, process, presence, journal, database } = node;
  const { world } = cluster;
  const { resources, className } = announced(executors, concurrency);
  const name = workerName(presence);
  const drain = new AbortController();
  const unreachable = new Set<(error: unknown) => void>();
  world.within(process, () => {
    const { store } = partsOf(node);
    const mailbox = mailboxOf(node, unreachable);
    cluster.workers.set(presence, { queue: queueRow(queue), className, concurrency, resources });
    new Takeover({ journal, store, queue, executors, dispatcher: () => simulatedDispatcher(node) });
    const claims = new Claims({
      ...{ database, name, schema: "planloom" },
      giveBack: (workflow) => simulatedEngine(node).cancelWorkflow(workflow),
      onEnd: () => {},
    });
    if (watchesClaims) claims.watch();
    const job = (id: string, attempt: number) =>
      claims.execute(workflowOf(id, attempt), () =>
        subgraphJob(id, attempt, { journal, executors, drain: drain.signal, store, mailbox, unreachable }),
      );
    const isDrained = () => drain.signal.aborted;
    void serveQueue(node, { queue: `${queueRow(queue)}.${className}`, name, concurrency, isDrained, isLost }, job);
  });
  return {
    drain: () => {
      cluster.workers.delete(presence);
      world.within(process, () => drain.abort(new ShutDown("The worker ends.")));
    },
  };
}

function partsOf(node: Node): SubgraphDispatchParts {
  const { database, heads, journal } = node;
  const unreachable = new Set<(error: unknown) => void>();
  const parts: AttemptParts = {
    store: new DispatchStore(database, "planloom", heads, leaseMs, node.outputs),
    registry: new WorkerRegistry(database, "planloom"),
    client: simulatedEngine(node),
    queue,
    // So many deaths do not happen here: what is looked at is that everything is done in the end.
    maxDeaths: 100,
    workerTimeoutMs: 600_000,
    load: new Map(),
    removals: new Set(),
  };
  const mailbox = mailboxOf(node, unreachable);
  return { ...parts, mailbox, unreachable, journal: journal as SubgraphDispatchParts["journal"] };
}

function mailboxOf(node: Node, unreachable: ReadonlySet<(error: unknown) => void>): Mailbox {
  return new Mailbox(node.database, node, "planloom", (error) => {
    for (const fail of [...unreachable]) fail(error);
  });
}
