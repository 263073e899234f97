import { PostgresJournal, type PostgresJournalOptions } from "@planloom/postgres";
import type { JournalUnderTest } from "../contract/journal-subject.ts";
import { dropSchema, newSchema } from "../support/postgres.ts";

export interface PostgresSubject extends JournalUnderTest {
  readonly journal: PostgresJournal;
  readonly schema: string;
  another(options?: PostgresJournalOptions, url?: string): Promise<PostgresJournal>;
}

/** A journal in a schema of its own, which goes with it. */
export async function postgresSubject(url: string, options: PostgresJournalOptions = {}): Promise<PostgresSubject> {
  const schema = newSchema();
  const opened: PostgresJournal[] = [];
  const open = async (more: PostgresJournalOptions = {}, through = url) => {
    const journal = await PostgresJournal.open(through, { schema, events: true, ...options, ...more });
    opened.push(journal);
    return journal;
  };
  return {
    schema,
    journal: await open(),
    another: open,
    dispose: async () => {
      await Promise.all(opened.map((journal) => journal.close()));
      await dropSchema(url, schema);
    },
  };
}
