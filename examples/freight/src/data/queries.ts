import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Calendar } from "./calendar.ts";

/** Arguments as the tools' schemas let them through. */
export type Filters = Readonly<Record<string, unknown>>;
export type Row = Record<string, unknown>;

/** Conditions of one query: SQL text is always from here, values are always parameters. */
class Conditions {
  readonly #parts: string[] = [];
  readonly #values: SQLInputValue[] = [];

  equal(column: string, value: unknown): this {
    return value === undefined ? this : this.#add(`${column} = ?`, scalar(value));
  }
  atLeast(column: string, value: unknown): this {
    return value === undefined ? this : this.#add(`${column} >= ?`, scalar(value));
  }
  atMost(column: string, value: unknown): this {
    return value === undefined ? this : this.#add(`${column} <= ?`, scalar(value));
  }
  /** One id or a list of any length; an empty list matches nothing. */
  oneOf(column: string, value: unknown): this {
    if (value === undefined) return this;
    return this.#add(
      `${column} IN (SELECT value FROM json_each(?))`,
      JSON.stringify(Array.isArray(value) ? value : [value]),
    );
  }
  /** Text without regard to capitals. */
  text(column: string, value: unknown): this {
    return value === undefined ? this : this.#add(`${column} = ? COLLATE NOCASE`, String(value).trim());
  }

  #add(part: string, value: SQLInputValue): this {
    this.#parts.push(part);
    this.#values.push(value);
    return this;
  }

  select(database: DatabaseSync, table: string, order: string, limit = -1): Row[] {
    const where = this.#parts.length === 0 ? "" : `WHERE ${this.#parts.join(" AND ")}`;
    return database.prepare(`SELECT * FROM ${table} ${where} ORDER BY ${order} LIMIT ?`).all(...this.#values, limit);
  }
}

function scalar(value: unknown): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string" || typeof value === "number") return value;
  throw new Error(`Expected text, a number or a truth value, got ${JSON.stringify(value)}.`);
}

const newestFirst = "day DESC, id";
const defaultLimit = 100;

/** Other spellings of a city in the database. */
const spellings = new Map([
  ["hanover", "Hannover"],
  ["münchen", "Munich"],
  ["köln", "Cologne"],
  ["nürnberg", "Nuremberg"],
  ["dusseldorf", "Düsseldorf"],
]);

export type Query = (database: DatabaseSync, filters: Filters, calendar: Calendar) => Row[];

const withDays = (conditions: Conditions, filters: Filters, calendar: Calendar): Conditions =>
  conditions
    .atLeast("day", filters.date_from === undefined ? undefined : calendar.offset(String(filters.date_from)))
    .atMost("day", filters.date_to === undefined ? undefined : calendar.offset(String(filters.date_to)));

/** A stored row as the tool's output schema has it: the day as a date, the columns in `flags` as truth values. */
function render(row: Row, calendar: Calendar, flags: readonly string[] = []): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (column === "day") return ["date", calendar.day(Number(value))];
      return [column, flags.includes(column) ? value === 1 : value];
    }),
  );
}

export const queries: Readonly<Record<string, Query>> = {
  facilities_list(database, filters) {
    const location = filters.location === undefined ? undefined : String(filters.location).trim();
    return new Conditions()
      .text("location", location && (spellings.get(location.toLowerCase()) ?? location))
      .equal("type", filters.type)
      .atLeast("capacity", filters.min_capacity)
      .oneOf("id", filters.ids)
      .select(database, "facilities", "id")
      .map((row) => ({ ...row }));
  },
  shipments_list(database, filters, calendar) {
    return withDays(new Conditions(), filters, calendar)
      .oneOf("facility_id", filters.facility_id)
      .equal("status", filters.status)
      .equal("has_contaminants", filters.has_contaminants)
      .text("waste_type", filters.waste_type)
      .text("carrier", filters.carrier)
      .select(database, "shipments", newestFirst, Number(filters.limit ?? defaultLimit))
      .map((row) => render(row, calendar, ["has_contaminants"]));
  },
  contaminants_list(database, filters, calendar) {
    return withDays(new Conditions(), filters, calendar)
      .oneOf("shipment_id", filters.shipment_ids)
      .oneOf("facility_id", filters.facility_id)
      .text("type", filters.type)
      .equal("risk_level", filters.risk_level)
      .select(database, "contaminants", newestFirst)
      .map((row) => render(row, calendar));
  },
  inspections_list(database, filters, calendar) {
    return withDays(new Conditions(), filters, calendar)
      .equal("status", filters.status)
      .oneOf("facility_id", filters.facility_id)
      .oneOf("shipment_id", filters.shipment_id)
      .equal("has_risk_contaminants", filters.has_risk_contaminants)
      .select(database, "inspections", newestFirst, Number(filters.limit ?? defaultLimit))
      .map((row) => render(row, calendar, ["has_risk_contaminants"]));
  },
};
