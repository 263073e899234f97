import { useState } from "preact/hooks";
import { count } from "../format.ts";

const maxRows = 50;
const maxColumns = 8;
const pageSize = 100;
const longText = 120;

/** A value from outside: records as a table, else as a tree that opens level by level. */
export function JsonView({ value }: { readonly value: unknown }) {
  const table = tableOf(value);
  return table === undefined ? <Tree value={value} open /> : <Table {...table} />;
}

interface TableData {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** A list of records that have few fields, which are no lists or records themselves. */
function tableOf(value: unknown): TableData | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord)) return undefined;
  const columns = [...new Set(value.slice(0, maxRows).flatMap((row) => Object.keys(row)))];
  const isFlat = value
    .slice(0, maxRows)
    .every((row) => Object.values(row).every((each) => typeof each !== "object" || each === null));
  return columns.length <= maxColumns && isFlat ? { columns, rows: value } : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function Table({ columns, rows }: TableData) {
  const [shown, setShown] = useState(maxRows);
  return (
    <div class="table-box">
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row, at) => (
            <tr key={at}>
              {columns.map((name) => (
                <td key={name}>{row[name] === undefined ? "" : <Scalar value={row[name]} />}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <button type="button" class="link" onClick={() => setShown(shown + pageSize)}>
          {count(rows.length - shown, "more row")}
        </button>
      )}
    </div>
  );
}

function Tree({ value, open = false }: { readonly value: unknown; readonly open?: boolean }) {
  const [isOpen, setOpen] = useState(open);
  const [shown, setShown] = useState(pageSize);
  if (typeof value !== "object" || value === null) return <Scalar value={value} />;
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return <span class="json-other">{isList ? "[]" : "{}"}</span>;
  return (
    <details class="json" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{isList ? `list of ${entries.length}` : count(entries.length, "field")}</summary>
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([key, each]) => (
            <li key={key}>
              <span class="json-key">{key}</span> <Tree value={each} open={entries.length <= 6 && sizeOf(each) <= 6} />
            </li>
          ))}
          {entries.length > shown && (
            <li>
              <button type="button" class="link" onClick={() => setShown(shown + pageSize)}>
                {entries.length - shown} more
              </button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}

const sizeOf = (value: unknown) => (typeof value === "object" && value !== null ? Object.keys(value).length : 0);

function Scalar({ value }: { readonly value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== "string") {
    return <span class="json-other">{value === undefined ? "" : (JSON.stringify(value) ?? String(value))}</span>;
  }
  if (value.length <= longText || isWhole) return <span class="json-text">{value}</span>;
  return (
    <span class="json-text">
      {value.slice(0, longText)}…{" "}
      <button type="button" class="link" onClick={() => setWhole(true)}>
        all {value.length.toLocaleString("en")} characters
      </button>
    </span>
  );
}
