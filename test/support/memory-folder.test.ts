import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeRunFolder } from "./memory-folder.ts";

test("a test run removes the folders of runs that are gone, and no other", async () => {
  const parent = mkdtempSync(join(tmpdir(), "folders-"));
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  const alive = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
  try {
    await once(alive, "spawn");
    const kept = [`planloom-tests-${alive.pid}-aaaaaa`, "planloom-tests-x", "other"];
    for (const name of [...kept, `planloom-tests-${dead}-bbbbbb`]) {
      mkdirSync(join(parent, name, "deep"), { recursive: true });
      writeFileSync(join(parent, name, "deep/file"), "x");
    }
    const own = makeRunFolder(parent);
    expect(own).toMatch(new RegExp(`planloom-tests-${process.pid}-`));
    expect(readdirSync(parent).sort()).toEqual([...kept, own.slice(parent.length + 1)].sort());
  } finally {
    alive.kill("SIGKILL");
    rmSync(parent, { recursive: true, force: true });
  }
});
