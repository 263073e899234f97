export { type EmbeddedPostgres, type EmbeddedPostgresOptions, embeddedPostgres } from "./embedded/embedded-postgres.ts";
export { PostgresJournal, type PostgresJournalOptions } from "./postgres-journal.ts";
