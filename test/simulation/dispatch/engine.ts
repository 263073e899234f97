import type { AttemptParts } from "../../../packages/postgres/src/dispatch/attempts.ts";
import type { Node } from "./node.ts";

/** What dispatchers use of the engine: a queue of workflows, each with an id that there is once. */
export function simulatedEngine(node: Node): AttemptParts["client"] {
  const { workflows } = node.cluster;
  const end = (id: string) => {
    const workflow = workflows.get(id);
    if (workflow?.status === "ENQUEUED" || workflow?.status === "PENDING") workflow.status = "CANCELLED";
  };
  const client = {
    enqueue: (
      { queueName, workflowID }: { readonly queueName: string; readonly workflowID: string },
      ...given: [string, number]
    ) =>
      node.statement("write", () => {
        if (!workflows.has(workflowID))
          workflows.set(workflowID, { id: workflowID, queue: queueName, given, status: "ENQUEUED" });
      }),
    retrieveWorkflow: (id: string) => ({
      getStatus: () =>
        node.statement("read", () => {
          const workflow = workflows.get(id);
          if (workflow === undefined) return null;
          const { status, executorId, error } = workflow;
          return { status, executorId, ...(error !== undefined && { error: new Error(error) }) };
        }),
    }),
    getWorkflow: (id: string) =>
      node.statement("read", () => {
        const workflow = workflows.get(id);
        return workflow && { queueName: workflow.queue };
      }),
    cancelWorkflow: (id: string) => node.statement("write", () => end(id)),
    deleteWorkflows: (ids: readonly string[]) =>
      node.statement("write", () => {
        for (const id of ids) workflows.delete(id);
      }),
  };
  return client as unknown as AttemptParts["client"];
}

/** How often a worker asks its queue, in milliseconds. */
const pollMs = 20;

/** Takes workflows of a queue, `concurrency` at once, as a worker of the engine does. What it fails with stays with the workflow. */
export async function serveQueue(
  node: Node,
  {
    queue,
    name,
    concurrency,
    isDrained,
    isLost,
  }: {
    queue: string;
    name: string;
    concurrency: number;
    isDrained: () => boolean;
    /** Whether the worker does not hear of what it has just taken. */
    isLost: () => boolean;
  },
  job: (id: string, attempt: number) => Promise<unknown>,
): Promise<void> {
  const { world, workflows } = node.cluster;
  let running = 0;
  while (!isDrained()) {
    await world.sleep(pollMs * (1 + world.random()));
    if (running >= concurrency || isDrained()) continue;
    const taken = await node
      .statement("write", () => {
        const next = [...workflows.values()].find((each) => each.status === "ENQUEUED" && each.queue === queue);
        if (next !== undefined) Object.assign(next, { status: "PENDING", executorId: name });
        return next;
      })
      .catch(() => undefined);
    if (taken === undefined || isLost()) continue;
    running++;
    const settle = async (status: "SUCCESS" | "ERROR", error?: unknown) => {
      running--;
      const write = () => {
        if (taken.status !== "PENDING") return;
        taken.status = status;
        if (error !== undefined) taken.error = error instanceof Error ? error.message : String(error);
      };
      // The engine tries again for as long as the database cannot be reached, or its disk is full.
      while (
        !(await node.statement("write", write).then(
          () => true,
          () => false,
        ))
      )
        await world.sleep(1_000);
    };
    job(...taken.given).then(
      () => void settle("SUCCESS"),
      (error: unknown) => void settle("ERROR", error),
    );
  }
}
