import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderPlans, memoryPlans } from "planloom";
import { planRevision } from "planloom/plan";
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

test("nothing is written to, read from or listed where a link or a folder stands in place of a plan", async () => {
  const plans = folderPlans(folder);
  const plan = { ...planOf({ a: [] }), task_id: "linked" };
  const outside = mkdtempSync(join(tmpdir(), "planloom-outside-"));
  try {
    const target = join(outside, "other.json");
    writeFileSync(target, JSON.stringify(plan));
    symlinkSync(target, join(folder, "linked.json"));
    mkdirSync(join(folder, "folder.json"));
    expect(await plans.list()).toEqual([]);
    await expect(plans.load("linked")).rejects.toMatchObject({ code: "PLANLOOM_PLAN_NOT_FOUND" });
    await expect(plans.delete("linked")).rejects.toMatchObject({ code: "PLANLOOM_PLAN_NOT_FOUND" });
    for (const task_id of ["linked", "folder"]) {
      await expect(plans.save({ ...plan, title: "changed", task_id })).rejects.toMatchObject({
        code: "PLANLOOM_PLAN_ID",
      });
    }
    expect(readFileSync(target, "utf8")).toBe(JSON.stringify(plan));
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test.for([
  { name: "a folder", open: () => folderPlans(folder) },
  { name: "memory", open: memoryPlans },
])("$name: a new plan never replaces one, also where both are saved at once", async ({ open }) => {
  const plans = open();
  const plan = { ...planOf({ a: [] }), task_id: "p" };
  const both = await Promise.allSettled(
    ["first", "second"].map((title) => plans.save({ ...plan, title }, { isNew: true })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const kept = both[0]!.status === "fulfilled" ? "first" : "second";
  expect((await plans.load("p")).title).toBe(kept);
  await expect(plans.save(plan, { isNew: true })).rejects.toMatchObject({
    code: "PLANLOOM_PLAN_CONFLICT",
    details: { id: "p" },
  });
  await plans.save({ ...plan, title: "changed" });
  expect((await plans.load("p")).title).toBe("changed");
});
