import { isRecord } from "@planloom/plan";
import type { RuntimeError } from "../errors.ts";
import { JsonCopyError, jsonCopy } from "../json-copy.ts";
import { describe } from "../task-error.ts";

/** The input as the journal keeps it, so that a run which hears of it at once calls with the same. @throws what `refuse` makes */
export function plainInput(
  given: unknown,
  id: string,
  refuse: (message: string) => RuntimeError,
): Record<string, unknown> {
  if (!isRecord(given)) throw refuse(`Expected \`input\` for "${id}" to be an object, got ${describe(given)}.`);
  try {
    return jsonCopy(given, { maxBytes: Number.POSITIVE_INFINITY, finite: true }).value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof JsonCopyError)) throw error;
    throw refuse(`The edited input of "${id}" is not JSON. ${error.message}`);
  }
}
