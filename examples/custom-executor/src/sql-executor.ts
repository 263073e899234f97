import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { defineExecutor, type Executor, type JsonSchema } from "planloom";

/** One statement that a plan may use. */
export interface Query {
  readonly id: string;
  readonly description: string;
  /** With named parameters: `WHERE city = :city`. Values are bound, never written into the text. */
  readonly sql: string;
  /** Parameters with their schemas; all are required. */
  readonly input?: Readonly<Record<string, JsonSchema>>;
  /** Columns with their schemas: what later tasks may refer to. */
  readonly columns?: Readonly<Record<string, JsonSchema>>;
  /** @default false */
  readonly readOnly?: boolean;
}

export interface SqlExecutorOptions {
  /** More rows than this fail the task. @default 10_000 */
  readonly maxRows?: number;
}

/** How long rows are read without letting the process hear timers and signals. */
const longestTurnMs = 10;

/**
 * Queries of one database as tools; the output is the list of rows. Rows are read one after another, so a query is stopped
 * between two of them; a single row that takes long to find holds the process up, as everything in `node:sqlite` does.
 */
export function sqlExecutor(
  database: DatabaseSync,
  queries: readonly Query[],
  { maxRows = 10_000 }: SqlExecutorOptions = {},
): Executor {
  const byId = new Map(queries.map((query) => [query.id, query]));
  const resources = queries.map(({ id, description, input = {}, columns = {}, readOnly = false }) => ({
    kind: "tool" as const,
    id,
    description,
    input_schema: { type: "object", properties: input, required: Object.keys(input), additionalProperties: false },
    output_schema: { type: "array", items: { type: "object", properties: columns } },
    read_only: readOnly,
  }));
  return defineExecutor({
    kind: "tool",
    resources: () => resources,
    async execute({ uid, input_data }, { signal }) {
      const query = byId.get(uid);
      if (query === undefined) throw new Error(`No query is called "${uid}".`);
      signal.throwIfAborted();
      const statement = database.prepare(query.sql);
      const rows: Record<string, unknown>[] = [];
      let turnBegan = performance.now();
      for (const row of statement.iterate(input_data as Record<string, SQLInputValue>)) {
        if (rows.length === maxRows) throw new Error(`${uid} gave more than ${maxRows} rows. Ask for less.`);
        rows.push({ ...row });
        if (performance.now() - turnBegan < longestTurnMs) continue;
        await turn();
        signal.throwIfAborted();
        turnBegan = performance.now();
      }
      return rows;
    },
  });
}
