import { hash as checksum } from "node:crypto";
import { RuntimeError, RuntimeErrorCode } from "@planloom/runtime";
import type { Queryable } from "../connection/database.ts";
import { encodeText } from "../connection/text.ts";
import type { OutputReference } from "./given-outputs.ts";

/** What a journal keeps of large outputs that it has read, where nobody says how much, in characters. */
export const usualOutputMemory = 32 * 1024 * 1024;
/** One answer of the server has so many characters, or one output that is larger. */
const answerLength = 4 * 1024 * 1024;

/**
 * Large outputs of runs that this process has read, as texts under their checksums, so that each is read once however many subgraphs are given it. Those that were not used for
 * longest leave when more than `memoryBytes` are kept.
 */
export class OutputCache {
  memoryBytes = usualOutputMemory;
  readonly #schema: string;
  /** The longest unused first. */
  readonly #texts = new Map<string, string>();
  readonly #reading = new Map<string, Promise<ReadonlyMap<string, string>>>();
  #length = 0;

  constructor(schema: string) {
    this.#schema = schema;
  }

  /**
   * Texts by checksum, all that are named.
   * @param runId the run whose journal has them. @throws RuntimeError JOURNAL_CORRUPT where one is not there, or is not what was written
   */
  async read(
    on: Queryable,
    runId: string,
    references: readonly OutputReference[],
  ): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const named = new Set(references.map(({ hash }) => hash));
    const find = (texts: ReadonlyMap<string, string>) => {
      for (const [hash, text] of texts) if (named.has(hash)) found.set(hash, text);
    };
    for (;;) {
      const others: Promise<ReadonlyMap<string, string>>[] = [];
      const own = new Map<string, OutputReference>();
      for (const reference of references) {
        const { hash } = reference;
        const text = found.get(hash) ?? this.#use(runId, hash);
        const reading = this.#reading.get(keyOf(runId, hash));
        if (text !== undefined) found.set(hash, text);
        else if (reading !== undefined) others.push(reading);
        else own.set(hash, reference);
      }
      if (own.size === 0 && others.length === 0) return found;
      for (const group of inAnswers([...own.values()])) find(await this.#readGroup(on, runId, group));
      // What another one fails to read is read here.
      for (const other of await Promise.allSettled(others)) if (other.status === "fulfilled") find(other.value);
    }
  }

  async #readGroup(on: Queryable, runId: string, group: readonly OutputReference[]) {
    const reading = this.#fetch(on, runId, group);
    for (const { hash } of group) this.#reading.set(keyOf(runId, hash), reading);
    try {
      return await reading;
    } finally {
      for (const { hash } of group) this.#reading.delete(keyOf(runId, hash));
    }
  }

  async #fetch(on: Queryable, runId: string, group: readonly OutputReference[]): Promise<ReadonlyMap<string, string>> {
    const text = `SELECT hash, value FROM ${this.#schema}.blobs WHERE run_id = $1 AND hash = ANY ($2::text[])`;
    const values = [encodeText(runId), group.map(({ hash }) => hash)];
    const rows = await on.query<{ hash: string; value: string }>({ name: "outputs", text, values });
    const read = new Map(
      rows.flatMap(({ hash, value }) => (checksum("sha256", value) === hash ? [[hash, value] as const] : [])),
    );
    for (const { hash, task_id } of group) {
      const value = read.get(hash);
      if (value === undefined) throw outputMissing(runId, task_id);
      this.#keep(keyOf(runId, hash), value);
    }
    return read;
  }

  #use(runId: string, hash: string): string | undefined {
    const key = keyOf(runId, hash);
    const text = this.#texts.get(key);
    if (text === undefined) return undefined;
    this.#texts.delete(key);
    this.#texts.set(key, text);
    return text;
  }

  #keep(key: string, text: string): void {
    this.#length += text.length - (this.#texts.get(key)?.length ?? 0);
    this.#texts.set(key, text);
    for (const [longestUnused, { length }] of this.#texts) {
      if (this.#length <= this.memoryBytes) return;
      this.#texts.delete(longestUnused);
      this.#length -= length;
    }
  }
}

function keyOf(runId: string, hash: string): string {
  return `${hash} ${runId}`;
}

/** So many at once that an answer does not take too long. */
function* inAnswers(references: readonly OutputReference[]): Generator<OutputReference[]> {
  let group: OutputReference[] = [];
  let length = 0;
  for (const reference of references) {
    if (length + reference.length > answerLength && group.length > 0) {
      yield group;
      [group, length] = [[], 0];
    }
    group.push(reference);
    length += reference.length;
  }
  if (group.length > 0) yield group;
}

function outputMissing(runId: string, taskId: string): RuntimeError {
  return new RuntimeError(
    RuntimeErrorCode.JOURNAL_CORRUPT,
    `The output of task "${taskId}" of run "${runId}", which a subgraph is given, is missing in the journal or is not what was written. Restore the database from a copy, or start the run again.`,
    { details: { run_id: runId, problems: [] } },
  );
}
