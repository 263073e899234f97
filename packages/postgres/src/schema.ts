import { RuntimeError, RuntimeErrorCode } from "@planloom/runtime";
import { parseRecord } from "@planloom/runtime/journal-parts";
import type { Database, Queryable } from "./connection/database.ts";
import { encodeText } from "./connection/text.ts";

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** Writes what its statements cannot compute, in the same transaction. */
  readonly fill?: (on: Queryable) => Promise<void>;
}

/** What Postgres reads of JSON has no NUL anywhere in it, so that the options of runs are read here. A run whose options are not JSON is listed for no tenant. */
async function fillTenants(on: Queryable): Promise<void> {
  const text = `SELECT run_id, options FROM plans WHERE run_id > $1 AND options LIKE '%"tenant":%' ORDER BY run_id LIMIT 1000`;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: readonly { run_id: string; options: string }[] = await on.query({ text, values: [after] });
    const found = rows.flatMap(({ run_id, options }) => {
      const tenant = tenantIn(options);
      return tenant === undefined ? [] : [{ run_id, tenant: encodeText(tenant) }];
    });
    await on.query({
      text: "UPDATE runs SET tenant = found.tenant FROM unnest($1::text[], $2::text[]) AS found (run_id, tenant) WHERE runs.run_id = found.run_id",
      values: [found.map(({ run_id }) => run_id), found.map(({ tenant }) => tenant)],
    });
    after = rows.at(-1)?.run_id;
  }
}

function tenantIn(options: string): string | undefined {
  try {
    const { tenant } = parseRecord<{ readonly tenant?: unknown }>(options);
    return typeof tenant === "string" && tenant !== "" ? tenant : undefined;
  } catch {
    return undefined;
  }
}

