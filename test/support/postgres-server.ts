import { renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { embeddedPostgres } from "@planloom/postgres";
import { postgresTemplate } from "./postgres-template.ts";

/**
 * One Postgres server for a test run. It is started beside everything else, and tests that need it wait for it (`postgres.ts`).
 * @returns what stops it
 */
export function setup(): () => Promise<void> {
  const folder = tmpdir();
  // Beside the folder of the test run, which another user cannot enter.
  const parent = dirname(folder);
  const started = embeddedPostgres({
    parent,
    template: postgresTemplate,
    settings: { fsync: "off", max_connections: "200", shared_buffers: "32MB", max_wal_size: "64MB" },
  });
  const file = join(folder, "postgres-address");
  process.env.PLANLOOM_TEST_POSTGRES = file;
  started.then(
    ({ url }) => write(file, url),
    // Tests say why they are skipped.
    (error) => write(file, `none: ${error instanceof Error ? error.message : String(error)}`),
  );
  return async () => {
    const server = await started.catch(() => undefined);
    await server?.close();
  };
}

/** At once: a test must not read half an address. */
function write(file: string, text: string): void {
  try {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  } catch {
    // The run has ended already, and its folder is gone.
  }
}
