import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { TokenWanted } from "../http-source.ts";
import type { PageState } from "../state.ts";
import type { ListFilter } from "./list-query.ts";

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next?: string | undefined;
}

/** A list of the server that is narrowed and read page by page; as long as it shows the first page alone, this is read again every five seconds. */
export interface Pages<Row> {
  readonly text: Signal<string>;
  readonly status: Signal<string>;
  readonly within: Signal<string>;
  /** Undefined until the first page has come. */
  readonly rows: Signal<readonly Row[] | undefined>;
  readonly error: Signal<string | undefined>;
  readonly hasMore: boolean;
  more(): void;
}

export function usePages<Row>(state: PageState, read: (filter: ListFilter) => Promise<Page<Row>>): Pages<Row> {
  const text = useSignal("");
  const status = useSignal("");
  const within = useSignal("");
  const rows = useSignal<readonly Row[] | undefined>(undefined);
  const next = useSignal<string | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  /** Whether older rows were asked for, which must not go away while somebody looks at them. */
  const hasOlder = useSignal(false);
  const load = async (cursor?: string) => {
    const filter = { text: text.value, status: status.value, within: within.value };
    try {
      const page = await read(cursor === undefined ? filter : { ...filter, cursor });
      if (filter.text !== text.value || filter.status !== status.value || filter.within !== within.value) return;
      hasOlder.value = cursor !== undefined;
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
    const timer = setInterval(() => void (!hasOlder.peek() && load()), 5_000);
    return () => clearInterval(timer);
  });
  return { text, status, within, rows, error, hasMore: next.value !== undefined, more: () => void load(next.value) };
}
