import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ended, runCliHere, runCliProcess, startCli, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const at = (name: string) => join(home.path, name);

beforeAll(async () => {
  home = await temporaryHome();
  const tasks = (n: number) =>
    Array.from({ length: n }, (_, id) => ({
      task_id: `t${id}`,
      execution_type: "tool",
      tool_id: "work",
      arguments: { id },
    }));
  writeFileSync(at("plan.json"), JSON.stringify({ planned_tasks: tasks(12) }));
});
afterAll(() => home.remove());
beforeEach(() => writeFileSync(at("calls.log"), ""));

/** A configuration whose tool is seen by an observer outside, with limits in the journal. */
function configure(name: string, options: object): string {
  const file = at(name);
  writeFileSync(
    file,
    `import { appendFileSync } from "node:fs";
const note = (what) => appendFileSync(${JSON.stringify(at("calls.log"))}, what + " " + process.pid + "\\n");
export default {
  executors: [{
    kind: "tool",
    resources: () => [{ kind: "tool", id: "work", description: "Is seen by an observer.", readOnly: true }],
    async execute() {
      note("begin");
      // Real time: calls of processes have to overlap.
      await new Promise((resolve) => setTimeout(resolve, 25));
      note("end");
      return {};
    },
  }],
  limitScope: "journal",
  ...${JSON.stringify(options)},
};
`,
  );
  return file;
}

const calls = () =>
  readFileSync(at("calls.log"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" ") as [what: "begin" | "end", pid: string]);

/** The most calls at once that the observer saw; those of a process that was killed end with it. */
function most(killed?: number): number {
  let now = 0;
  let most = 0;
  const lines = calls();
  const lastOfKilled = lines.findLastIndex(([, pid]) => pid === String(killed));
  let open = 0;
  for (const [index, [what, pid]] of lines.entries()) {
    const by = what === "begin" ? 1 : -1;
    now += by;
    if (pid === String(killed)) open += by;
    most = Math.max(most, now);
    if (index === lastOfKilled) now -= open;
  }
  return most;
}

test("planloom run, three times at once on one journal, keeps the limits of its configuration together", {
  timeout: 180_000,
}, async () => {
  const config = configure("limits.mjs", { concurrency: 8, limits: { resources: { work: 2 } } });
  const args = ["run", at("plan.json"), "--config", config, "--json"];
  const all = await Promise.all([1, 2, 3].map(() => runCliProcess(args, home.env)));
  expect(all.map(({ code, stderr }) => [code, stderr])).toEqual(Array(3).fill([0, ""]));
  expect(calls()).toHaveLength(2 * 36);
  expect(new Set(calls().map(([, pid]) => pid)).size).toBe(3);
  expect(most()).toBe(2);
});

test("a budget of a configuration is spent once by all of them, and what is left over is resumed later", {
  timeout: 180_000,
}, async () => {
  const config = configure("budget.mjs", { concurrency: 4, budgets: { total: { calls: 20 } } });
  const args = ["run", at("plan.json"), "--config", config, "--json"];
  const all = await Promise.all([1, 2, 3].map(() => runCliProcess(args, home.env)));
  expect(calls().filter(([what]) => what === "begin")).toHaveLength(20);
  const reasons = all.map(({ stdout }) => (JSON.parse(stdout) as { end_reason: string }).end_reason);
  expect(reasons).toContain("budget");
  expect(reasons.every((reason) => reason === "budget" || reason === "completed")).toBe(true);
  // A later command finds nothing left either.
  const later = await runCliHere(args, home.env);
  expect(JSON.parse(later.stdout)).toMatchObject({ end_reason: "budget" });
  expect(calls().filter(([what]) => what === "begin")).toHaveLength(20);
  const wider = configure("wider.mjs", { concurrency: 4, budgets: { total: { calls: 32 } } });
  const run = JSON.parse(later.stdout) as { run_id: string };
  expect((await runCliHere(["resume", run.run_id, "--config", wider, "--json"], home.env)).code).toBe(0);
  expect(calls().filter(([what]) => what === "begin")).toHaveLength(32);
});

test("what a killed planloom run held is free for the others", { timeout: 180_000 }, async () => {
  const config = configure("killed.mjs", { concurrency: 8, limits: { resources: { work: 2 } } });
  const args = ["run", at("plan.json"), "--config", config, "--json"];
  const killed = startCli(args, home.env);
  await expect.poll(() => calls().length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(3);
  const others = [1, 2].map(() => startCli(args, home.env));
  const results = others.map(ended);
  killed.kill("SIGKILL");
  expect((await Promise.all(results)).map(({ code }) => code)).toEqual([0, 0]);
  expect(most(killed.pid)).toBe(2);
});
