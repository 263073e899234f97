import type { Database } from "../connection/database.ts";
import { engineSchema } from "./engine.ts";

export interface ClaimsParts {
  readonly database: Database;
  readonly schema: string;
  /** The worker's name in the engine. */
  readonly name: string;
  /** Ends an attempt in the engine, so that its subgraph is sent again. */
  giveBack(workflow: string): Promise<void>;
  /** Called when an attempt has ended here: the worker has room for another one. */
  onEnd(): void;
}

/** How often a worker compares what it executes with what the engine says of it, in milliseconds. */
const lookMs = 1_000;
/** In so many looks, one after the other: what is given to a worker reaches it within milliseconds, and the engine tries for longer to write that something has ended. */
const lostLooks = 8;
const endedLooks = 30;

/**
 * The attempts that the engine has given to this worker. Where a connection breaks in the moment in which one is taken from the queue, the database says that this worker has it, and the
 * worker never hears of it: it is alive, so that nobody would replace it. So it gives back what it has not begun.
 */
export class Claims {
  readonly #parts: ClaimsParts;
  readonly #begun = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #givenBack = new Set<string>();
  /** In how many looks, one after the other, an attempt was said to be here that is not. */
  readonly #missed = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(parts: ClaimsParts) {
    this.#parts = parts;
  }

  /** From now on it looks by itself. */
  watch(): void {
    this.#timer = setInterval(() => {
      // A database that is away for a while is asked again. Where its answers take long, so does what it gives.
      this.#looking ??= this.look()
        .catch(() => {})
        .finally(() => {
          this.#looking = undefined;
        });
    }, lookMs);
  }

  /** Whether the worker executes something. */
  get isBusy(): boolean {
    return this.#begun.size > 0;
  }

  /** Does the work of an attempt, unless that was given back. */
  async execute<T>(workflow: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#givenBack.has(workflow)) return undefined;
    this.#begun.add(workflow);
    this.#missed.delete(workflow);
    try {
      return await work();
    } finally {
      this.#begun.delete(workflow);
      this.#ended.add(workflow);
      this.#parts.onEnd();
    }
  }

  /** Compares once, and gives back what has been said to be here for too long and is not. */
  async look(): Promise<void> {
    const { database, schema, name, giveBack } = this.#parts;
    const text = `SELECT workflow_uuid AS workflow FROM ${engineSchema(schema)}.workflow_status WHERE executor_id = $1 AND status = 'PENDING'`;
    const rows = await database.read((on) => on.query<{ workflow: string }>({ name: "claims", text, values: [name] }));
    const here = new Set(rows.map(({ workflow }) => workflow));
    for (const known of [this.#missed.keys(), this.#ended].flatMap((each) => [...each])) {
      if (here.has(known)) continue;
      this.#missed.delete(known);
      this.#ended.delete(known);
    }
    for (const workflow of here) {
      if (this.#begun.has(workflow)) continue;
      const looks = (this.#missed.get(workflow) ?? 0) + 1;
      this.#missed.set(workflow, looks);
      if (looks < (this.#ended.has(workflow) ? endedLooks : lostLooks)) continue;
      // Should it arrive all the same, nothing is begun.
      this.#givenBack.add(workflow);
      await giveBack(workflow);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }
}
