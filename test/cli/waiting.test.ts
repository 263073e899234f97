import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SqliteJournal } from "planloom";
import { run } from "planloom/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ended, runCliHere, startCli, startCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
beforeEach(async () => {
  home = await temporaryHome();
});
afterEach(() => home.remove());

/** Runs a plan of these tasks; gives the id of the run. */
async function begin(...planned_tasks: object[]): Promise<string> {
  const file = join(home.path, "plan.json");
  await writeFile(file, JSON.stringify({ task_id: "plan", planned_tasks }));
  const { code, stdout } = await runCliHere(["run", file], home.env);
  expect(code).toBe(6);
  return /planloom show (\S+)/.exec(stdout)![1]!;
}

const payment = { task_id: "payment", wait: { event: "paid", key: "7", timeout_ms: 3_600_000 } };

test("a run that waits for a signal says so, is sent one and continues", async () => {
  const id = await begin(payment);
  const shown = await runCliHere(["show", id], home.env);
  expect(shown.stdout).toMatch(/payment {2}for paid \(7\) until/);
  expect(shown.stdout).toContain(`planloom signal ${id} paid --key 7 --data JSON`);
  expect((await runCliHere(["resume", "--due"], home.env)).stdout).toBe("Nothing is due.\n");
  expect((await runCliHere(["signal", id, "paid", "--data", "1"], home.env)).stdout).toContain("no task waits for it");
  const sent = await runCliHere(["signal", id, "paid", "--key", "7", "--data", '{"ok": 1}', "--json"], home.env);
  expect(JSON.parse(sent.stdout)).toMatchObject({ run_id: id, event: "paid", key: "7", awaited: true });
  const later = (await runCliHere(["signal", id, "paid", "--key", "7", "--data", "2"], home.env)).stdout;
  expect(later).toContain("is kept for a later wait: payment gets the one that was sent before");
  expect(later).toContain(`planloom resume ${id}`);
  expect(later).not.toContain("waits for");
  const signalled = (await runCliHere(["show", id], home.env)).stdout;
  expect(signalled).toMatch(/payment {2}for paid \(7\) until .*; its signal has come, resume continues with it/);
  expect(signalled).not.toContain("planloom signal");
  const { code, stdout } = await runCliHere(["resume", "--due", "--json"], home.env);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ woken: [{ run_id: id, end_reason: "completed" }] });
  const { tasks } = JSON.parse((await runCliHere(["show", id, "--json"], home.env)).stdout);
  expect(tasks[0].output).toEqual({ ok: 1 });
});

test("resume of a run that waits has what failed called again with --retry-failed alone", async () => {
  const failures = { made: 0 };
  Object.assign(globalThis, { failures });
  const config = join(home.path, "own.config.mjs");
  const resources = '[{ kind: "tool", id: "bad", description: "Fails" }]';
  const execute = 'async () => { globalThis.failures.made++; throw new Error("no"); }';
  await writeFile(
    config,
    `export default { executors: [{ kind: "tool", resources: () => ${resources}, execute: ${execute} }] };`,
  );
  const file = join(home.path, "plan.json");
  await writeFile(
    file,
    JSON.stringify({ task_id: "plan", planned_tasks: [payment, { task_id: "a", tool_id: "bad" }] }),
  );
  const begun = await runCliHere(["run", file, "--config", config], home.env);
  const id = /planloom show (\S+)/.exec(begun.stdout)![1]!;
  const made = async (...args: string[]) => {
    expect((await runCliHere(["resume", id, "--config", config, ...args], home.env)).code).toBe(6);
    return failures.made;
  };
  expect(await made()).toBe(1);
  expect(await made("--retry-failed")).toBe(2);
  const both = await runCliHere(["resume", "--due", "--retry-failed"], home.env);
  expect([both.code, both.stderr]).toEqual([
    2,
    expect.stringContaining("Expected --retry-failed with one run, got --due"),
  ]);
  await runCliHere(["signal", id, "paid", "--key", "7", "--data", "1"], home.env);
  await runCliHere(["resume", "--due", "--config", config], home.env);
  expect(failures.made).toBe(2);
  expect((await runCliHere(["resume", id, "--config", config, "--no-retry-failed"], home.env)).code).toBe(1);
  expect(failures.made).toBe(2);
});

test("a run that is refused when it is due can be asked for again at once", async () => {
  const env = { ...home.env, PLANLOOM_TRUST: "" };
  const config = join(home.path, "own.config.mjs");
  const resources = '[{ kind: "tool", id: "note", description: "Makes a note" }]';
  await writeFile(
    config,
    `export default { executors: [{ kind: "tool", resources: () => ${resources}, execute: async () => 1 }] };`,
  );
  const file = join(home.path, "plan.json");
  const then = { task_id: "then", tool_id: "note", dependencies: ["payment"] };
  await writeFile(file, JSON.stringify({ task_id: "plan", planned_tasks: [payment, then] }));
  const begun = await runCliHere(["run", file, "--config", config], env);
  const id = /planloom show (\S+)/.exec(begun.stdout)![1]!;
  expect(begun.stdout).toContain(`planloom resume ${id} --config`);
  await runCliHere(["signal", id, "paid", "--key", "7", "--data", "1"], env);
  const first = await runCliHere(["resume", "--due"], env);
  expect(first).toMatchObject({ code: 1, stdout: expect.stringMatching(/not resumed: .*\n.*--trust-journal/) });
  const again = async (): Promise<string> => {
    const { stdout } = await runCliHere(["resume", "--due", "--trust-journal"], env);
    return stdout.startsWith("Nothing") ? again() : stdout;
  };
  expect(await again()).toContain("completed");
}, 15_000);

