import { invalidRequest } from "./invalid-request.ts";

/** Milliseconds since the epoch of a time in a query; without one, a time that sets no bound. @throws ServerError INVALID_REQUEST */
export function readTime(name: "saved_after" | "saved_before", text: string | undefined): number {
  if (text === undefined) return name === "saved_after" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw invalidRequest([{ in: "query", path: name, message: "expected a time in ISO 8601" }]);
  return time;
}

/**
 * A page of a list that is in order.
 * @param placeOf says where an entry is, in a way that stays the same while others come and go
 * @throws ServerError INVALID_REQUEST for a cursor that no entry of the list gave
 */
export function pageOf<Entry>(
  entries: readonly Entry[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  placeOf: (entry: Entry) => string,
): { readonly page: readonly Entry[]; readonly next: string | undefined } {
  const last = cursor === undefined ? -1 : entries.findIndex((entry) => placeOf(entry) === cursor);
  if (cursor !== undefined && last === -1)
    throw invalidRequest([
      { in: "query", path: "cursor", message: "expected the `next_cursor` of a page of this list" },
    ]);
  const page = entries.slice(last + 1, last + 1 + limit);
  const final = page.at(-1);
  const hasMore = last + 1 + limit < entries.length;
  return { page, next: hasMore && final !== undefined ? placeOf(final) : undefined };
}
