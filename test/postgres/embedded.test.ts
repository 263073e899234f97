import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { embeddedPostgres } from "@planloom/postgres";
import { describe, expect, test } from "vitest";
import { postgresUrl, query } from "../support/postgres.ts";
import { postgresTemplate } from "../support/postgres-template.ts";

describe.skipIf(postgresUrl === undefined)("a Postgres server for trials", () => {
  test("ends with its process, also where that was killed, and leaves nothing", async () => {
    const options = { parent: dirname(tmpdir()), template: postgresTemplate };
    const program = `import { embeddedPostgres } from "@planloom/postgres";
      const { url, folder } = await embeddedPostgres(${JSON.stringify(options)});
      console.log(JSON.stringify({ url, folder }));
      setInterval(() => {}, 1_000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      cwd: import.meta.dirname,
      // The sources: what they find beside them is not beside a bundle.
      env: { ...process.env, NODE_OPTIONS: "" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { url, folder } = JSON.parse(String(line)) as { url: string; folder: string };
    expect(await query(url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    child.kill("SIGKILL");
    // Real time: the server is another process, nobody's child now, and only the removal of its folder shows its end.
    for (let waitedMs = 0; existsSync(folder) && waitedMs < 20_000; waitedMs += 20) await sleep(20);
    expect(existsSync(folder)).toBe(false);
    await expect(query(url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
  });

  test("keeps what it has when it is restarted, also after a crash, and leaves nothing in the end", async () => {
    const server = await embeddedPostgres({ parent: dirname(tmpdir()), template: postgresTemplate });
    try {
      await query(server.url, "CREATE TABLE kept (number int)");
      await query(server.url, "INSERT INTO kept VALUES (1)");
      await server.restart();
      expect(await query(server.url, "SELECT number FROM kept")).toEqual([{ number: 1 }]);
      await server.kill();
      await server.restart();
      expect(await query(server.url, "SELECT number FROM kept")).toEqual([{ number: 1 }]);
    } finally {
      await server.close();
    }
    expect(existsSync(server.folder)).toBe(false);
  });
});
