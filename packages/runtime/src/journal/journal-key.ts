import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

/** Fewest characters of the secret that checksums are made with. */
const shortestKey = 16;

/**
 * The secret that a journal makes checksums with: the one given, else that of the environment variable PLANLOOM_JOURNAL_KEY.
 * @returns undefined where neither was given. @throws RuntimeError INVALID_OPTION for what is not a text of that length
 */
export function readJournalKey(given: unknown): string | undefined {
  const key = given ?? (process.env.PLANLOOM_JOURNAL_KEY || undefined);
  if (key === undefined || (typeof key === "string" && key.length >= shortestKey)) return key;
  const message = `Expected the journal's \`key\` (or PLANLOOM_JOURNAL_KEY) to be a text of at least ${shortestKey} characters.`;
  throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, message, { details: { option: "key" } });
}
