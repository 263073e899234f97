import type { z } from "zod";
import { meantTaskField } from "../validation/field-names.ts";

/**
 * What a record's schema says of fields that it does not know, each with the nearest known one: left out without notice, a misspelt
 * gate would be open.
 */
export function unknownFieldError(what: string, fields: () => readonly string[]): z.core.$ZodErrorMap {
  return (issue) => {
    if (issue.code !== "unrecognized_keys") return undefined;
    const known = fields();
    const named = issue.keys.slice(0, 5).map((name) => {
      const kind = (issue.input as { readonly execution_type?: unknown } | undefined)?.execution_type;
      const meant = meantTaskField(name, known, kind);
      const written = JSON.stringify(name.slice(0, 100));
      return meant === undefined ? written : `${written} (perhaps ${meant} is meant)`;
    });
    const more = issue.keys.length > named.length ? ` and ${issue.keys.length - named.length} more` : "";
    return `${what} has no field ${named.join(", ")}${more}; rename or remove it`;
  };
}
