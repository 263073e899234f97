import { CliError, CliErrorCode } from "./errors.ts";

/**
 * The one of `found` (what starts with `prefix`, in the order in which it is shown) that a person means who typed that: the
 * one that is called so, else the only one. The library takes whole ids alone; every command looks a name up here first.
 * @param what "runs" or "saved plans", for the message. @throws CliError AMBIGUOUS
 */
export function theOnlyOne<Found extends { readonly id: string }>(
  prefix: string,
  found: readonly Found[],
  what: string,
): Found | undefined {
  const exact = found.find(({ id }) => id === prefix);
  if (exact !== undefined || found.length <= 1) return exact ?? found[0];
  const candidates = found.slice(0, 10).map(({ id }) => id);
  const more = found.length > candidates.length ? ", …" : "";
  const message = `"${prefix}" fits more than one of the ${what}: ${candidates.join(", ")}${more}.`;
  throw new CliError(CliErrorCode.AMBIGUOUS, message, {
    hint: "Give more characters of the id.",
    details: { candidates },
  });
}
