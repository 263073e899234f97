import type { DatabaseSync } from "node:sqlite";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

/** Marks the file as ours in its header ("Plan"). */
const applicationId = 0x506c616e;

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** In order; one that was released never changes. */
const migrations: readonly Migration[] = [
  {
    version: 1,
    name: "runs, their plans, tasks and leases",
    // Plans are in a table of their own, so that a change of status does not rewrite them; leases, because they change often.
    sql: `
      CREATE TABLE runs (
        run_id TEXT PRIMARY KEY, plan_id TEXT NOT NULL, title TEXT NOT NULL, tasks INTEGER NOT NULL,
        status TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
      ) STRICT;
      CREATE TABLE plans (run_id TEXT PRIMARY KEY, plan TEXT NOT NULL, options TEXT NOT NULL) STRICT;
      CREATE TABLE leases (
        run_id TEXT PRIMARY KEY, token TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, seen_at REAL NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE tasks (
        run_id TEXT NOT NULL, task_id TEXT NOT NULL, input_hash TEXT NOT NULL, status TEXT NOT NULL, uid TEXT,
        attempts INTEGER NOT NULL, started_at REAL NOT NULL, duration_ms REAL NOT NULL, skipped_because TEXT,
        input TEXT, output TEXT, error TEXT,
        PRIMARY KEY (run_id, task_id, input_hash)
      ) STRICT;`,
  },
  {
    version: 2,
    name: "approvals and usage",
    sql: `
      ALTER TABLE tasks ADD COLUMN usage TEXT;
      CREATE TABLE answers (run_id TEXT NOT NULL, answer TEXT NOT NULL) STRICT;
      CREATE INDEX answers_of_run ON answers (run_id);`,
  },
  {
    version: 3,
    name: "large outputs once, ends of tasks, certificates, events",
    // A large output is in `blobs`, once under the hash of its text, for all runs that have it.
    sql: `
      ALTER TABLE runs ADD COLUMN certificate TEXT;
      ALTER TABLE tasks ADD COLUMN timing TEXT;
      ALTER TABLE tasks ADD COLUMN asked_hash TEXT;
      ALTER TABLE tasks ADD COLUMN output_blob TEXT;
      CREATE INDEX tasks_by_blob ON tasks (output_blob) WHERE output_blob IS NOT NULL;
      CREATE TABLE blobs (hash TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
      CREATE TABLE events (run_id TEXT NOT NULL, event TEXT NOT NULL) STRICT;
      CREATE INDEX events_of_run ON events (run_id);`,
  },
  {
    version: 4,
    name: "requests to cancel",
    sql: "ALTER TABLE leases ADD COLUMN cancel INTEGER NOT NULL DEFAULT 0;",
  },
  {
    version: 5,
    name: "cached outputs, tasks of nested plans",
    sql: `
      CREATE TABLE cache (key TEXT PRIMARY KEY, output TEXT NOT NULL, stored_at REAL NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE nested_tasks (
        run_id TEXT NOT NULL, key TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (run_id, key)
      ) STRICT;`,
  },
  {
    version: 6,
    name: "revisions of plans",
    // One change at most may follow each revision. Tasks that were replaced keep their records and are counted no more.
    sql: `
      CREATE TABLE revisions (
        run_id TEXT NOT NULL, base TEXT NOT NULL, patch_id TEXT NOT NULL, revision TEXT NOT NULL,
        PRIMARY KEY (run_id, base)
      ) STRICT;
      CREATE TABLE replaced_tasks (
        run_id TEXT NOT NULL, task_id TEXT NOT NULL, PRIMARY KEY (run_id, task_id)
      ) STRICT, WITHOUT ROWID;`,
  },
  {
    version: 7,
    name: "model calls, calls under way",
    sql: `
      CREATE TABLE model_calls (run_id TEXT NOT NULL, call TEXT NOT NULL) STRICT;
      CREATE INDEX model_calls_of_run ON model_calls (run_id);
      CREATE TABLE pending_usage (
        run_id TEXT NOT NULL, key TEXT NOT NULL, pending TEXT NOT NULL, PRIMARY KEY (run_id, key)
      ) STRICT, WITHOUT ROWID;`,
  },
  {
    version: 8,
    name: "plans in parts",
    // Plans stored before keep their tasks where they are: reading takes both.
    sql: `
      CREATE TABLE plan_parts (
        run_id TEXT NOT NULL, part INTEGER NOT NULL, tasks TEXT NOT NULL, PRIMARY KEY (run_id, part)
      ) STRICT;`,
  },
  {
    version: 9,
    name: "leases that trust no clock, checksums, what people were asked, lists of runs, whose outputs are cached",
    // Runs that are there already have no chain: its length is null for them.
    // `process` is the owner's identity as JSON, `beat` counts its signs of life, `seen_ms` is the last one by its boot's clock.
    sql: `
      ALTER TABLE tasks ADD COLUMN question TEXT;
      ALTER TABLE leases ADD COLUMN process TEXT;
      ALTER TABLE leases ADD COLUMN beat INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE leases ADD COLUMN seen_ms REAL;
      ALTER TABLE leases ADD COLUMN sightings TEXT;
      ALTER TABLE runs ADD COLUMN chain_length INTEGER;
      ALTER TABLE runs ADD COLUMN chain_head TEXT;
      ALTER TABLE runs ADD COLUMN chain_key TEXT;
      CREATE TABLE chain (
        run_id TEXT NOT NULL, link INTEGER NOT NULL, entries TEXT NOT NULL, head TEXT NOT NULL,
        PRIMARY KEY (run_id, link)
      ) STRICT, WITHOUT ROWID;
      ALTER TABLE runs ADD COLUMN metadata TEXT;
      UPDATE runs SET metadata = (SELECT iif(json_valid(options), json_extract(options, '$.metadata'), NULL)
        FROM plans WHERE plans.run_id = runs.run_id);
      CREATE INDEX runs_by_creation ON runs (created_at);
      CREATE INDEX runs_by_plan ON runs (plan_id, created_at);
      ALTER TABLE cache ADD COLUMN run_id TEXT;
      CREATE INDEX cache_by_run ON cache (run_id);
      CREATE INDEX cache_by_age ON cache (stored_at);`,
  },
  {
    version: 10,
    name: "limits of several processes",
    sql: "CREATE TABLE shared_limits (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;",
  },
  {
    version: 11,
    name: "waits and signals",
    // `claimed_until` keeps what is due from others while the process that asked for it resumes the run. Signals that nobody has taken are found by their index alone.
    sql: `
      CREATE TABLE waits (
        run_id TEXT NOT NULL, id TEXT NOT NULL, due_at REAL, event TEXT, key TEXT, claimed_until REAL NOT NULL DEFAULT 0,
        wait TEXT NOT NULL, PRIMARY KEY (run_id, id)
      ) STRICT;
      CREATE INDEX waits_due ON waits (due_at) WHERE due_at IS NOT NULL;
      CREATE TABLE signals (
        run_id TEXT NOT NULL, id TEXT NOT NULL, event TEXT NOT NULL, key TEXT NOT NULL, sent_ms REAL NOT NULL,
        taken_by TEXT, signal TEXT NOT NULL, PRIMARY KEY (run_id, id)
      ) STRICT;
      CREATE INDEX signals_pending ON signals (run_id, event, key) WHERE taken_by IS NULL;`,
  },
  {
    version: 12,
    name: "whose runs are listed",
    sql: `
      ALTER TABLE runs ADD COLUMN tenant TEXT;
      UPDATE runs SET tenant = (SELECT iif(json_valid(options), nullif(json_extract(options, '$.tenant'), ''), NULL)
        FROM plans WHERE plans.run_id = runs.run_id);
      CREATE INDEX runs_by_tenant ON runs (tenant, created_at);`,
  },
  {
    version: 13,
    name: "signals that cost the same whatever the size of the run",
    // `signal_schemas` is made of the plan when the first signal comes: the row of no event says which revision it was made of, and a plan that has changed since is read again.
    // A wait that a signal has made due (`signalled`) is none that a further one is for.
    sql: `
      CREATE TABLE signal_schemas (
        run_id TEXT NOT NULL, event TEXT NOT NULL, schemas TEXT NOT NULL, PRIMARY KEY (run_id, event)
      ) STRICT, WITHOUT ROWID;
      ALTER TABLE waits ADD COLUMN signalled INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX waits_for_signals ON waits (run_id, event, key) WHERE event IS NOT NULL AND signalled = 0;
      CREATE INDEX signals_taken ON signals (run_id, taken_by) WHERE taken_by IS NOT NULL;`,
  },
];
export const journalVersion = migrations.length;

