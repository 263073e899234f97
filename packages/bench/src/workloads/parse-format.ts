import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import { PlanError } from "@planloom/plan";
import { parseRecord } from "@planloom/plan/internals";
import type { z } from "zod";

/** Faults that a message lists; `details` has more. */
const MOST_LISTED = 3;

interface Fault {
  readonly path: string;
  readonly message: string;
  readonly got: string;
}

/** A value in a format of JSON. @throws OptimizerError `OPTIMIZER_INPUT` that says where in it something else was expected */
export function parseFormat<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  format: string,
  name: string,
): z.output<Schema> {
  try {
    return parseRecord(schema, value, format);
  } catch (cause) {
    if (!(cause instanceof PlanError)) throw cause;
    const { issues } = cause.details as { readonly issues: readonly Fault[] };
    const listed = issues.slice(0, MOST_LISTED).map(({ path, message, got }) => `${path}: ${message} (got ${got})`);
    const more = issues.length > listed.length ? ", and more" : "";
    throw new OptimizerError(
      OptimizerErrorCode.INPUT,
      `Expected ${name} to be ${format}. ${listed.join("; ")}${more}.`,
      { details: { format, issues }, cause },
    );
  }
}
