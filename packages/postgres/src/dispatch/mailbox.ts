import type { Database } from "../connection/database.ts";
import type { Session } from "../connection/session.ts";
import { decodeText, encodeText } from "../connection/text.ts";

interface Channel {
  /** The number of the last message that was heard. */
  heard: number;
  readonly onMessage: (message: unknown) => void;
}

interface Letter {
  readonly channel: string;
  readonly number: number;
  readonly body: string;
}

/** How often a mailbox looks for messages whose notice it may have missed, in milliseconds. */
const lookMs = 1_000;

/**
 * Messages between two processes, by the database that both have. They arrive once, in the order in which they were sent, also where connections break. What is sent
 * while a statement is under way goes with the next one. A channel has one sender and one receiver.
 */
export class Mailbox {
  readonly #database: Database;
  readonly #session: Pick<Session, "listen">;
  readonly #schema: string;
  readonly #channels = new Map<string, Channel>();
  readonly #due = new Set<string>();
  readonly #unsent: Letter[] = [];
  readonly #onError: (error: unknown) => void;
  #sending: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #stopListening: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onError is called when the database cannot be reached for longer than its patience */
  constructor(database: Database, session: Pick<Session, "listen">, schema: string, onError: (error: unknown) => void) {
    this.#database = database;
    this.#session = session;
    this.#schema = schema;
    this.#onError = onError;
  }

  /** @returns what sends a message */
  sender(channel: string): (message: unknown) => void {
    let number = 0;
    return (message) => {
      number++;
      this.#unsent.push({ channel, number, body: JSON.stringify(message) });
      this.#send();
    };
  }

  /** Gives what comes to `onMessage`, in its order. @returns ends that, and removes what was not read */
  receive(channel: string, onMessage: (message: unknown) => void): () => Promise<void> {
    this.#channels.set(channel, { heard: 0, onMessage });
    this.#stopListening ??= this.#session.listen(({ kind, runId }) => {
      if (kind === "missed" || (kind === "mail" && runId === undefined)) this.#lookAll();
      else if (kind === "mail" && runId !== undefined && this.#channels.has(runId)) this.#look([runId]);
    });
    this.#timer ??= setInterval(() => this.#lookAll(), lookMs).unref();
    this.#look([channel]);
    return async () => {
      this.#channels.delete(channel);
      if (this.#channels.size === 0) this.#rest();
      const text = `DELETE FROM ${this.#schema}.mail WHERE channel = $1`;
      await this.#database.writeOnce({ name: "end mail", text, values: [encodeText(channel)] });
    };
  }

  /** Resolves when all that was sent to a channel by now was given to its receiver. */
  async catchUp(channel: string): Promise<void> {
    this.#look([channel]);
    while (this.#reading !== undefined) await this.#reading;
  }

  /** Resolves when nothing is on its way any more. */
  async flush(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #send(): void {
    // What is said in one turn of the event loop goes together.
    this.#sending ??= Promise.resolve()
      .then(async () => {
        while (this.#unsent.length > 0) await this.#post(this.#unsent.splice(0));
      })
      .catch(this.#onError)
      .finally(() => {
        this.#sending = undefined;
        if (this.#unsent.length > 0) this.#send();
      });
  }

  async #post(letters: readonly Letter[]): Promise<void> {
    const notices = [...new Set(letters.map(({ channel }) => `mail ${encodeText(channel)}`))];
    await this.#database.writeOnce({
      name: "post",
      text: `WITH posted AS (INSERT INTO ${this.#schema}.mail (channel, number, body) SELECT * FROM unnest($1::text[], $2::int[], $3::text[])
          ON CONFLICT DO NOTHING RETURNING 1)
        SELECT pg_notify($4, notice), (SELECT count(*) FROM posted) FROM unnest($5::text[]) AS notice`,
      values: [
        letters.map(({ channel }) => encodeText(channel)),
        letters.map(({ number }) => number),
        letters.map(({ body }) => body),
        `planloom_${this.#schema}`,
        notices,
      ],
    });
  }

  #lookAll(): void {
    this.#look([...this.#channels.keys()]);
  }

  #look(channels: readonly string[]): void {
    for (const channel of channels) this.#due.add(channel);
    if (this.#due.size === 0) return;
    this.#reading ??= this.#read()
      .catch(this.#onError)
      .finally(() => {
        this.#reading = undefined;
        if (this.#due.size > 0) this.#look([]);
      });
  }

  async #read(): Promise<void> {
    while (this.#due.size > 0) {
      const names = [...this.#due].filter((name) => this.#channels.has(name));
      this.#due.clear();
      if (names.length === 0) return;
      const values = [names.map(encodeText), names.map((name) => this.#channels.get(name)?.heard ?? 0)];
      const rows = await this.#database.writeOnce<Letter>({
        name: "mail",
        text: `WITH asked AS (SELECT * FROM unnest($1::text[], $2::int[]) AS row (channel, heard)),
          gone AS (DELETE FROM ${this.#schema}.mail USING asked WHERE mail.channel = asked.channel AND number <= heard)
          SELECT mail.channel, number, body FROM ${this.#schema}.mail JOIN asked ON mail.channel = asked.channel AND number > heard
          ORDER BY mail.channel, number`,
        values,
      });
      for (const { channel, number, body } of rows) {
        const heard = this.#channels.get(decodeText(channel));
        // A sender's statements follow one another, so that no number is left out.
        if (heard === undefined || number !== heard.heard + 1) continue;
        heard.heard = number;
        heard.onMessage(JSON.parse(body));
      }
    }
  }
}
