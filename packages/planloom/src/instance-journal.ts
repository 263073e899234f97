import { isRecord } from "@planloom/plan";
import { type Journal, memoryJournal, SqliteJournal } from "@planloom/runtime";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import type { PlanloomOptions } from "./planloom-options.ts";

/** The journal of an instance: one that was handed in, the file of one, or one in memory. */
export class InstanceJournal {
  readonly #given: PlanloomOptions["journal"];
  #opened: Promise<Journal> | undefined;

  /** @throws PlanloomError OPTION for what is neither a journal nor a file name */
  constructor(given: PlanloomOptions["journal"]) {
    checkJournalOption(given);
    this.#given = given;
  }

  /** Opens the journal at the first call. */
  open(): Promise<Journal> {
    const given = this.#given;
    this.#opened ??=
      typeof given === "string"
        ? SqliteJournal.open(given).catch((error: unknown) => {
            // Another call may find the file unlocked.
            this.#opened = undefined;
            throw error;
          })
        : Promise.resolve(given ?? memoryJournal());
    return this.#opened;
  }

  /** @throws PlanloomError OPTION where no journal was given: one in memory would be of this instance alone */
  async openForLimits(): Promise<Journal> {
    if (this.#given !== undefined) return this.open();
    const message =
      'Expected `journal` where `limitScope` is "journal": the SQLite file that all processes with these limits share. Give it, or leave `limitScope` out.';
    throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "journal" } });
  }

  /** Closes the journal if it was opened here; one that was handed in stays open. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (typeof this.#given !== "object") await (await opened?.catch(() => undefined))?.close();
  }
}

function checkJournalOption(journal: unknown): void {
  if (journal === undefined || typeof journal === "string") return;
  if (isRecord(journal) && typeof journal.createRun === "function") return;
  const got = isRecord(journal) ? "an object without `createRun`" : journal === null ? "null" : typeof journal;
  const message = `Expected \`journal\` to be a journal (SqliteJournal.open(file), memoryJournal()) or the file of one, got ${got}.`;
  throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "journal" } });
}
