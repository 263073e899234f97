import type { DispatchRequest } from "@planloom/runtime";
import { parseRecord } from "@planloom/runtime/journal-parts";
import type { Database, Queryable } from "../connection/database.ts";
import { encodeText } from "../connection/text.ts";
import {
  type LargeOutput,
  largeOutputs,
  type OutputReference,
  referenceOf,
  withOutputs,
  withoutOutputs,
} from "../rows/given-outputs.ts";
import type { OutputCache } from "../rows/output-cache.ts";

/** How a request is kept that is given large outputs. Any other one is kept as it is. */
interface KeptRequest {
  readonly request: DispatchRequest;
  readonly outputs: readonly OutputReference[];
}

/**
 * Requests as rows hold them. Large outputs that a subgraph is given stay where they are, in the journal of the run that dispatches it: the request names them, and each worker
 * reads each once.
 */
export class KeptRequests {
  readonly #database: Database;
  readonly #schema: string;
  readonly #outputs: OutputCache;

  constructor(database: Database, schema: string, outputs: OutputCache) {
    this.#database = database;
    this.#schema = schema;
    this.#outputs = outputs;
  }

  /** The request as text, once all outputs that it names are in the journal of its run. The same request gives the same text. */
  async text(request: DispatchRequest): Promise<string> {
    const { plan, run_id } = request;
    const large = largeOutputs(plan.planned_tasks);
    if (large.length === 0) return JSON.stringify(request);
    await this.#place(run_id, large);
    const kept: KeptRequest = {
      request: { ...request, plan: withoutOutputs(plan, large) },
      outputs: large.map(referenceOf),
    };
    return JSON.stringify(kept);
  }

  /** @throws RuntimeError JOURNAL_CORRUPT where an output is not there */
  async whole(on: Queryable, text: string): Promise<DispatchRequest> {
    const { request, outputs } = read(text);
    if (outputs.length === 0) return request;
    const texts = await this.#outputs.read(on, request.run_id, outputs);
    return { ...request, plan: withOutputs(request.plan, outputs, texts) };
  }

  /** The request without outputs that it names. */
  static bare(text: string): DispatchRequest {
    return read(text).request;
  }

  /** Outputs of tasks are there since they were recorded; those that a run was begun with are not. */
  async #place(runId: string, large: readonly LargeOutput[]): Promise<void> {
    const id = encodeText(runId);
    const there = await this.#database.read((on) =>
      on.query<{ hash: string }>({
        name: "outputs there",
        text: `SELECT hash FROM ${this.#schema}.blobs WHERE run_id = $1 AND hash = ANY ($2::text[])`,
        values: [id, large.map(({ hash }) => hash)],
      }),
    );
    const known = new Set(there.map(({ hash }) => hash));
    for (const { hash, text } of large) {
      if (known.has(hash)) continue;
      known.add(hash);
      await this.#database.writeOnce({
        name: "keep output",
        text: `INSERT INTO ${this.#schema}.blobs (run_id, hash, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
        values: [id, hash, text],
      });
    }
  }
}

function read(text: string): KeptRequest {
  const kept = parseRecord<KeptRequest | DispatchRequest>(text);
  return "request" in kept ? kept : { request: kept, outputs: [] };
}