const refused: readonly (readonly [string, (id: string) => string[], number, string])[] = [
  ["data that is no JSON", (id) => ["signal", id, "paid", "--data", "paid"], 2, "--data"],
  ["an unknown run", () => ["signal", "none", "paid"], 2, "none"],
  ["no event", (id) => ["signal", id], 2, "event"],
  ["a run and --due", (id) => ["resume", id, "--due"], 2, "both"],
  ["neither", () => ["resume"], 2, "--due"],
  ["an unknown schedule to delete", () => ["schedule", "--delete", "none"], 2, "PLANLOOM_SCHEDULE_NOT_FOUND"],
  ["an unknown schedule to look at", () => ["schedule", "--history", "none"], 2, "none"],
  ["a scheduler that never looks", () => ["scheduler", "--every", "0"], 2, "--every"],
];
test("bad input is refused", async () => {
  const id = await begin(payment);
  for (const [name, words, code, text] of refused) {
    const result = await runCliHere(words(id), home.env);
    expect({ name, code: result.code }).toEqual({ name, code });
    expect(result.stderr).toContain(text);
  }
});

test("a scheduler wakes what is due, and ends when it is stopped", async () => {
  const id = await begin({ task_id: "pause", wait: { for_ms: 5_500 } });
  const child = startCli(["scheduler", "--json"], home.env);
  const heard = new Promise<string>((resolve) => child.stdout!.on("data", (text) => resolve(String(text))));
  expect(JSON.parse(await heard)).toMatchObject({ run_id: id, end_reason: "completed" });
  child.kill("SIGINT");
  expect((await ended(child)).code).toBe(130);
}, 30_000);

test("a schedule is made, listed, run by a scheduler, paused and deleted", async () => {
  const file = join(home.path, "plan.json");
  const title = "Report";
  await writeFile(file, JSON.stringify({ title, planned_tasks: [{ task_id: "w", wait: { for_ms: 0 } }] }));
  const cron = ["--cron", "* * * * * *", "--zone", "Europe/Berlin", "--id", "s"];
  expect((await runCliHere(["schedule", file, ...cron], home.env)).stdout).toMatch(
    /s +[\d-]+ [\d:]+ +Report +\* .* +Europe\/Berlin/,
  );
  expect((await runCliHere(["schedule", "--list"], home.env)).stdout).toContain("Report");
  const scheduler = startCliHere(["scheduler", "--json"], home.env);
  const heard = scheduler.said((text) => text.includes("\n"));
  const { run_id } = JSON.parse((await heard).split("\n")[0]!);
  expect((await scheduler.stop()).code).toBe(130);
  const { stdout } = await runCliHere(["schedule", "--history", "s", "--json"], home.env);
  expect((await runCliHere(["schedule", "--history", "s"], home.env)).stdout).toMatch(/run *\n[ ─]+\n/);
  expect(JSON.parse(stdout).history).toContainEqual(expect.objectContaining({ state: "started", run_id }));
  expect((await runCliHere(["schedule", "--pause", "s"], home.env)).stdout).toContain("paused");
  expect((await runCliHere(["schedule", "--continue", "s"], home.env)).stdout).not.toContain("paused");
  expect((await runCliHere(["schedule", "--delete", "s"], home.env)).stdout).toContain("Its runs stay");
  expect((await runCliHere(["schedule", "--list"], home.env)).stdout).toBe("There is no schedule.\n");
  for (const words of [["schedule"], ["schedule", file], ["schedule", file, "--list"], ["schedule", "--pause", "s"]])
    expect((await runCliHere(words, home.env)).code).not.toBe(0);
  const wrong = await runCliHere(["schedule", file, "--cron", "61 * * * *"], home.env);
  expect(wrong.stderr).toContain("five fields");
}, 30_000);

test("a scheduler continues a scheduled run whose process ended before it did, with the approvals of its schedule", async () => {
  const plan = { task_id: "p", planned_tasks: [{ task_id: "w", wait: { for_ms: 0 } }] };
  const file = join(home.path, "plan.json");
  await writeFile(file, JSON.stringify(plan));
  const made = [
    "schedule",
    file,
    "--cron",
    "0 0 1 1 *",
    "--id",
    "s",
    "--allow",
    "erase",
    "--confirm",
    "writes",
    "--json",
  ];
  const { stdout } = await runCliHere(made, home.env);
  expect(JSON.parse(stdout)).toMatchObject({ approval: { allow: ["erase"], confirm: "writes" } });
  const journal = await SqliteJournal.open(join(home.env.PLANLOOM_HOME!, "journal.sqlite"));
  const metadata = { schedule: "s" };
  const cut = await run(plan, { executors: [], journal, metadata, runId: "r", drain: AbortSignal.abort() });
  await journal.close();
  expect(cut.end_reason).toBe("drained");
  const scheduler = startCliHere(["scheduler", "--json"], home.env);
  const heard = scheduler.said((text) => text.includes("\n"));
  expect(JSON.parse(await heard)).toMatchObject({ run_id: "r", end_reason: "completed" });
  expect((await scheduler.stop()).code).toBe(130);
}, 30_000);
