import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

export function runNotFound(prefix: string, journal: string): RuntimeError {
  return new RuntimeError(RuntimeErrorCode.RUN_NOT_FOUND, `No run "${prefix}" is in the journal (${journal}).`, {
    details: { run_id: prefix },
  });
}

/**
 * The one id of `candidates` (ids that start with `prefix`), the exact one first.
 * @throws RuntimeError RUN_NOT_FOUND, RUN_AMBIGUOUS
 */
export function pickByPrefix(prefix: string, candidates: readonly string[], journal: string): string {
  if (prefix !== "" && candidates.includes(prefix)) return prefix;
  const [only] = candidates;
  if (only === undefined || prefix === "") throw runNotFound(prefix, journal);
  if (candidates.length === 1) return only;
  const shown = candidates.slice(0, 10);
  throw new RuntimeError(
    RuntimeErrorCode.RUN_AMBIGUOUS,
    `"${prefix}" fits more than one run: ${shown.join(", ")}. Give more characters.`,
    { details: { candidates: shown } },
  );
}
