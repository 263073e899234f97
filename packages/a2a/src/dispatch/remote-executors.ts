import { type Executor, type Resource, TaskData } from "planloom";
import type { ExecutionKind } from "planloom/plan";
import { pinTo } from "planloom/plan";
import type { DispatchReply } from "planloom/runtime";
import { TaskFailure } from "planloom/runtime";
import type { SentContext, SentRequest } from "./send-subgraph.ts";
import type { Station } from "./station.ts";

type Send = (needs: readonly string[], request: SentRequest, context: SentContext) => Promise<DispatchReply>;

/**
 * What the agents execute, as executors of this process, one a kind: a step becomes a subgraph of one task. What several agents execute is
 * offered once.
 */
export function remoteExecutors(stations: readonly Station[], send: Send): Executor[] {
  const known = new Map(stations.flatMap(({ executes, takesSubgraphs }) => (takesSubgraphs ? [...executes] : [])));
  const kinds = [...new Set([...known.values()].map(({ kind }) => kind))];
  return kinds.map((kind) =>
    remoteExecutor(
      kind,
      [...known.values()].filter((resource) => resource.kind === kind),
      send,
    ),
  );
}

function remoteExecutor(kind: ExecutionKind, resources: readonly Resource[], send: Send): Executor {
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  return {
    kind,
    resources: () => resources,
    // A secret stays in this process.
    secrets: false,
    async execute({ uid, input_data }, { signal, runId, idempotencyKey, task }) {
      const resource = byId.get(uid);
      if (resource === undefined) throw new Error(`No connected agent executes ${uid}.`);
      const planned = {
        task_id: task.task_id,
        title: task.title,
        description: task.description,
        ...pinTo(resource),
        // By reference, so that nothing in a value is read as one.
        arguments: Object.fromEntries(
          Object.keys(input_data).map((key) => [key, { $ref: `input[${JSON.stringify(key)}]` }]),
        ),
      };
      const plan = TaskData.parse({ task_id: task.task_id, planned_tasks: [planned] });
      const results: DispatchReply["results"][number][] = [];
      const context: SentContext = {
        signal,
        onEvent() {},
        async report({ result }) {
          results.push(result);
        },
      };
      const request = { run_id: `${runId}:${idempotencyKey}`, subgraph_id: task.task_id, plan, input: input_data };
      const reply = await send([`${kind}:${uid}`], request, context);
      const [result] = [...results, ...reply.results];
      if (result?.status === "completed") return result.output;
      const { code = "TASK_FAILED", message = "The agent did not complete it." } = result?.error ?? {};
      throw new TaskFailure(code, message, { retryable: false });
    },
  };
}
