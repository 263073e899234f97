import { PostgresJournal } from "@planloom/postgres";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { owner, storedRun } from "../contract/journal-subject.ts";
import { dropSchema, newSchema, postgresUrl, query } from "../support/postgres.ts";

describe.skipIf(postgresUrl === undefined)("the schema of a journal", () => {
  const url = postgresUrl!;
  let schema: string;
  beforeEach(() => {
    schema = newSchema();
  });
  afterEach(() => dropSchema(url, schema));

  test("is made once by many processes that open it at once", async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => PostgresJournal.open(url, { schema })));
    const versions = await query(url, `SELECT version FROM ${schema}.migrations ORDER BY version`);
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7].map((version) => ({ version })));
    await Promise.all(opened.map((journal) => journal.close()));
  });

  test("of a newer version is refused, and so are tables of another program", async () => {
    await (await PostgresJournal.open(url, { schema })).close();
    await query(url, `INSERT INTO ${schema}.migrations (version, name) VALUES (99, 'later')`);
    const newer = { code: "RUNTIME_JOURNAL_NEWER", details: { version: 99, supported: 7 } };
    await expect(PostgresJournal.open(url, { schema })).rejects.toMatchObject(newer);
    await query(url, `DROP TABLE ${schema}.migrations`);
    await expect(PostgresJournal.open(url, { schema })).rejects.toMatchObject({ code: "RUNTIME_JOURNAL_FOREIGN" });
  });

  test("of version 4 lists runs by their tenant, also a run whose options were damaged: for none", async () => {
    const written = await PostgresJournal.open(url, { schema });
    const tenants = { one: "a\\b", other: "b", nobody: undefined, damaged: "b", nul: "c\0" };
    for (const [id, tenant] of Object.entries(tenants)) {
      const run = storedRun(id);
      await written.createRun({ ...run, options: { ...run.options, ...(tenant && { tenant }) } }, owner("o"));
    }
    await written.close();
    await query(url, `ALTER TABLE ${schema}.runs DROP COLUMN tenant`);
    await query(url, `DROP TABLE ${schema}.signal_schemas`);
    await query(url, `ALTER TABLE ${schema}.waits DROP COLUMN signalled`);
    await query(url, `DROP INDEX ${schema}.signals_by_name, ${schema}.signals_taken`);
    await query(url, `ALTER TABLE ${schema}.dispatches DROP COLUMN tries_again`);
    await query(url, `DELETE FROM ${schema}.migrations WHERE version >= 5`);
    await query(url, `UPDATE ${schema}.plans SET options = '{"tenant":' WHERE run_id = 'damaged'`);
    const journal = await PostgresJournal.open(url, { schema });
    const listed = async (tenant: string | null) => (await journal.listRuns({ tenant })).map(({ run_id }) => run_id);
    expect(await Promise.all(["a\\b", "b", "c\0", null].map(listed))).toEqual([
      ["one"],
      ["other"],
      ["nul"],
      ["damaged", "nobody"],
    ]);
    await journal.close();
  });

  test("is used by a user who may only read and write", async () => {
    const reader = `reader_${schema}`;
    await (await PostgresJournal.open(url, { schema })).close();
    await query(url, `CREATE ROLE ${reader} LOGIN PASSWORD 'p'`);
    await query(url, `GRANT USAGE ON SCHEMA ${schema} TO ${reader}`);
    await query(url, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${reader}`);
    await query(url, `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${reader}`);
    const theirs = new URL(url);
    Object.assign(theirs, { username: reader, password: "p" });
    const journal = await PostgresJournal.open(theirs.href, { schema });
    expect(await journal.listRuns()).toEqual([]);
    await journal.close();
    await query(url, `DROP OWNED BY ${reader}`);
    await query(url, `DROP ROLE ${reader}`);
  });

  test("what is no address, no schema or no number of connections is refused by name", async () => {
    const wrong = [
      ["url", PostgresJournal.open("journal.sqlite")],
      ["schema", PostgresJournal.open(url, { schema: "a; DROP TABLE runs" })],
      ["maxConnections", PostgresJournal.open(url, { maxConnections: 0 })],
      ["key", PostgresJournal.open(url, { key: "short" })],
    ] as const;
    for (const [option, opened] of wrong)
      await expect(opened).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION", details: { option } });
  });

  test("a server that refuses says why, and its password is repeated nowhere", async () => {
    const wrong = new URL(url);
    wrong.password = "not-the-password";
    const refused = await PostgresJournal.open(wrong.href, { schema }).catch((error: unknown) => error as Error);
    expect(refused).toMatchObject({ code: "RUNTIME_JOURNAL_OPEN", message: expect.stringContaining("password") });
    expect(JSON.stringify(refused) + String(refused)).not.toContain("not-the-password");
    const nobody = PostgresJournal.open("postgres://127.0.0.1:1/none", { patienceMs: 0 });
    await expect(nobody).rejects.toMatchObject({
      code: "RUNTIME_JOURNAL_OPEN",
      message: expect.stringContaining("Check that the server runs"),
    });
  });
});
