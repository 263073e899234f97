import { mkdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type FreightData, generateFreight } from "./generate.ts";

/** Raised whenever the rows or the tables change: an older file is made anew. */
const version = 1;

const tables = `
  CREATE TABLE facilities (id TEXT PRIMARY KEY, name TEXT NOT NULL, location TEXT NOT NULL, type TEXT NOT NULL, capacity REAL NOT NULL) STRICT;
  CREATE TABLE shipments (id TEXT PRIMARY KEY, facility_id TEXT NOT NULL REFERENCES facilities, day INTEGER NOT NULL, status TEXT NOT NULL,
    waste_type TEXT NOT NULL, carrier TEXT NOT NULL, weight_kg REAL NOT NULL, has_contaminants INTEGER NOT NULL) STRICT;
  CREATE TABLE contaminants (id TEXT PRIMARY KEY, shipment_id TEXT NOT NULL REFERENCES shipments, facility_id TEXT NOT NULL REFERENCES facilities,
    day INTEGER NOT NULL, type TEXT NOT NULL, risk_level TEXT NOT NULL, concentration REAL NOT NULL) STRICT;
  CREATE TABLE inspections (id TEXT PRIMARY KEY, shipment_id TEXT NOT NULL REFERENCES shipments, facility_id TEXT NOT NULL REFERENCES facilities,
    day INTEGER NOT NULL, status TEXT NOT NULL, inspector TEXT NOT NULL, has_risk_contaminants INTEGER NOT NULL) STRICT;
  CREATE INDEX shipments_by_facility ON shipments (facility_id, day);
  CREATE INDEX shipments_by_day ON shipments (day);
  CREATE INDEX contaminants_by_shipment ON contaminants (shipment_id);
  CREATE INDEX contaminants_by_facility ON contaminants (facility_id, day);
  CREATE INDEX inspections_by_shipment ON inspections (shipment_id);
  CREATE INDEX inspections_by_facility ON inspections (facility_id, day);`;

/** `FREIGHT_DB`, or a file in the cache of `PLANLOOM_HOME`, or one in this user's corner of the temporary folder. */
export function databaseFile(environment: Readonly<Record<string, string | undefined>>): string {
  if (environment.FREIGHT_DB) return path.resolve(environment.FREIGHT_DB);
  const folder = environment.PLANLOOM_HOME
    ? path.join(path.resolve(environment.PLANLOOM_HOME), "cache")
    : path.join(tmpdir(), `planloom-freight-${userInfo().username}`);
  return path.join(folder, `freight-${version}.sqlite`);
}

/**
 * Opens the database for reading, and makes it first where there is none. It is written under a name of its own and
 * renamed when complete, so that processes starting together never see half of it: the last one wins, with equal rows.
 */
export function openFreight(file: string): DatabaseSync {
  const existing = openIfCurrent(file);
  if (existing) return existing;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}.${crypto.randomUUID()}.tmp`;
  try {
    write(unfinished, generateFreight());
    rename(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
  const made = openIfCurrent(file);
  if (made) return made;
  throw new Error(`The freight database ${file} cannot be used. Remove it, or name another one in FREIGHT_DB.`);
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // Windows keeps a file that another process has open; then that process's one is as good.
    const made = openIfCurrent(to);
    if (!made) throw error;
    made.close();
  }
}

function openIfCurrent(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    if (database.prepare("PRAGMA user_version").get()?.user_version === version) return database;
  } catch {
    // Missing, no database, or of another version: it is made anew.
  }
  database?.close();
  return undefined;
}

function write(file: string, data: FreightData): void {
  const database = new DatabaseSync(file);
  try {
    database.exec(`PRAGMA journal_mode = OFF; BEGIN; ${tables}`);
    for (const [table, rows] of Object.entries(data)) {
      const columns = Object.keys(rows[0]);
      const insert = database.prepare(
        `INSERT INTO ${table} (${columns}) VALUES (${columns.map((column) => `:${column}`)})`,
      );
      for (const row of rows) insert.run({ ...row });
    }
    database.exec(`COMMIT; PRAGMA user_version = ${version};`);
  } finally {
    database.close();
  }
}
