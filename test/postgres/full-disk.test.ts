import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { owner, record, storedRun } from "../contract/journal-subject.ts";
import { until } from "../support/dispatch-world.ts";
import { postgresUrl, query } from "../support/postgres.ts";
import { type PostgresSubject, postgresSubject } from "./subject.ts";

// That the server itself says so on a disk that is full is for `pnpm bench:faults --distributed`, which mounts one.
describe.skipIf(postgresUrl === undefined)("a server whose disk is full", () => {
  let subject: PostgresSubject;
  const onTasks = (text: string) => query(postgresUrl!, text.replaceAll("$.", `${subject.schema}.`));
  beforeEach(async () => {
    subject = await postgresSubject(postgresUrl!);
    await subject.journal.createRun(storedRun("r"), owner("o"));
    await onTasks("CREATE SEQUENCE $.refused");
    await onTasks(`CREATE FUNCTION $.full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('$.refused'); RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$`);
    await onTasks(
      "CREATE TRIGGER full_disk BEFORE INSERT ON $.tasks FOR EACH STATEMENT EXECUTE FUNCTION $.full_disk()",
    );
  });
  afterEach(() => subject.dispose());

  test("is asked again until there is room, and everything is written once", async () => {
    const { journal } = subject;
    const written = journal.record("r", owner("o"), [record("a")]);
    const refused = async () => (await onTasks("SELECT last_value AS n FROM $.refused"))[0] as { readonly n: string };
    await until(async () => Number((await refused()).n) >= 3);
    await onTasks("DROP TRIGGER full_disk ON $.tasks");
    await written;
    expect(await journal.getTasks("r")).toMatchObject([{ task_id: "a" }]);
    expect((await journal.checkChecksums("r")).problems).toEqual([]);
  });

  test("and that stays so for longer than the patience of the journal ends the run with what to do", async () => {
    const journal = await subject.another({ patienceMs: 50 });
    await expect(journal.record("r", owner("o"), [record("a")])).rejects.toMatchObject({
      code: "RUNTIME_JOURNAL_WRITE",
      message: expect.stringContaining("The disk of the server is full: free space, then resume the run."),
    });
  });
});
