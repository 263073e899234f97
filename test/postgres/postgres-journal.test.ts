import { describe } from "vitest";
import { journalContract } from "../contract/journal.ts";
import { postgresUrl } from "../support/postgres.ts";
import { postgresSubject } from "./subject.ts";

describe.skipIf(postgresUrl === undefined)("PostgresJournal", () => {
  journalContract("Postgres", () => postgresSubject(postgresUrl!));
});