/** In order; one that was released never changes. Statements run with the journal's schema as their only `search_path`. */
const migrations: readonly Migration[] = [
  {
    version: 1,
    name: "runs and all that is kept of them, leases, waits, cached outputs, shared limits",
    // `heads` has one narrow row a run, which every write of the run locks: who holds the run, and where its chain of checksums ends. Half of each of its pages
    // stays free, so that a new version of a row is written beside the one before, and no index changes. `presences` says which
    // journals are open; it is rewritten every second and worth nothing after a crash, so that it needs no log.
    sql: `
      CREATE TABLE runs (
        run_id text COLLATE "C" PRIMARY KEY, number bigserial NOT NULL, plan_id text COLLATE "C" NOT NULL, title text NOT NULL,
        tasks int NOT NULL, status text NOT NULL, created_at text COLLATE "C" NOT NULL, updated_at text COLLATE "C" NOT NULL,
        certificate text, metadata text
      );
      CREATE INDEX runs_by_creation ON runs (created_at, number);
      CREATE INDEX runs_by_plan ON runs (plan_id, created_at);
      CREATE INDEX runs_open ON runs (created_at) WHERE status NOT IN ('completed', 'failed', 'cancelled');
      CREATE TABLE heads (
        run_id text COLLATE "C" PRIMARY KEY, chain_length int NOT NULL, chain_head text NOT NULL, chain_key text NOT NULL,
        token text, host text, pid int, process text, presence int, beat int NOT NULL DEFAULT 0, seen_at timestamptz,
        cancel smallint NOT NULL DEFAULT 0
      ) WITH (fillfactor = 50);
      CREATE UNLOGGED TABLE presences (presence int PRIMARY KEY, seen_at timestamptz NOT NULL) WITH (fillfactor = 50);
      CREATE TABLE chain (
        run_id text COLLATE "C" NOT NULL, link int NOT NULL, entries text NOT NULL, head text NOT NULL, PRIMARY KEY (run_id, link)
      );
      CREATE TABLE plans (run_id text COLLATE "C" PRIMARY KEY, plan text NOT NULL, options text NOT NULL);
      CREATE TABLE plan_parts (run_id text COLLATE "C" NOT NULL, part int NOT NULL, tasks text NOT NULL, PRIMARY KEY (run_id, part));
      CREATE TABLE tasks (
        run_id text COLLATE "C" NOT NULL, task_key text COLLATE "C" NOT NULL, input_hash text COLLATE "C" NOT NULL,
        number bigserial NOT NULL, task_id text NOT NULL, status text NOT NULL, uid text, attempts int NOT NULL,
        started_at float8 NOT NULL, duration_ms float8 NOT NULL, skipped_because text, input text, output text, output_blob text,
        error text, usage text, timing text, asked_hash text, question text, PRIMARY KEY (run_id, task_key, input_hash)
      );
      CREATE TABLE blobs (
        run_id text COLLATE "C" NOT NULL, hash text COLLATE "C" NOT NULL, value text NOT NULL, PRIMARY KEY (run_id, hash)
      );
      CREATE TABLE nested_tasks (
        run_id text COLLATE "C" NOT NULL, record_key text COLLATE "C" NOT NULL, number bigserial NOT NULL, key text NOT NULL,
        record text NOT NULL, PRIMARY KEY (run_id, record_key)
      );
      CREATE TABLE pending_usage (
        run_id text COLLATE "C" NOT NULL, pending_key text COLLATE "C" NOT NULL, key text NOT NULL, pending text NOT NULL,
        PRIMARY KEY (run_id, pending_key)
      );
      CREATE TABLE events (run_id text COLLATE "C" NOT NULL, number bigserial NOT NULL, seq int NOT NULL, event text NOT NULL, PRIMARY KEY (run_id, number));
      CREATE TABLE model_calls (
        run_id text COLLATE "C" NOT NULL, number bigserial NOT NULL, purpose text NOT NULL, call text NOT NULL, PRIMARY KEY (run_id, number)
      );
      CREATE TABLE answers (
        run_id text COLLATE "C" NOT NULL, number bigserial NOT NULL, task_id text NOT NULL, answer text NOT NULL, PRIMARY KEY (run_id, number)
      );
      CREATE TABLE revisions (
        run_id text COLLATE "C" NOT NULL, number bigserial NOT NULL, base text NOT NULL, patch_id text NOT NULL, revision text NOT NULL,
        PRIMARY KEY (run_id, number)
      );
      CREATE TABLE replaced_tasks (
        run_id text COLLATE "C" NOT NULL, task_key text COLLATE "C" NOT NULL, task_id text NOT NULL, PRIMARY KEY (run_id, task_key)
      );
      CREATE TABLE waits (
        run_id text COLLATE "C" NOT NULL, wait_key text COLLATE "C" NOT NULL, number bigserial NOT NULL, due_at float8, event text,
        key text, claimed_until float8 NOT NULL DEFAULT 0, wait text NOT NULL, PRIMARY KEY (run_id, wait_key)
      );
      CREATE INDEX waits_due ON waits (due_at) WHERE due_at IS NOT NULL;
      CREATE TABLE signals (
        run_id text COLLATE "C" NOT NULL, signal_key text COLLATE "C" NOT NULL, number bigserial NOT NULL, id text NOT NULL,
        event text NOT NULL, key text NOT NULL, sent_ms float8 NOT NULL, taken_by text, signal text NOT NULL,
        PRIMARY KEY (run_id, signal_key)
      );
      CREATE INDEX signals_pending ON signals (run_id, number) WHERE taken_by IS NULL;
      CREATE TABLE cache (cache_key text COLLATE "C" PRIMARY KEY, output text NOT NULL, stored_at float8 NOT NULL, run_id text COLLATE "C");
      CREATE INDEX cache_by_run ON cache (run_id);
      CREATE INDEX cache_by_age ON cache (stored_at);
      CREATE TABLE shared_limits (limit_key text COLLATE "C" PRIMARY KEY, value text NOT NULL);`,
  },
  {
    version: 2,
    name: "subgraphs that are dispatched, the workers that take them, what they say to each other, and runs that any worker may continue",
    // `attempt` is the only one that may begin the subgraph, and only while `is_open`. `deaths` counts the workers that died of it since it had `recorded` tasks.
    sql: `
      CREATE TABLE dispatches (
        run_id text COLLATE "C" PRIMARY KEY, parent text COLLATE "C" NOT NULL, queue text COLLATE "C" NOT NULL, attempt int NOT NULL DEFAULT 0,
        is_open boolean NOT NULL DEFAULT false, deaths int NOT NULL DEFAULT 0, recorded int NOT NULL DEFAULT 0, request text NOT NULL
      );
      CREATE INDEX dispatches_by_parent ON dispatches (parent);
      CREATE TABLE workers (
        presence int PRIMARY KEY, queue text COLLATE "C" NOT NULL, class text COLLATE "C" NOT NULL, concurrency int NOT NULL, resources text NOT NULL
      );
      CREATE TABLE mail (
        channel text COLLATE "C" NOT NULL, number int NOT NULL, body text NOT NULL, sent_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (channel, number)
      );
      CREATE TABLE orphans (run_id text COLLATE "C" PRIMARY KEY, queue text COLLATE "C" NOT NULL);`,
  },
  {
    version: 3,
    name: "which session of a run a worker asks",
    // The token of the lease under which an attempt was opened; null for one that asks nobody, and for those of before.
    sql: "ALTER TABLE dispatches ADD COLUMN asker text",
  },
  {
    version: 4,
    name: "subgraphs that are given large outputs by reference",
    // What earlier processes would read of a plan or a request that names outputs is not a plan, nor a request.
    sql: `COMMENT ON COLUMN plans.plan IS 'the plan without its tasks; of a subgraph that is given large outputs, a list of that and of the outputs of its run that it names';
      COMMENT ON COLUMN dispatches.request IS 'the request; one that names large outputs of its run is in "request", beside "outputs"';`,
  },
  {
    version: 5,
    name: "whose runs are listed",
    // An index takes 2,700 bytes at most, and a key of a tenant may be longer.
    sql: `ALTER TABLE runs ADD COLUMN tenant text COLLATE "C";
      CREATE INDEX runs_by_tenant ON runs (left(tenant, 200), created_at, number);`,
    fill: fillTenants,
  },
  {
    version: 6,
    name: "signals that cost the same whatever the size of the run",
    // `signal_schemas` is made of the plan when the first signal comes: the row of no event says which revision it was made of. A wait that a signal has made due
    // (`signalled`) is none that a further one is for. An index takes 2,700 bytes at most, and names may be longer.
    sql: `CREATE TABLE signal_schemas (run_id text COLLATE "C" NOT NULL, event_key text COLLATE "C" NOT NULL, schemas text NOT NULL, PRIMARY KEY (run_id, event_key));
      ALTER TABLE waits ADD COLUMN signalled boolean NOT NULL DEFAULT false;
      CREATE INDEX waits_for_signals ON waits (run_id, md5(event), md5(key), number) WHERE event IS NOT NULL AND NOT signalled;
      CREATE INDEX signals_by_name ON signals (run_id, md5(event), md5(key), number) WHERE taken_by IS NULL;
      CREATE INDEX signals_taken ON signals (run_id, md5(taken_by)) WHERE taken_by IS NOT NULL;`,
  },
  {
    version: 7,
    name: "which attempt at a subgraph tries again what failed before",
    sql: "ALTER TABLE dispatches ADD COLUMN tries_again boolean NOT NULL DEFAULT false",
  },
];

