import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { TokenWanted } from "../http-source.ts";
import type { PageState } from "../state.ts";

export interface ListFilter {
  readonly text: string;
  readonly status: string;
  readonly cursor?: string;
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next?: string | undefined;
}

/** A list of the server that is narrowed and read page by page; its first page is read again every five seconds. */
export interface Pages<Row> {
  readonly text: Signal<string>;
  readonly status: Signal<string>;
  /** Undefined until the first page has come. */
  readonly rows: Signal<readonly Row[] | undefined>;
  readonly error: Signal<string | undefined>;
  readonly hasMore: boolean;
  more(): void;
}

export function usePages<Row>(state: PageState, read: (filter: ListFilter) => Promise<Page<Row>>): Pages<Row> {
  const text = useSignal("");
  const status = useSignal("");
  const rows = useSignal<readonly Row[] | undefined>(undefined);
  const next = useSignal<string | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const load = async (cursor?: string) => {
    const filter = { text: text.value, status: status.value };
    try {
      const page = await read(cursor === undefined ? filter : { ...filter, cursor });
      if (filter.text !== text.value || filter.status !== status.value) return;
      rows.value = cursor === undefined ? page.rows : [...(rows.value ?? []), ...page.rows];
      next.value = page.next;
      error.value = undefined;
    } catch (reason) {
      if (reason instanceof TokenWanted) state.fail(reason);
      else error.value = reason instanceof Error ? reason.message : String(reason);
    }
  };
  useSignalEffect(() => {
    void load();
    const timer = setInterval(() => void (next.peek() === undefined && load()), 5_000);
    return () => clearInterval(timer);
  });
  return { text, status, rows, error, hasMore: next.value !== undefined, more: () => void load(next.value) };
}
