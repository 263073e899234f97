import { createHash } from "node:crypto";
import {
  type ExecutionKind,
  type Executor,
  type ResourceCatalogue,
  resourceCatalogue,
  resourcesOf,
} from "@planloom/plan";
import { type PinnedResource, pinnedResources } from "@planloom/plan/internals";
import type { DispatchClass, DispatchRequest } from "@planloom/runtime";
import type { Database } from "../connection/database.ts";
import { channelOf, noticeText } from "../connection/session.ts";
import { goneMs, heardSince, presentCondition } from "../heads.ts";
import { queueRow } from "./dispatch-format.ts";
import { engineSchema } from "./engine.ts";
import { isProbe } from "./probe.ts";

/** The live workers of a queue that have the same resources and take as many subgraphs at once. */
export interface WorkerClass {
  /** The queue of the engine that they take subgraphs from. */
  readonly queue: string;
  readonly workers: number;
  /** How many subgraphs they execute at once, all together. */
  readonly concurrency: number;
  readonly catalogue: ResourceCatalogue;
}

interface ClassRow {
  readonly class: string;
  readonly resources: string;
  readonly workers: number;
  readonly concurrency: number;
}

interface IdleRow extends Pick<ClassRow, "workers" | "concurrency"> {
  readonly running: number;
}

/** Which workers there are and what they can execute. Workers with the same resources and the same concurrency are one class, with a queue of its own. */
export class WorkerRegistry {
  readonly #database: Database;
  readonly #schema: string;

  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#schema = schema;
  }

  /** The queue of the engine that a worker with these executors takes subgraphs from. */
  queueOf(queue: string, executors: readonly Executor[], concurrency: number): string {
    return engineQueue(queue, announced(executors, concurrency).className);
  }

  async announce(
    presence: number,
    queue: string,
    { concurrency, executors }: { readonly concurrency: number; readonly executors: readonly Executor[] },
  ): Promise<void> {
    const { resources, className } = announced(executors, concurrency);
    await this.#database.write(async (on) => {
      await on.query({
        // After a crash of the server nobody has given a sign yet.
        text: `DELETE FROM ${this.#schema}.workers WHERE NOT EXISTS (SELECT 1 FROM ${this.#schema}.presences WHERE presences.presence = workers.presence)
          AND ${heardSince(this.#schema)} < clock_timestamp() - interval '1 minute'`,
      });
      await on.query({ text: `DELETE FROM ${this.#schema}.mail WHERE sent_at < now() - interval '1 day'` });
      await on.query({
        text: `INSERT INTO ${this.#schema}.workers (presence, queue, class, concurrency, resources) VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (presence) DO UPDATE SET queue = $2, class = $3, concurrency = $4, resources = $5`,
        values: [presence, queueRow(queue), className, concurrency, resources],
      });
    });
  }

  /** Announces to the workers of a queue of the engine that it has something. Nothing depends on it: they look from time to time as well. */
  tellOfWork(engineQueueName: string): void {
    const values = [channelOf(this.#schema), noticeText({ kind: "queued", runId: engineQueueName })];
    this.#database.attempt({ name: "tell", text: "SELECT pg_notify($1, $2)", values }).catch(() => {});
  }

  /** The worker takes nothing more. */
  async withdraw(presence: number): Promise<void> {
    const text = `DELETE FROM ${this.#schema}.workers WHERE presence = $1`;
    await this.#database.writeOnce({ text, values: [presence] });
  }

  /**
   * How many live workers of this one's class have a slot free, itself among them: those that look for subgraphs. A class whose running subgraphs fill
   * some of its slots counts as if they filled the slots of as few workers as can be.
   */
  async idlePeers(presence: number, engineQueueName: string): Promise<number> {
    const text = `SELECT count(*) AS workers, coalesce(max(concurrency), 1) AS concurrency,
      (SELECT count(*) FROM ${engineSchema(this.#schema)}.workflow_status WHERE queue_name = $2 AND status = 'PENDING') AS running
      FROM ${this.#schema}.workers JOIN ${this.#schema}.presences USING (presence)
      WHERE (queue, class) = (SELECT queue, class FROM ${this.#schema}.workers WHERE presence = $1) AND ${isLive(this.#schema)}`;
    const [row] = await this.#database.read((on) =>
      on.query<IdleRow>({ name: "idle workers", text, values: [presence, engineQueueName] }),
    );
    return row === undefined ? 0 : Math.max(0, row.workers - Math.floor(row.running / row.concurrency));
  }

  /** Classes of a queue with at least one live worker, in an order that does not change. */
  async classes(queue: string): Promise<WorkerClass[]> {
    const text = `SELECT class, min(resources) AS resources, count(*) AS workers, sum(concurrency) AS concurrency FROM ${this.#schema}.workers
      JOIN ${this.#schema}.presences USING (presence) WHERE queue = $1
      AND ${isLive(this.#schema)}
      GROUP BY class ORDER BY class`;
    const rows = await this.#database.read((on) =>
      on.query<ClassRow>({ name: "workers", text, values: [queueRow(queue)] }),
    );
    return rows.map(({ class: className, resources, workers, concurrency }) => ({
      queue: engineQueue(queue, className),
      workers,
      concurrency,
      catalogue: readCatalogue(resources),
    }));
  }

  /** The queue as live workers of other formats have it in their rows. */
  async otherRows(queue: string): Promise<string[]> {
    const text = `SELECT DISTINCT queue FROM ${this.#schema}.workers JOIN ${this.#schema}.presences USING (presence)
      WHERE (queue = $1 OR starts_with(queue, $1 || '@')) AND queue <> $2 AND ${isLive(this.#schema)}`;
    const values = [queue, queueRow(queue)];
    const rows = await this.#database.read((on) =>
      on.query<{ queue: string }>({ name: "other workers", text, values }),
    );
    return rows.map((row) => row.queue);
  }
}

