import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withFileLock } from "../../packages/planloom/src/file-lock.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-lock-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.for([
  { name: "free", left: [] },
  { name: "of a dead process", left: ["lock"] },
  { name: "of a dead process, and of one that died taking it away", left: ["lock", "lock.stale"] },
])("a lock that is $name lets one in at a time", async ({ left }) => {
  const file = join(folder, `plan-${left.length}`);
  for (const end of left) {
    await writeFile(`${file}.${end}`, "");
    await utimes(`${file}.${end}`, 0, 0);
  }
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await wait(3);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 25 }, () => withFileLock(file, work)));
  expect(most).toBe(1);
  expect((await readdir(folder)).filter((name) => name.includes(".lock"))).toEqual([]);
});

test("an abort ends the wait, and leaves the lock to its holder", async () => {
  const file = join(folder, "held");
  await writeFile(`${file}.lock`, "somebody");
  const waiting = withFileLock(file, async () => 1, { signal: AbortSignal.timeout(50) });
  await expect(waiting).rejects.toMatchObject({ name: "TimeoutError" });
  expect(await readdir(folder)).toContain("held.lock");
});
