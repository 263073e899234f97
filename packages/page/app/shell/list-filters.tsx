import type { Signal } from "@preact/signals";

export interface ListFiltersProps {
  /** What the list has, as in "Search tasks". */
  readonly of: "runs" | "plans" | "tasks";
  /** The words that are searched for. */
  readonly text: Signal<string>;
  /** The status that is chosen; "" for any. */
  readonly status: Signal<string>;
  readonly statuses: readonly { readonly status: string; readonly label: string }[];
  /** How many milliseconds ago they began or were saved, at most; "" for any time. Absent where that is not asked. */
  readonly within?: Signal<string>;
}

const hourMs = 3_600_000;
const times = [
  ["", "any time"],
  [String(hourMs), "the last hour"],
  [String(24 * hourMs), "the last day"],
  [String(7 * 24 * hourMs), "the last week"],
] as const;

/** What a list can be narrowed to: words, a status, and a time. */
export function ListFilters({ of, text, status, statuses, within }: ListFiltersProps) {
  return (
    <p class="filters">
      <input
        type="search"
        aria-label={`Search ${of}`}
        placeholder={of === "runs" ? "Search runs, or field=value" : `Search ${of}`}
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
      {within !== undefined && (
        <select
          aria-label="Time"
          value={within.value}
          onChange={(event) => {
            within.value = event.currentTarget.value;
          }}
        >
          {times.map(([ms, label]) => (
            <option key={ms} value={ms}>
              {label}
            </option>
          ))}
        </select>
      )}
    </p>
  );
}
