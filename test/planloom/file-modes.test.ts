import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SqliteJournal } from "@planloom/runtime";
import { defineTool, folderPlans, Planloom, savePlan, TaskData } from "planloom";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCliHere } from "../support/run-cli.ts";

const folder = mkdtempSync(join(tmpdir(), "planloom-modes-"));
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const plan = TaskData.parse({
  task_id: "p",
  planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "t" }],
});
let mask: number;
// As most systems have it: without care, files are everybody's to read.
beforeAll(() => {
  mask = process.umask(0o022);
});
afterAll(() => {
  process.umask(mask);
  rmSync(folder, { recursive: true });
});

test.skipIf(process.platform === "win32")(
  "a journal in a folder that is open to others is its owner's alone",
  async () => {
    const open = join(folder, "open");
    mkdirSync(open, { mode: 0o755 });
    const file = join(open, "runs.sqlite");
    const planloom = new Planloom({
      tools: [defineTool({ id: "t", description: "", execute: () => 1 })],
      journal: file,
    });
    await planloom.run(plan);
    expect(["", "-wal", "-shm"].map((end) => modeOf(file + end))).toEqual(["600", "600", "600"]);
    expect(modeOf(open)).toBe("755");
    await planloom.close();
    // Whoever opened it to others on purpose is not overruled.
    chmodSync(file, 0o640);
    await (await SqliteJournal.open(file)).close();
    expect(modeOf(file)).toBe("640");
    const made = join(folder, "made", "deep", "runs.sqlite");
    await (await SqliteJournal.open(made)).close();
    expect([join(folder, "made"), join(folder, "made", "deep"), made].map(modeOf)).toEqual(["700", "700", "600"]);
  },
);

test.skipIf(process.platform === "win32")(
  "a journal that an earlier version left open to everybody is closed",
  async () => {
    const file = join(folder, "old.sqlite");
    const old = new DatabaseSync(file);
    old.exec(readFileSync(join(import.meta.dirname, "../runtime/journal/fixtures/format-7.sql"), "utf8"));
    old.close();
    expect(modeOf(file)).toBe("644");
    const journal = await SqliteJournal.open(file);
    await journal.listRuns();
    expect(["", "-wal", "-shm"].map((end) => modeOf(file + end))).toEqual(["600", "600", "600"]);
    await journal.close();
  },
);

test.skipIf(process.platform === "win32")(
  "plans are their owner's alone; a file that is there keeps its mode",
  async () => {
    const plans = folderPlans(join(folder, "plans"));
    const { file = "" } = await plans.save(plan);
    expect([modeOf(join(folder, "plans")), modeOf(file)]).toEqual(["700", "600"]);
    const out = join(folder, "out.json");
    await savePlan(plan, out);
    expect(modeOf(out)).toBe("600");
    writeFileSync(out, "");
    chmodSync(out, 0o644);
    await savePlan(plan, out);
    expect(modeOf(out)).toBe("644");
  },
);

test.skipIf(process.platform === "win32")(
  "doctor says which folders and files others may look into, and changes none",
  async () => {
    const home = join(folder, "home");
    mkdirSync(home, { mode: 0o755 });
    const env = { ...process.env, PLANLOOM_HOME: home };
    const checks = async () =>
      JSON.parse((await runCliHere(["doctor", "--json"], env)).stdout).checks as { name: string }[];
    expect(await checks()).toContainEqual(expect.objectContaining({ name: "privacy", status: "warning" }));
    expect(modeOf(home)).toBe("755");
    chmodSync(home, 0o700);
    expect(await checks()).not.toContainEqual(expect.objectContaining({ name: "privacy" }));
  },
);