/** The version of the schema that this package reads and writes. */
export const schemaVersion = migrations.length;

/**
 * Brings a new or older schema to the present version, in one transaction that excludes those of other processes.
 * @throws RuntimeError JOURNAL_NEWER, JOURNAL_FOREIGN, JOURNAL_OPEN
 */
export async function migrate(database: Database, schema: string): Promise<void> {
  // A user without the right to create anything can use a schema that is as it should be.
  const there = await database.opening((on) => versionOf(on, database.name, schema));
  if (there === schemaVersion) return;
  await database.opening(async (on) => {
    await on.query({
      text: "SELECT pg_advisory_xact_lock(hashtext($1), 0)",
      values: [`planloom migrations of ${schema}`],
    });
    const version = await versionOf(on, database.name, schema);
    if (version === schemaVersion) return;
    await on.query({ text: `CREATE SCHEMA IF NOT EXISTS ${schema}` });
    await on.query({ text: `SET LOCAL search_path TO ${schema}` });
    await on.query({
      text: "CREATE TABLE IF NOT EXISTS migrations (version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
    });
    for (const migration of migrations) {
      if (migration.version <= version) continue;
      await on.query({ text: migration.sql });
      await migration.fill?.(on);
      const values = [migration.version, migration.name];
      await on.query({ text: "INSERT INTO migrations (version, name) VALUES ($1, $2)", values });
    }
  });
}

/** 0 where there is no schema, or an empty one. */
async function versionOf(on: Queryable, name: string, schema: string): Promise<number> {
  const text =
    "SELECT count(*) AS tables, count(*) FILTER (WHERE tablename = 'migrations') AS ours FROM pg_tables WHERE schemaname = $1";
  const [found] = await on.query<{ tables: number; ours: number }>({ text, values: [schema] });
  if (found === undefined || found.tables === 0) return 0;
  if (found.ours === 0) {
    throw new RuntimeError(
      RuntimeErrorCode.JOURNAL_FOREIGN,
      `The schema "${schema}" of ${name} has tables of another program. Give another one (option \`schema\`).`,
      { details: { journal: name, schema } },
    );
  }
  const rows = await on.query<{ version: number | null }>({
    text: `SELECT max(version) AS version FROM ${schema}.migrations`,
  });
  const version = rows[0]?.version ?? 0;
  if (version <= schemaVersion) return version;
  throw new RuntimeError(
    RuntimeErrorCode.JOURNAL_NEWER,
    `The journal ${name} has format ${version}; this Planloom reads up to ${schemaVersion}. Update Planloom on this machine, or give another schema (option \`schema\`).`,
    { details: { journal: name, version, supported: schemaVersion } },
  );
}
