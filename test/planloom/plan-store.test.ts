import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderPlans, planRevision } from "planloom";
import { afterEach, beforeEach, expect, test } from "vitest";
import { planOf } from "../support/run-plans.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "planloom-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a save that waits for somebody else's is given up with its signal, and leaves theirs alone", async () => {
  const plans = folderPlans(folder);
  const plan = { ...planOf({ a: [] }), task_id: "p" };
  const { file } = await plans.save(plan);
  const lock = `${file}.lock`;
  writeFileSync(lock, "");
  const stop = new AbortController();
  const saving = plans.save({ ...plan, title: "changed" }, { base: planRevision(plan), signal: stop.signal });
  stop.abort(new Error("Enough."));
  await expect(saving).rejects.toThrow("Enough.");
  expect(existsSync(lock)).toBe(true);
  rmSync(lock);
  expect((await plans.load("p")).title).toBeUndefined();
});
