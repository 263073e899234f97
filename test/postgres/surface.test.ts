import * as postgres from "@planloom/postgres";
import { expect, test } from "vitest";

test("exports are what users rely on", () => {
  expect(Object.keys(postgres).sort()).toEqual([
    "PostgresJournal",
    "embeddedPostgres",
    "postgresDispatcher",
    "postgresWorker",
  ]);
});
