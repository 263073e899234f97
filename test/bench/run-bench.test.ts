import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  adversarialSearch,
  type BenchProgress,
  type BenchReport,
  BenchRow,
  benchEnvironments,
  generateWorkload,
  htmlReport,
  type LostRow,
  markdownReport,
  optimizerLab,
  runBench,
} from "@planloom/bench";
import { makespan, type RuleStrategy, strategies } from "@planloom/optimizer";
import type { PlanView } from "@planloom/plan";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { provenance } from "../../packages/bench/src/provenance.ts";

const workloads = ["llm-plan-like", "fork-join"].map((family) => generateWorkload(family, 12, 1));
const few = ["per-task", "level-lpt", "portfolio"].map((name) => strategies.get(name)!);

describe("runBench", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "bench-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("gives a row for every strategy, plan and environment, none below its bound", async () => {
    const rows = await runBench({ workloads, strategies: few, environments: benchEnvironments([2], [0, 1]) });
    expect(rows).toHaveLength(3 * 2 * 2);
    for (const row of rows) {
      expect(row.ratio).toBeGreaterThanOrEqual(1 - 1e-9);
      expect(row.unknownMs).toBeGreaterThanOrEqual(row.boundMs * (1 - 1e-9));
      expect(row.witness).not.toBe("");
    }
    expect(new Set(rows.map((row) => row.key)).size).toBe(rows.length);
  });

  test("stops between two draws of a large plan, not only between rows", async () => {
    const journal = join(folder, "rows.jsonl");
    const stop = new AbortController();
    const perTask = strategies.get("per-task")!;
    const stopping: RuleStrategy = {
      ...perTask,
      propose(...given) {
        setImmediate(() => stop.abort(new Error("enough")));
        return perTask.propose(...given);
      },
    };
    const large = [generateWorkload("fork-join", 3000, 1)];
    await expect(runBench({ workloads: large, strategies: [stopping], journal, signal: stop.signal })).rejects.toThrow(
      "enough",
    );
    await expect(readFile(journal)).rejects.toThrow("ENOENT");
  });

  test("goes on where it was cut off, and measures nothing twice", async () => {
    const journal = join(folder, "rows.jsonl");
    const stop = new AbortController();
    const options = { workloads, strategies: few, environments: benchEnvironments([2], [0, 1]), journal };
    const first = runBench({
      ...options,
      signal: stop.signal,
      onProgress: ({ done, total }) => {
        expect(total).toBe(12);
        if (done === 7) stop.abort(new Error("enough"));
      },
    });
    await expect(first).rejects.toThrow("enough");
    const before = await readFile(journal, "utf8");
    expect(before.trim().split("\n")).toHaveLength(7);
    // Killed while it wrote the next row.
    await appendFile(journal, before.slice(0, 100));
    const reported: BenchProgress[] = [];
    const rows = await runBench({ ...options, onProgress: (progress) => reported.push(progress) });
    expect(reported.map(({ done }) => done)).toEqual([7, 8, 9, 10, 11, 12]);
    expect(reported.at(-1)).toEqual({ done: 12, kept: 7, total: 12 });
    const after = await readFile(journal, "utf8");
    const keys = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((line) => BenchRow.parse(JSON.parse(line)).key);
    expect(keys(after).slice(0, 7)).toEqual(keys(before));
    const pure = (all: readonly BenchRow[]) => all.map(({ optimizeMs, ...row }) => row);
    expect(pure(rows)).toEqual(pure(await runBench({ ...options, journal: join(folder, "other.jsonl") })));
    expect(await runBench(options)).toEqual(rows);
  });

  test("other seeds, deadlines, plans and environments are other rows", async () => {
    const journal = join(folder, "rows.jsonl");
    const base = { workloads: workloads.slice(0, 1), strategies: few.slice(0, 1), journal };
    const small = { executors: 2, overheadMs: 5 };
    const lengths: number[] = [];
    for (const more of [
      { environments: [small] },
      { environments: [{ overheadMs: 5, executors: 2 }] },
      { environments: [{ ...small, maxTasks: 3 }] },
      { environments: [small], seeds: [1] },
      { environments: [small], deadlineMs: 5 },
      { environments: [small], workloads: workloads.slice(1) },
    ]) {
      await runBench({ ...base, ...more });
      lengths.push((await readFile(journal, "utf8")).trim().split("\n").length);
    }
    expect(lengths).toEqual([1, 1, 2, 3, 4, 5]);
  });
});

