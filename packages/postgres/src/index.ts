export {
  type PostgresDispatcher,
  type PostgresDispatcherOptions,
  postgresDispatcher,
} from "./dispatch/postgres-dispatcher.ts";
export { type PostgresWorker, type PostgresWorkerOptions, postgresWorker } from "./dispatch/postgres-worker.ts";
export { type EmbeddedPostgres, type EmbeddedPostgresOptions, embeddedPostgres } from "./embedded/embedded-postgres.ts";
export type { PostgresJournalOptions } from "./journal-options.ts";
export { PostgresJournal } from "./postgres-journal.ts";