/**
 * Brings a new or older file to the present schema, in one transaction.
 * @returns whether it was of an earlier version
 * @throws RuntimeError JOURNAL_NEWER, JOURNAL_FOREIGN; SQLite's own errors.
 */
export function migrate(database: DatabaseSync, file: string): boolean {
  if (versionOf(database, file) === journalVersion) return false;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have been faster.
    const version = versionOf(database, file);
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec(
      "CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT",
    );
    const insert = database.prepare("INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, ?)");
    for (const migration of migrations) {
      if (migration.version <= version) continue;
      database.exec(migration.sql);
      insert.run(migration.version, migration.name, new Date().toISOString());
    }
    database.exec("COMMIT");
    return version > 0 && version < journalVersion;
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself.
    }
    throw error;
  }
}

/** 0 for an empty file. */
function versionOf(database: DatabaseSync, file: string): number {
  const { tables } = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() as { tables: number };
  if (tables === 0) return 0;
  const { application_id } = database.prepare("PRAGMA application_id").get() as { application_id: number };
  if (application_id !== applicationId) {
    throw new RuntimeError(
      RuntimeErrorCode.JOURNAL_FOREIGN,
      `The file ${file} is a database of another program. Use another file for the journal.`,
      { details: { file } },
    );
  }
  const { version } = database.prepare("SELECT coalesce(max(version), 0) AS version FROM migrations").get() as {
    version: number;
  };
  if (version > journalVersion) {
    throw new RuntimeError(
      RuntimeErrorCode.JOURNAL_NEWER,
      `The journal ${file} has format ${version}; this Planloom reads up to ${journalVersion}. Update Planloom, or use another file (PLANLOOM_HOME or the journal option).`,
      { details: { file, version, supported: journalVersion } },
    );
  }
  return version;
}