test("rows of the file are held against the bound that the last strategy proved, as those that are returned", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rows-"));
  try {
    const journal = join(folder, "rows.jsonl");
    const chosen = ["per-task", "exact"].map((name) => strategies.get(name)!);
    const options = { workloads, environments: [{ executors: 2 }], journal };
    await runBench({ ...options, strategies: chosen.slice(0, 1) });
    const rows = await runBench({ ...options, strategies: chosen });
    const lines = (await readFile(journal, "utf8")).trim().split("\n");
    const kept = lines.map((line) => BenchRow.parse(JSON.parse(line)));
    const byKey = new Map(kept.map(({ key, ratio, boundMs }) => [key, { ratio, boundMs }]));
    expect(kept).toHaveLength(rows.length);
    for (const { key, ratio, boundMs } of rows) expect(byKey.get(key)).toEqual({ ratio, boundMs });
    expect(rows.some(({ boundBy, strategy }) => boundBy === "search of exact" && strategy === "per-task")).toBe(true);
    expect(rows[0]!.key).toMatch(/\|\d+\.\d+\.\d+[^|]*\|[0-9a-f+]+$|\|unknown$/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a strategy that throws or proposes a circle loses its rows alone, in the adversarial search too", async () => {
  const own = (name: string, propose: RuleStrategy["propose"]): RuleStrategy => ({
    name,
    version: "1",
    description: "of one's own",
    deterministic: true,
    propose,
  });
  const throwing = own("throwing", () => {
    throw new TypeError("not today");
  });
  // Every second task of a chain in one part, the others in another: the two wait for each other.
  const circular = own("circular", (view) => ({ part: Int32Array.from(view.topo, (_, at) => at % 2), count: 2 }));
  const lost: LostRow[] = [];
  const chain = [generateWorkload("chain", 6, 1)];
  const rows = await runBench({
    workloads: chain,
    environments: [{ executors: 2 }],
    strategies: [throwing, circular, ...few.slice(0, 1)],
    onLost: (each) => lost.push(each),
  });
  expect(rows.map(({ strategy }) => strategy)).toEqual([few[0]!.name]);
  expect(lost.map(({ strategy, message }) => [strategy, message])).toEqual([
    ["throwing", expect.stringContaining("not today")],
    ["circular", expect.stringContaining("wait for one another")],
  ]);
  const { strategies: names, worst } = await adversarialSearch({
    strategies: ["single", throwing, few[0]!],
    restarts: 1,
    steps: 5,
  });
  expect(names).toEqual(["single", "throwing", few[0]!.name]);
  expect(worst[1]).toEqual([0, 0, 0]);
  expect(worst[0]![2]).toBeGreaterThan(0);
});

test("nothing that a strategy of one's own writes into what it is shown, or claims, changes the rows of others", async () => {
  const perTask = (view: PlanView) => ({ part: Int32Array.from(view.topo.keys()), count: view.n });
  const own = (name: string, propose: RuleStrategy["propose"]): RuleStrategy => ({
    name,
    version: "1",
    description: "of one's own",
    deterministic: true,
    propose,
  });
  const writing = own("writing", (view, environment) => {
    view.work.fill(0);
    Object.assign(environment, { overheadMs: 0, executors: 1000 });
    return perTask(view);
  });
  // Its own grouping is no shorter than it says, but that of others is.
  const claiming = own("claiming", (view, environment) => {
    const partition = perTask(view);
    return { ...partition, provedMs: makespan(view, environment, partition) };
  });
  const environments = [{ executors: 2, overheadFactor: 1 }];
  const asked = { workloads: workloads.slice(0, 1), environments };
  const alone = await runBench({ ...asked, strategies: few });
  const beside = await runBench({ ...asked, strategies: [writing, claiming, ...few] });
  const pure = (rows: readonly BenchRow[]) => rows.map(({ optimizeMs, ...row }) => row);
  expect(pure(beside.filter(({ strategy }) => few.some(({ name }) => name === strategy)))).toEqual(pure(alone));
  const { makespanMs } = alone.find(({ strategy }) => strategy === "per-task")!;
  expect(beside.find(({ strategy }) => strategy === "writing")).toMatchObject({ makespanMs });
});

test("the version in the keys of rows is that of the package", async () => {
  const manifest = await readFile(new URL("../../packages/bench/package.json", import.meta.url), "utf8");
  expect(provenance().version).toBe((JSON.parse(manifest) as { version: string }).version);
});

test("strategies that draw numbers run once a seed, the others once", async () => {
  const chosen = ["random-valid", "per-task"].map((name) => strategies.get(name)!);
  const rows = await runBench({ workloads, strategies: chosen, environments: [{ executors: 2 }], seeds: [3, 4, 5] });
  const seeds = (name: string) => rows.filter((row) => row.strategy === name).map((row) => row.seed);
  expect(seeds("per-task")).toEqual([3, 3]);
  expect(seeds("random-valid").sort()).toEqual([3, 3, 4, 4, 5, 5]);
  const distinct = new Set(rows.filter((row) => row.strategy === "random-valid").map((row) => row.makespanMs));
  expect(distinct.size).toBeGreaterThan(2);
});

describe("adversarialSearch", () => {
  const options = { strategies: ["per-task", "single"], restarts: 1, steps: 20 };

  test("finds plans on which either is worse than the other, the same with any number of workers", async () => {
    const one = await adversarialSearch({ ...options, workers: 1 });
    const two = await adversarialSearch({ ...options, workers: 2 });
    expect(one.worst).toEqual(two.worst);
    expect(one.worst[0]![1]).toBeGreaterThan(1);
    expect(one.worst[1]![0]).toBeGreaterThan(1);
  });

  test("goes on where it was cut off, with the plan on which each ratio was found", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pairs-"));
    try {
      const all = {
        ...options,
        strategies: ["per-task", "single", "chain-fusion"],
        journal: join(folder, "pairs.jsonl"),
        workers: 1,
      };
      const stop = new AbortController();
      const cut = adversarialSearch({
        ...all,
        signal: stop.signal,
        onProgress: ({ done }) => done === 2 && stop.abort(new Error("enough")),
      });
      await expect(cut).rejects.toThrow("enough");
      const whole = await adversarialSearch(all);
      expect(whole.kept).toBeGreaterThanOrEqual(2);
      const { journal, ...fresh } = all;
      const again = await adversarialSearch(fresh);
      expect({ worst: again.worst, instances: again.instances }).toEqual({
        worst: whole.worst,
        instances: whole.instances,
      });
      expect(again.instances[0]![1]!.work.length).toBeGreaterThanOrEqual(4);
      expect(again.instances[0]![0]).toBeNull();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("ends its workers when it is asked to", async () => {
    const stop = new AbortController();
    const search = adversarialSearch({ ...options, restarts: 1000, steps: 1000, signal: stop.signal });
    // Real time: the workers have to be started before.
    setTimeout(() => stop.abort(new Error("enough")), 100);
    await expect(search).rejects.toThrow("enough");
  });
});

describe("reports", () => {
  const report: BenchReport = {
    format: "planloom-bench/1",
    made: "today",
    machine: "a machine",
    tables: [{ title: "One <b>", note: "a & b", columns: ["name", "value"], rows: [["x|y", 1]] }],
    rows: [],
    gantt: { title: "Schedule", overheadMs: 1, bars: [{ lane: 0, startMs: 0, endMs: 10, tasks: 2 }] },
    adversarial: {
      strategies: ["a", "b"],
      worst: [
        [0, 2],
        [1, 0],
      ],
      instances: [
        [null, null],
        [null, null],
      ],
      seconds: 1,
      evaluations: 2,
      kept: 0,
    },
  };

  test("Markdown escapes what would break a table", () => {
    expect(markdownReport(report)).toContain("| x\\|y | 1 |");
    const name = "a`b`<img src=x>\n# [c](javascript:d)";
    const table = { title: name, note: "", columns: ["name"], rows: [[name]] };
    const plain = "a\\`b\\`\\<img src=x> # \\[c](javascript:d)";
    expect(markdownReport({ ...report, tables: [table] })).toContain(
      `## ${plain}\n\n\n\n| name |\n| --- |\n| ${plain} |\n`,
    );
  });

  test("HTML has its plots inside, no script and nothing from outside", async () => {
    const rows = await runBench({ workloads, strategies: few, environments: benchEnvironments([2], [1]) });
    const page = await htmlReport({ ...report, rows });
    expect(page).toContain("One &lt;b&gt;");
    expect(page.match(/<svg/g)!.length).toBeGreaterThanOrEqual(4);
    expect(page).not.toMatch(/<script|src=|@import|https?:\/\/(?!www\.w3\.org)/);
  });
});

test("the laboratory refuses to go on when it is asked to stop", async () => {
  await expect(optimizerLab({ workloads, quick: true, signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow(
    "no",
  );
});
