import { createHash } from "node:crypto";
import { planRevision } from "@planloom/plan";
import type { DispatchRequest, StoredStatus } from "@planloom/runtime";
import type { Database, Queryable } from "../connection/database.ts";
import { decodeText, encodeText } from "../connection/text.ts";
import { type Heads, heardSince, isSilent, judgedColumns, millisecondsSince, presentCondition } from "../heads.ts";
import type { OutputCache } from "../rows/output-cache.ts";
import { deleteRunRows } from "../rows/runs.ts";
import { queueNames, queueRow } from "./dispatch-format.ts";
import { KeptRequests } from "./kept-requests.ts";

/** The run that a subgraph is, and which attempt may execute it. */
export interface SubgraphState {
  /** `none` where no worker has begun it, `interrupted` where its worker is gone. */
  readonly status: StoredStatus | "none" | "interrupted";
  /** When it was begun or last ended; undefined where nobody has begun it. */
  readonly updatedAt: string | undefined;
  /** How many of its tasks are recorded. */
  readonly recorded: number;
  /** The last attempt that was opened; 0 before the first. */
  readonly attempt: number;
  readonly isOpen: boolean;
}

type StateRow = Parameters<Heads["judge"]>[0] & {
  readonly status: StoredStatus | null;
  readonly updated_at: string | null;
  readonly recorded: number;
  readonly attempt: number;
  readonly is_open: boolean;
};

/** Of so many runs a store remembers that they were dispatched in this format; of any other it writes so again. */
const rememberedRuns = 1_000;

/** Longer ids are cut, with a hash in the place of what is cut off. */
const longestId = 400;

/**
 * What is dispatched, by the id of the run that it becomes. The engine carries that id and the number of an attempt alone, so that no request is
 * too large for it, and the request names large outputs that the journal of the run has. An attempt is fenced: once another one was opened, or all were shut, it begins nothing.
 */
export class DispatchStore {
  readonly #database: Database;
  readonly #schema: string;
  readonly #heads: Heads;
  readonly #leaseMs: number;
  readonly #requests: KeptRequests;
  readonly #moved = new Set<string>();

  constructor(database: Database, schema: string, heads: Heads, leaseMs: number, outputs: OutputCache) {
    this.#database = database;
    this.#schema = schema;
    this.#heads = heads;
    this.#leaseMs = leaseMs;
    this.#requests = new KeptRequests(database, schema, outputs);
  }

