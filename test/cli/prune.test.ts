import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { defineTool, run, SharedLimits, SqliteJournal, toolExecutor } from "@planloom/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const cli = (...args: string[]) => runCliHere(args, home.env);
const idsOf = (text: string, key: "runs" | "deleted") =>
  (JSON.parse(text)[key] as { run_id: string }[]).map(({ run_id }) => run_id).join(" ");

beforeAll(async () => {
  home = await temporaryHome();
  await mkdir(home.env.PLANLOOM_HOME ?? "", { recursive: true });
  const journal = await SqliteJournal.open(join(home.env.PLANLOOM_HOME ?? "", "journal.sqlite"));
  const shared = new SharedLimits({});
  const executors = [
    toolExecutor([
      defineTool({
        id: "t",
        description: "",
        execute: ({ fails }: { fails?: boolean }) => {
          if (fails === true) throw new Error("no");
          return 1;
        },
      }),
    ]),
  ];
  for (let n = 1; n <= 5; n++) {
    const task = { task_id: "a", execution_type: "tool" as const, tool_id: "t", arguments: { n, fails: n === 2 } };
    const plan = { title: `Bill ${n}`, planned_tasks: [n === 5 ? { ...task, approval: "required" as const } : task] };
    const tenant = n % 2 === 0 ? "x" : "y";
    await run(plan, { executors, journal, runId: `r${n}`, shared, tenant, metadata: { tenant, n } });
  }
  await journal.close();
});
afterAll(() => home.remove());

test("list shows the runs that fit, and goes on after a cursor", async () => {
  expect(idsOf((await cli("list", "--json")).stdout, "runs")).toBe("r5 r4 r3 r2 r1");
  expect(idsOf((await cli("list", "--status", "failed", "waiting_approval", "--json")).stdout, "runs")).toBe("r5 r2");
  expect(idsOf((await cli("list", "--metadata", "tenant=y", "--title", "bill", "--json")).stdout, "runs")).toBe(
    "r5 r3 r1",
  );
  expect(idsOf((await cli("list", "--metadata", "n=3", "--newer-than", "1h", "--json")).stdout, "runs")).toBe("r3");
  expect(idsOf((await cli("list", "--tenant", "x", "--json")).stdout, "runs")).toBe("r4 r2");
  const first = JSON.parse((await cli("list", "--limit", "2", "--json")).stdout).runs as { cursor: string }[];
  expect(idsOf((await cli("list", "--cursor", first.at(-1)?.cursor ?? "", "--json")).stdout, "runs")).toBe("r3 r2 r1");
  expect((await cli("list", "--title", "nothing")).stdout).toBe("No run fits.\n");
  expect((await cli("list", "--status", "failed")).stdout).toMatch(/r2 .*Bill 2/);
});

test("journal export writes completed runs as workloads that the bench measures on", async () => {
  const out = join(home.path, "recorded.json");
  const written = await cli("journal", "export", "--workload", "--out", out);
  expect(written).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/recorded\.json: 3 runs, 2 runs that did not/),
  });
  const text = await readFile(out, "utf8");
  expect(text).not.toMatch(/Bill|"t"|"r1"/);
  const measured = await cli(
    "bench",
    out,
    "--strategy",
    "per-task",
    "--env",
    "executors=2,overhead=1s",
    "--json",
    "--out",
    join(home.path, "b"),
  );
  expect(JSON.parse(measured.stdout).rows.map(({ workload }: { workload: string }) => workload)).toEqual([
    "run-1",
    "run-2",
    "run-3",
  ]);
  const one = JSON.parse((await cli("journal", "export", "--workload", "r3", "--names")).stdout);
  expect(one.instances).toMatchObject([{ name: "r3", tasks: [{ id: "a", type: "t" }] }]);
  expect(await cli("journal", "export", "--workload", "r2")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("No completed run"),
  });
  expect(await cli("journal", "export", "r1")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--workload"),
  });
});

test("prune deletes what the limits say, after a dry run that says the same", async () => {
  for (const wrong of [[], ["--keep", "-1"], ["--older-than", "30"], ["--older-than", "1d", "--status", "done"]])
    expect((await cli("prune", ...wrong)).code).toBe(2);
  expect(idsOf((await cli("prune", "--keep", "2", "--dry-run", "--json")).stdout, "deleted")).toBe("r2 r1");
  expect((await cli("prune", "--older-than", "30d", "--keep", "1000")).stdout).toBe(
    "0 runs and 0 cached outputs deleted.\n",
  );
  expect((await cli("prune", "--keep", "0", "--status", "failed")).stdout).toMatch(
    /^r2 {2}\S+ {2}Bill 2 {2}deleted\n1 run and/,
  );
  expect((await cli("prune", "--keep", "2", "--json")).code).toBe(0);
  expect(idsOf((await cli("list", "--json")).stdout, "runs")).toBe("r5 r4 r3");
});
