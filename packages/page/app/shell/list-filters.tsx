import type { Signal } from "@preact/signals";

export interface ListFiltersProps {
  /** What the list has, as in "Search tasks". */
  readonly of: "runs" | "plans" | "tasks";
  /** The words that are searched for. */
  readonly text: Signal<string>;
  /** The status that is chosen; "" for any. */
  readonly status: Signal<string>;
  readonly statuses: readonly { readonly status: string; readonly label: string }[];
}

/** What a list can be narrowed to: words, and a status. */
export function ListFilters({ of, text, status, statuses }: ListFiltersProps) {
  return (
    <p class="filters">
      <input
        type="search"
        aria-label={`Search ${of}`}
        placeholder={`Search ${of}`}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <select
        aria-label="Status"
        value={status.value}
        onChange={(event) => {
          status.value = event.currentTarget.value;
        }}
      >
        <option value="">any status</option>
        {statuses.map(({ status, label }) => (
          <option key={status} value={status}>
            {label}
          </option>
        ))}
      </select>
    </p>
  );
}
