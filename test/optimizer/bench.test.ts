import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strategies } from "@planloom/optimizer";
import {
  adversarialSearch,
  type BenchReport,
  generateWorkload,
  htmlReport,
  markdownReport,
  optimizerLab,
  runBench,
} from "@planloom/optimizer/bench";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const workloads = ["llm-plan-like", "fork-join"].map((family) => generateWorkload(family, 12, 1));
const few = ["per-task", "level-lpt", "portfolio"].map((name) => strategies.get(name)!);

describe("runBench", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "bench-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("gives a row for every strategy, plan and environment, none below its bound", async () => {
    const rows = await runBench({ workloads, strategies: few, executors: [2], overheads: [0, 1] });
    expect(rows).toHaveLength(3 * 2 * 2);
    for (const row of rows) {
      expect(row.ratio).toBeGreaterThanOrEqual(1 - 1e-9);
      expect(row.witness).not.toBe("");
    }
    expect(new Set(rows.map((row) => row.key)).size).toBe(rows.length);
  });

  test("goes on where it was cut off, and measures nothing twice", async () => {
    const journal = join(folder, "rows.jsonl");
    const seen: string[] = [];
    const stop = new AbortController();
    const options = { workloads, strategies: few, executors: [2], overheads: [0, 1], journal };
    const first = runBench({
      ...options,
      signal: stop.signal,
      onRow: (row, done) => {
        seen.push(row.key);
        if (done === 2) stop.abort(new Error("enough"));
      },
    });
    await expect(first).rejects.toThrow("enough");
    const kept = await readFile(journal, "utf8");
    expect(kept.trim().split("\n")).toHaveLength(6);
    const rows = await runBench(options);
    expect(rows).toHaveLength(12);
    const file = await readFile(journal, "utf8");
    expect(file.startsWith(kept)).toBe(true);
    expect(file.trim().split("\n")).toHaveLength(12);
    expect(rows.map((row) => row.key)).toEqual(expect.arrayContaining(seen));
  });
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

  test("ends its workers when it is told to", async () => {
    const stop = new AbortController();
    const search = adversarialSearch({ ...options, restarts: 1000, steps: 1000, signal: stop.signal });
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
    gantt: { title: "Schedule", bars: [{ lane: 0, startMs: 0, endMs: 10, tasks: 2 }] },
    adversarial: {
      strategies: ["a", "b"],
      worst: [
        [0, 2],
        [1, 0],
      ],
      seconds: 1,
      evaluations: 2,
    },
  };

  test("Markdown escapes what would break a table", () => {
    expect(markdownReport(report)).toContain("| x\\|y | 1 |");
  });

  test("HTML has its plots inside, no script and nothing from outside", async () => {
    const rows = await runBench({ workloads, strategies: few, executors: [2], overheads: [1] });
    const page = await htmlReport({ ...report, rows });
    expect(page).toContain("One &lt;b&gt;");
    expect(page.match(/<svg/g)!.length).toBeGreaterThanOrEqual(4);
    expect(page).not.toMatch(/<script|src=|@import|https?:\/\/(?!www\.w3\.org)/);
  });
});

test("the laboratory refuses to go on when it is told to stop", async () => {
  await expect(optimizerLab({ workloads, quick: true, signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow(
    "no",
  );
});