  /**
   * Keeps a request. A subgraph that was dispatched before stays the run that it was then, with its plan; should a later request have tasks which that plan does not have, it
   * is another run.
   * @param opens whether the first attempt is opened with it, where nobody has dispatched it before
   * @returns the id of the run, the same for the same subgraph of the same revision, whichever process dispatches it; whether it is new, and opened; and whether its workers
   * asked before each call, where it was dispatched before
   */
  async keep(
    request: DispatchRequest,
    queue: string,
    opens = false,
  ): Promise<{ readonly id: string; readonly isOpened: boolean; readonly asked?: boolean }> {
    const wanted = openTasks(request);
    await this.#move(request.run_id, queue);
    const text = await this.#requests.text(request);
    for (let again = 1; ; again++) {
      const id = subgraphRunId(request, again);
      const kept = await this.#database.writeOnce<{ run_id: string }>({
        name: "keep",
        text: `INSERT INTO ${this.#schema}.dispatches (run_id, parent, queue, request, attempt, is_open) VALUES ($1, $2, $3, $4, $5, $6)
          ON CONFLICT (run_id) DO NOTHING RETURNING run_id`,
        values: [encodeText(id), encodeText(request.run_id), queueRow(queue), text, opens ? 1 : 0, opens],
      });
      if (kept.length > 0) return { id, isOpened: opens };
      const before = await this.#database.read((on) => this.#find(on, id));
      const has = new Set(before === undefined ? [] : openTasks(before));
      if (before?.run_id === request.run_id && wanted.every((task) => has.has(task)))
        return { id, isOpened: false, asked: before.settings.asks === true };
    }
  }

  /**
   * The request, if this attempt may begin it, and whether it tries again what failed in an earlier session of the run.
   * @throws RuntimeError JOURNAL_CORRUPT where an output that it names is not there
   */
  async take(
    id: string,
    attempt: number,
  ): Promise<{ readonly request: DispatchRequest; readonly triesAgain: boolean } | undefined> {
    const text = `SELECT request, tries_again FROM ${this.#schema}.dispatches WHERE run_id = $1 AND is_open AND attempt = $2`;
    const find = (on: Queryable) =>
      on.query<{ request: string; tries_again: boolean }>({ name: "take", text, values: [encodeText(id), attempt] });
    return this.#database.read(async (on) => {
      const [row] = await find(on);
      if (row === undefined) return undefined;
      try {
        return { request: await this.#requests.whole(on, row.request), triesAgain: row.tries_again };
      } catch (error) {
        // A run is deleted with its subgraphs and outputs.
        if ((await find(on)).length === 0) return undefined;
        throw error;
      }
    });
  }

  /**
   * Opens an attempt in the place of the one before.
   * @param triesAgain whether it tries again what failed in an earlier session of the run
   * @returns undefined where another process did so meanwhile
   */
  async open(id: string, before: number, triesAgain: boolean): Promise<number | undefined> {
    const attempt = before + 1;
    const text = `UPDATE ${this.#schema}.dispatches SET attempt = $3, is_open = true, tries_again = $4 WHERE run_id = $1 AND attempt = $2 RETURNING attempt`;
    const values = [encodeText(id), before, attempt, triesAgain];
    const opened = await this.#database.writeOnce({ name: "open", text, values });
    if (opened.length > 0) return attempt;
    // The answer to the same statement may have been lost; then it was this process that opened it.
    return undefined;
  }

  /** As `open`, with the request for what is left. @throws Error where another process opened one meanwhile */
  async openWith(id: string, before: number, request: DispatchRequest): Promise<number> {
    const attempt = before + 1;
    // Where the answer to the same statement was lost, it finds what it wrote.
    const text = `UPDATE ${this.#schema}.dispatches SET attempt = $3, is_open = true, request = $4,
        asker = (SELECT token FROM ${this.#schema}.heads WHERE heads.run_id = dispatches.parent)
      WHERE run_id = $1 AND (attempt = $2 OR (attempt = $3 AND request = $4)) RETURNING attempt`;
    const values = [encodeText(id), before, attempt, await this.#requests.text(request)];
    const opened = await this.#database.writeOnce({ name: "open with", text, values });
    if (opened.length > 0) return attempt;
    throw new Error(`Another process has dispatched the same subgraph (${id}) meanwhile, so that this one may not.`);
  }

  /** Whether an attempt is still the one that counts, and the session of the run that opened it is still running. */
  async isAsked(id: string, attempt: number, runId: string): Promise<boolean> {
    const text = `SELECT ${judgedColumns(this.#schema, "heads")} FROM ${this.#schema}.heads LEFT JOIN ${this.#schema}.presences USING (presence)
      WHERE run_id = $3 AND EXISTS (SELECT 1 FROM ${this.#schema}.dispatches WHERE dispatches.run_id = $1 AND is_open AND attempt = $2
        AND (asker IS NULL OR asker = heads.token))`;
    const values = [encodeText(id), attempt, encodeText(runId)];
    const [row] = await this.#database.read((on) =>
      on.query<Parameters<Heads["judge"]>[0]>({ name: "asked", text, values }),
    );
    return row !== undefined && this.#heads.judge(row) !== undefined;
  }

  /** From now on no attempt begins. @returns the last one that was opened; 0 where none was */
  async shut(id: string): Promise<number> {
    const text = `UPDATE ${this.#schema}.dispatches SET is_open = false WHERE run_id = $1 RETURNING attempt`;
    const [row] = await this.#database.writeOnce<{ attempt: number }>({ name: "shut", text, values: [encodeText(id)] });
    return row?.attempt ?? 0;
  }

  /**
   * Counts a worker that died of the subgraph, once an attempt.
   * @param recorded how many of its tasks have ended so far: where more have than at the death before, it begins to count again
   * @returns how many died one after the other without a task having ended
   */
  async countDeath(id: string, attempt: number, recorded: number): Promise<number> {
    const text = `UPDATE ${this.#schema}.dispatches SET deaths = CASE WHEN $3 > recorded THEN 1 ELSE deaths + 1 END, recorded = greatest(recorded, $3),
      is_open = false WHERE run_id = $1 AND attempt = $2 AND is_open`;
    await this.#database.writeOnce({ name: "count death", text, values: [encodeText(id), attempt, recorded] });
    const read = `SELECT deaths FROM ${this.#schema}.dispatches WHERE run_id = $1`;
    const [row] = await this.#database.read((on) =>
      on.query<{ deaths: number }>({ name: "deaths", text: read, values: [encodeText(id)] }),
    );
    return row?.deaths ?? 0;
  }

  /** A later session of the run tries the subgraph again. */
  async forgive(id: string): Promise<void> {
    const text = `UPDATE ${this.#schema}.dispatches SET deaths = 0, recorded = 0, is_open = false WHERE run_id = $1`;
    await this.#database.writeOnce({ name: "forgive", text, values: [encodeText(id)] });
  }

  async lookAt(id: string): Promise<SubgraphState> {
    const text = `SELECT dispatches.attempt, dispatches.is_open, runs.status, runs.updated_at,
        (SELECT count(*) FROM ${this.#schema}.tasks WHERE tasks.run_id = $1) AS recorded, ${judgedColumns(this.#schema, "heads")}
      FROM ${this.#schema}.dispatches LEFT JOIN ${this.#schema}.runs USING (run_id) LEFT JOIN ${this.#schema}.heads USING (run_id)
      LEFT JOIN ${this.#schema}.presences USING (presence) WHERE dispatches.run_id = $1`;
    const [row] = await this.#database.read((on) =>
      on.query<StateRow>({ name: "subgraph", text, values: [encodeText(id)] }),
    );
    const { attempt = 0, is_open: isOpen = false, recorded = 0 } = row ?? {};
    const rest = { attempt, isOpen, recorded };
    if (row === undefined || row.status === null) return { status: "none", updatedAt: undefined, ...rest };
    const isLeft = row.status === "running" && this.#heads.judge(row) === undefined;
    return { status: isLeft ? "interrupted" : row.status, updatedAt: row.updated_at ?? undefined, ...rest };
  }

  /** Whether the process of a presence is gone, by the same rule as for the holder of a run. */
  async isGone(presence: number): Promise<boolean> {
    const since = millisecondsSince("presences.seen_at", heardSince(this.#schema));
    const text = `SELECT ${since} AS silent_ms,
        ${presentCondition(this.#schema, "wanted.presence")} AS present
      FROM (SELECT $1::int AS presence) AS wanted LEFT JOIN ${this.#schema}.presences USING (presence)`;
    const [row] = await this.#database.read((on) =>
      on.query<{ silent_ms: number; present: boolean }>({ name: "presence", text, values: [presence] }),
    );
    return row === undefined || isSilent({ ...row, quiet_ms: row.silent_ms }, this.#leaseMs);
  }

  /** The names that a queue has in rows of other formats, of running runs with subgraphs that are not over. */
  async otherRows(queue: string): Promise<string[]> {
    const text = `SELECT DISTINCT dispatches.queue FROM ${this.#schema}.runs JOIN ${this.#schema}.dispatches ON dispatches.parent = runs.run_id
      WHERE runs.status = 'running' AND is_open AND (queue = $1 OR starts_with(queue, $1 || '@')) AND queue <> $2`;
    const values = [queue, queueRow(queue)];
    const rows = await this.#database.read((on) =>
      on.query<{ queue: string }>({ name: "other dispatches", text, values }),
    );
    return rows.map((row) => row.queue);
  }

  /** Runs that were dispatched to a queue, in this format or an earlier one, and whose process is gone. */
  async abandonedRuns(queue: string): Promise<string[]> {
    const text = `SELECT runs.run_id, true AS is_orphan, ${judgedColumns(this.#schema, "heads")} FROM ${this.#schema}.orphans
        JOIN ${this.#schema}.runs USING (run_id) JOIN ${this.#schema}.heads USING (run_id) LEFT JOIN ${this.#schema}.presences USING (presence) WHERE orphans.queue = ANY ($1::text[])
      UNION ALL SELECT runs.run_id, false, ${judgedColumns(this.#schema, "heads")} FROM ${this.#schema}.runs
        JOIN ${this.#schema}.heads USING (run_id) LEFT JOIN ${this.#schema}.presences USING (presence) WHERE runs.status = 'running'
        AND EXISTS (SELECT 1 FROM ${this.#schema}.dispatches WHERE dispatches.parent = runs.run_id AND dispatches.queue = ANY ($1::text[]))`;
    const rows = await this.#database.read((on) =>
      on.query<Parameters<Heads["judge"]>[0] & { run_id: string }>({
        name: "abandoned",
        text,
        values: [queueNames(queue)],
      }),
    );
    return rows.filter((row) => this.#heads.judge(row) === undefined).map(({ run_id }) => decodeText(run_id));
  }

  /** A run whose process ends without having finished it: any worker of the queue continues it. */
  async leave(runId: string, queue: string): Promise<void> {
    const text = `INSERT INTO ${this.#schema}.orphans (run_id, queue) VALUES ($1, $2) ON CONFLICT (run_id) DO UPDATE SET queue = $2`;
    await this.#database.writeOnce({ name: "leave", text, values: [encodeText(runId), queueRow(queue)] });
  }

  async adopt(runId: string): Promise<void> {
    const text = `DELETE FROM ${this.#schema}.orphans WHERE run_id = $1`;
    await this.#database.writeOnce({ name: "adopt", text, values: [encodeText(runId)] });
  }

  /** Removes the subgraphs of a measurement, which has no run of its own in the journal. */
  async removeRun(parent: string): Promise<void> {
    await this.#database.write((on) => deleteRunRows(on, this.#schema, parent));
  }

  /** Removes measurements of processes that are gone. @param prefix of their runs, before the presence of the process */
  async removeProbes(prefix: string): Promise<void> {
    const text = `SELECT DISTINCT parent FROM ${this.#schema}.dispatches WHERE starts_with(parent, $1) AND NOT EXISTS (SELECT 1 FROM ${this.#schema}.presences
      WHERE presence::text = split_part(substr(parent, length($1) + 1), '~', 1) AND seen_at > clock_timestamp() - interval '1 minute')`;
    const left = await this.#database.read((on) => on.query<{ parent: string }>({ text, values: [prefix] }));
    for (const { parent } of left) await this.removeRun(decodeText(parent));
  }

  /**
   * From the first subgraph on that is dispatched in this format, the whole run is of it: workers of an earlier one, which would read neither its requests nor its plans, do not
   * continue it, should this process end.
   */
  async #move(runId: string, queue: string): Promise<void> {
    if (this.#moved.has(runId)) return;
    const text = `UPDATE ${this.#schema}.dispatches SET queue = $2 WHERE parent = $1 AND queue = $3`;
    const values = [encodeText(runId), queueRow(queue), queue];
    await this.#database.writeOnce({ name: "move", text, values });
    if (this.#moved.size >= rememberedRuns) this.#moved.clear();
    this.#moved.add(runId);
  }

  async #find(on: Queryable, id: string): Promise<DispatchRequest | undefined> {
    const text = `SELECT request FROM ${this.#schema}.dispatches WHERE run_id = $1`;
    const [row] = await on.query<{ request: string }>({ name: "request", text, values: [encodeText(id)] });
    return row && KeptRequests.bare(row.request);
  }
}

function openTasks({ plan }: DispatchRequest): string[] {
  return plan.planned_tasks.flatMap(({ task_id, status }) => (status === "completed" ? [] : [task_id]));
}

function subgraphRunId({ run_id, subgraph_id, plan }: DispatchRequest, again: number): string {
  const revision = planRevision(plan);
  const parts = [run_id, ...(revision === "" ? [] : [revision]), subgraph_id, ...(again > 1 ? [String(again)] : [])];
  const id = parts.join("~");
  if (encodeText(id).length <= longestId) return id;
  return `${id.slice(0, longestId / 8)}~${createHash("sha256").update(id).digest("hex")}`;
}
