import type { Database, Queryable } from "./connection/database.ts";
import { channelOf, type Notice, noticeText } from "./connection/session.ts";

/** Events of a run are announced at most this often, in milliseconds: each notice costs every listener a look. */
const eventsEveryMs = 25;

/** Tells other processes what they would find if they looked. Nothing depends on it: they look from time to time as well. */
export class Notices {
  readonly #database: Database;
  readonly #channel: string;
  readonly #runs = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#channel = channelOf(schema);
  }

  /** With the commit of the transaction, or not at all. */
  async tell(on: Queryable, notice: Notice): Promise<void> {
    await on.query({ name: "tell", text: "SELECT pg_notify($1, $2)", values: [this.#channel, noticeText(notice)] });
  }

  /** Soon: the run has new events. */
  tellOfEvents(runId: string): void {
    this.#runs.add(runId);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const texts = [...this.#runs].map((id) => noticeText({ kind: "events", runId: id }));
      this.#runs.clear();
      const text = "SELECT pg_notify($1, given) FROM unnest($2::text[]) AS given";
      this.#database.attempt({ name: "tell all", text, values: [this.#channel, texts] }).catch(() => {});
    }, eventsEveryMs).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
