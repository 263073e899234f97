import type { Journal, RunSummary } from "./journal.ts";
import { type RunFilter, readListOptions } from "./run-filter.ts";

const pageSize = 500;

/**
 * Every run that fits, newest first, page by page. A journal that knows no conditions or cursors is read as a whole, and what
 * does not fit is left out here: a program that deletes the listed runs must be sure of them.
 */
export async function* everyRun(journal: Journal, filter: RunFilter = {}): AsyncGenerator<RunSummary> {
  const { matches } = readListOptions(filter);
  let page = await journal.listRuns({ ...filter, limit: pageSize });
  if (page.length > 0 && page.at(-1)?.cursor === undefined) {
    page = await journal.listRuns({ ...filter, limit: Number.MAX_SAFE_INTEGER });
  }
  while (page.length > 0) {
    for (const run of page) if (matches(run)) yield run;
    const cursor = page.at(-1)?.cursor;
    if (cursor === undefined) return;
    page = await journal.listRuns({ ...filter, limit: pageSize, cursor });
  }
}