/** Of a row of `workers` joined with its presence. */
const isLive = (schema: string) =>
  `(seen_at > clock_timestamp() - interval '${goneMs} milliseconds' OR ${presentCondition(schema, "workers.presence")})`;

/** The resources that the open tasks of a subgraph name; none of a probe, which every worker executes. */
export function needsOf(request: Pick<DispatchRequest, "plan" | "run_id">): PinnedResource[] {
  if (isProbe(request)) return [];
  const { plan } = request;
  const open = plan.planned_tasks.filter(({ status }) => status !== "completed");
  return pinnedResources(open);
}

/** Needs that a class does not have; none where it can execute all. */
export function lacking(
  { catalogue }: Pick<WorkerClass, "catalogue">,
  needs: readonly PinnedResource[],
): PinnedResource[] {
  return needs.filter(({ kind, id }) => catalogue.find(kind, id) === undefined);
}

export function announced(executors: readonly Executor[], concurrency: number) {
  const ids = executors.flatMap((executor) => resourcesOf(executor).map(({ kind, id }) => [kind, id] as const));
  const resources = JSON.stringify(ids.sort((left, right) => (left.join(":") < right.join(":") ? -1 : 1)));
  // The engine keeps how many each worker of a queue takes with the queue.
  const className = createHash("sha256").update(`${concurrency} ${resources}`).digest("hex").slice(0, 16);
  return { resources, className };
}

/** What an optimizer gets of them: classes that differ in how many subgraphs each worker takes are one to it. */
export function dispatchClasses(classes: readonly WorkerClass[]): DispatchClass[] {
  const same = new Map<string, { executors: number; readonly catalogue: ResourceCatalogue }>();
  for (const { catalogue, concurrency } of classes) {
    const key = JSON.stringify(catalogue.all.map(({ kind, id }) => [kind, id]));
    const known = same.get(key);
    if (known === undefined) same.set(key, { executors: concurrency, catalogue });
    else known.executors += concurrency;
  }
  return [...same.values()].map(({ executors, catalogue }, at) => ({
    name: `workers ${at + 1}`,
    executors,
    resources: catalogue.all.map(({ kind, id }) => ({ kind, id })),
  }));
}

function engineQueue(queue: string, className: string): string {
  return `${queueRow(queue)}.${className}`;
}

function readCatalogue(resources: string): ResourceCatalogue {
  const ids = JSON.parse(resources) as readonly (readonly [ExecutionKind, string])[];
  return resourceCatalogue(ids.map(([kind, id]) => ({ kind, id, description: "" })));
}
