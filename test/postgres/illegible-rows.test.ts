import { run, runStatus } from "@planloom/runtime";
import { expect, test } from "vitest";
import { postgresUrl, query } from "../support/postgres.ts";
import { postgresSubject } from "./subject.ts";

test.skipIf(postgresUrl === undefined)("a wait that cannot be read is said so", async () => {
  const { journal, schema, dispose } = await postgresSubject(postgresUrl!);
  const planned_tasks = [{ task_id: "w", wait: { event: "paid" } }];
  await run({ planned_tasks }, { executors: [], journal, runId: "r" });
  for (const wait of ["{}", '{"id":"w","content_hash":"x","begun_at":1,"polls":"2"}']) {
    await query(postgresUrl!, `UPDATE ${schema}.waits SET wait = $1`, [wait]);
    await expect(runStatus("r", { journal })).rejects.toMatchObject({
      code: expect.stringMatching(/^RUNTIME_JOURNAL_/),
      message: expect.stringContaining("where a wait should be"),
    });
  }
  await dispose();
});
