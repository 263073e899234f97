import type { ComponentChildren } from "preact";
import { ListFilters } from "../shell/list-filters.tsx";
import type { PageState } from "../state.ts";
import { StartForm } from "./start-form.tsx";
import type { Pages } from "./use-pages.ts";

export interface ListPageProps {
  readonly state: PageState;
  readonly of: "runs" | "plans";
  readonly statuses: readonly { readonly status: string; readonly label: string }[];
  readonly pages: Pages<unknown>;
  readonly columns: readonly { readonly name: string; readonly isNumber?: boolean }[];
  /** What is said where the list has no rows at all. */
  readonly empty: string;
  /** The rows of the table. */
  readonly children: ComponentChildren;
}

/** The runs or the plans of the server, with a place to begin. */
export function ListPage({ state, of, statuses, pages, columns, empty, children }: ListPageProps) {
  const { text, status, within, rows, error } = pages;
  const isNarrowed = text.value !== "" || status.value !== "" || within.value !== "";
  return (
    <main class="runs">
      <header class="head">
        <nav class="lists" aria-label="Lists">
          {(["runs", "plans"] as const).map((list) =>
            list === of ? (
              <h1 key={list}>{titles[list]}</h1>
            ) : (
              <a key={list} href={list === "runs" ? "#/" : "#/plans"}>
                {titles[list]}
              </a>
            ),
          )}
        </nav>
        <StartForm state={state} />
        <ListFilters of={of} text={text} status={status} statuses={statuses} within={within} />
      </header>
      {[error.value, state.notice.value].map((message) =>
        message === undefined ? null : (
          <p key={message} class="error" role="alert">
            {message}
          </p>
        ),
      )}
      {rows.value?.length === 0 && <p class="muted">{isNarrowed ? `No ${of.slice(0, -1)} fits.` : empty}</p>}
      {rows.value !== undefined && rows.value.length > 0 && (
        <div class="table-box">
          <table class="rows">
            <thead>
              <tr>
                {columns.map(({ name, isNumber }) => (
                  <th key={name} scope="col" class={isNumber ? "number" : ""}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{children}</tbody>
          </table>
        </div>
      )}
      {pages.hasMore && (
        <button type="button" class="link" onClick={pages.more}>
          Older {of}
        </button>
      )}
    </main>
  );
}

const titles = { runs: "Runs", plans: "Plans" } as const;
