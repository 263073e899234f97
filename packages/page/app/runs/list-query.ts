/** How a list of the server is narrowed, and where its next page begins. */
export interface ListFilter {
  /** Words of the title; for runs, too, fields of the metadata: `customer=acme`. */
  readonly text: string;
  /** "" for any. */
  readonly status: string;
  /** So many milliseconds ago at most; "" for any time. */
  readonly within: string;
  readonly cursor?: string;
}

const pageSize = "50";

/**
 * The query for a page of runs. Words such as `customer=acme` are fields of the metadata with their values, the others are looked for in the title.
 * @param now milliseconds since the epoch
 */
export function runQuery(filter: ListFilter, now: number): URLSearchParams {
  const metadata = new Map<string, unknown>();
  const words = filter.text.split(/\s+/).filter((word) => {
    const at = word.indexOf("=");
    if (at < 1 || at === word.length - 1) return true;
    metadata.set(word.slice(0, at), fieldValue(word.slice(at + 1)));
    return false;
  });
  const query = listQuery({ ...filter, text: words.join(" ").trim() }, "created_after", now);
  if (metadata.size > 0) query.set("metadata", JSON.stringify(Object.fromEntries(metadata)));
  return query;
}

/** The query for a page of plans. */
export function planQuery(filter: ListFilter, now: number): URLSearchParams {
  return listQuery(filter, "saved_after", now);
}

function listQuery({ text, status, within, cursor }: ListFilter, after: string, now: number): URLSearchParams {
  const query = new URLSearchParams({ limit: pageSize });
  if (text !== "") query.set("q", text);
  if (status !== "") query.set("status", status);
  if (within !== "") query.set(after, new Date(now - Number(within)).toISOString());
  if (cursor !== undefined) query.set("cursor", cursor);
  return query;
}

/** Numbers, yes and no are meant as such; anything else, also `"7"`, is a text. */
function fieldValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? text : value;
  } catch {
    return text;
  }
}
