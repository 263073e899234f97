import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { isAlive } from "../support/is-alive.ts";

const noThreads = String(new URL("../support/no-threads.ts", import.meta.url));

test.for([
  { name: "holds its process", tool: "busy" },
  { name: "waits", tool: "hang" },
  { name: "waits where no thread can be started", tool: "hang", preloaded: [noThreads] },
])("a worker whose parent is killed ends within seconds while its tool $name", async ({ tool, preloaded = [] }) => {
  const folder = await mkdtemp(join(tmpdir(), "planloom-orphan-"));
  const file = join(folder, "pid");
  const program = join(import.meta.dirname, "../support/orphan-parent.ts");
  const parent = spawn(process.execPath, [program, tool, file, ...preloaded], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(parent, "exit");
  let pid = 0;
  try {
    pid = await vi.waitUntil(() => existsSync(file) && Number(readFileSync(file, "utf8")), 60_000);
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await ended;
    await vi.waitUntil(() => !isAlive(pid), 15_000);
  } finally {
    parent.kill("SIGKILL");
    if (pid > 0 && isAlive(pid)) process.kill(pid, "SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
});
