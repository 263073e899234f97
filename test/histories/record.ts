// Records runs of this version for every later one: `node test/histories/record.ts` writes `format-N.sql` beside itself, N
// being the format of the journal. Run it once a format, before the first release that writes it; a file that is there stays.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { approve, deny, type RunOptions, resume, run, SqliteJournal } from "@planloom/runtime";
import { group } from "../support/run-plans.ts";
import { recordedPlans, workshop } from "./workshop.ts";

// What failed is kept with its stack, whose frames would name folders of the machine that records.
Error.stackTraceLimit = 0;

const folder = mkdtempSync(join(tmpdir(), "planloom-record-"));
const file = join(folder, "j.sqlite");
const journal = await SqliteJournal.open(file, { events: true });
type Name = keyof typeof recordedPlans;
const made = (broken: readonly string[] = []) => {
  const { executors } = workshop(new Set(broken));
  return { executors, journal };
};
const begin = (runId: Name, options: Partial<RunOptions> = {}, broken: readonly string[] = []) =>
  run(recordedPlans[runId], { ...made(broken), runId, ...options });

try {
  await begin("diamond", { metadata: { ticket: 7 } });
  await begin("variables", { variables: { v: ["y"] } });
  await begin("failed", { retry: { max_attempts: 2, initial_delay_ms: 1 } }, ["glue"]);
  await begin("waiting");
  await begin("approved");
  await approve("approved", "buy", { journal, note: "go on" });
  await resume("approved", made());
  await begin("denied");
  await deny("denied", "buy", { journal });
  await resume("denied", made());
  await begin("workflow");
  await begin("agent");
  const { replan } = workshop(new Set());
  await begin("replanned", { replan, replanPolicy: { on: ["failure"] }, retry: { max_attempts: 1 } }, ["pay"]);
  await begin("budget", { budgets: { run: { calls: 2 } } });
  const groups = group(recordedPlans.grouped, { one: ["a", "b"], two: ["c"] });
  await begin("grouped", { subgraphs: groups, semantics: "atomic" });
  await begin("secret", { secrets: { DOOR: "swordfish" } });
  // As a process leaves it that is killed while `b` is executed: read before it has ended.
  const { promise: held, resolve: release } = Promise.withResolvers<number>();
  const holding = workshop(new Set(), held);
  const running = run(recordedPlans.interrupted, {
    executors: holding.executors,
    journal,
    runId: "interrupted",
    budgets: { run: { calls: 9 } },
  });
  while (!holding.calls.includes("hold")) await new Promise((resolve) => setTimeout(resolve, 5));
  const { text, version } = dump(file);
  release(1);
  await running;
  await journal.close();
  const target = join(import.meta.dirname, `format-${version}.sql`);
  if (existsSync(target)) throw new Error(`${target} is there already; it is what that format was.`);
  writeFileSync(target, text);
  process.stdout.write(`${target}: ${text.length} characters\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A database as SQL that makes it again. */
function dump(path: string): { readonly text: string; readonly version: number } {
  const database = new DatabaseSync(path, { readOnly: true });
  const one = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  const version = one("SELECT max(version) FROM migrations");
  const lines = [
    `-- Runs as the journal's format ${version} keeps them; written by test/histories/record.ts of that time.`,
    `PRAGMA application_id = ${one("PRAGMA application_id")};`,
    "BEGIN;",
  ];
  const objects = database
    .prepare(
      "SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, rowid",
    )
    .all();
  for (const { name, type, sql } of objects) {
    lines.push(`${String(sql).replaceAll(/\s+/g, " ")};`);
    if (type !== "table") continue;
    const columns = database.prepare(`SELECT name FROM pragma_table_xinfo('${String(name)}') WHERE hidden = 0`).all();
    const quoted = columns.map((column) => `quote(${String(column.name)})`).join(" || ', ' || ");
    for (const { row } of database.prepare(`SELECT ${quoted} AS row FROM ${String(name)}`).all())
      lines.push(
        `INSERT INTO ${String(name)} (${columns.map((column) => column.name).join(", ")}) VALUES (${String(row)});`,
      );
  }
  database.close();
  // Leases name the machine, as a whole text or before its processes; a checksum may hold the same letters by chance.
  const whole = new RegExp(`'${hostname().replaceAll(/[^a-z0-9]/gi, "\\$&")}(?=[ '])`, "g");
  return { text: `${[...lines, "COMMIT;"].join("\n")}\n`.replaceAll(whole, "'recorder"), version };
}
