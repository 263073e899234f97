import { isRecord, unknownOption } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";
import { invalid } from "./invalid-option.ts";

/** The names of all options of a call; exact, so that a new option cannot be forgotten. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Checks what every function that takes options must refuse from callers without types: no object, an option that there is none of (a
 * misspelt one would be left aside without a word), no journal, and a `by` or `note` that is no text.
 * @param call the function's name, for the message.
 * @throws RuntimeError INVALID_OPTION
 */
export function checkCallOptions<Options>(call: string, options: Options, names: OptionNames<Options>): void {
  const given: unknown = options;
  if (!isRecord(given)) throw invalid(`options of ${call}`, "an object", given);
  checkNames(`\`${call}\``, given, Object.keys(names));
  if ("journal" in names) checkJournal(given.journal);
  if ("by" in names && given.by !== undefined && !(typeof given.by === "string" && given.by.trim() !== ""))
    throw invalid("by", "a text that is not empty, such as a name", given.by);
  if ("note" in names && given.note !== undefined && typeof given.note !== "string")
    throw invalid("note", "a text", given.note);
}

/** @param of what the options belong to, as it stands in a sentence. @throws RuntimeError INVALID_OPTION with the nearest name */
export function checkNames(of: string, options: object, known: readonly string[]): void {
  const unknown = unknownOption(of, options, known);
  if (unknown !== undefined) throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, unknown.message, unknown);
}

function checkJournal(journal: unknown): void {
  if (typeof (journal as { createRun?: unknown } | null | undefined)?.createRun !== "function")
    throw invalid("journal", "a journal (SqliteJournal.open(file), memoryJournal())", journal);
}
