import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BenchReport,
  benchEnvironments,
  figurePdfs,
  generateWorkload,
  installedChromium,
  leaderboard,
  makeReport,
  paperFigures,
  planWorkload,
  readWorkloads,
  reportProvenance,
  rowsCsv,
  rowsParquet,
  runBench,
  verifyReport,
} from "@planloom/bench";
import { strategies as builtIn } from "@planloom/optimizer";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { repository, runCliHere } from "../support/run-cli.ts";

const strategies = ["per-task", "chain-fusion", "anytime"].map((name) => builtIn.get(name)!);
const environments = [...benchEnvironments([3], [1]), { executors: Number.POSITIVE_INFINITY, overheadMs: 500 }];
const measured = { strategies, environments, evaluations: 20_000, seeds: [0, 1] };
const generated = generateWorkload("layered", 25, 3);
/** As from a file: no generator makes it again. */
const foreign = readWorkloads(planWorkload(generateWorkload("in-tree", 12, 1)), "file").workloads[0]!;
let report: BenchReport;

beforeAll(async () => {
  const workloads = [generated, foreign];
  const rows = await runBench({ workloads, ...measured });
  const provenance = reportProvenance({ workloads, ...measured, command: ["planloom", "bench"] });
  report = JSON.parse(JSON.stringify(makeReport({ rows, provenance })));
}, 60_000);

describe("a report", () => {
  test("says what it takes to make it again", () => {
    expect(report.provenance).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      command: ["planloom", "bench"],
      seeds: [0, 1],
      budget: { evaluations: 20_000 },
      environments: [
        { name: "3 executors, overhead 1x", input: { executors: 3, overheadFactor: 1 } },
        { name: "unlimited executors, overhead 500 ms", input: { executors: null, overheadMs: 500 } },
      ],
      instances: [
        { name: "layered-25-s3", hash: expect.stringMatching(/^[0-9a-f]{16}$/), generated: { size: 25, seed: 3 } },
        { name: "in-tree-11-s1", tasks: 11, edges: 10 },
      ],
      machine: { node: process.version },
    });
    expect(report.provenance!.instances[1]).not.toHaveProperty("generated");
  });

  test("is the same when it is measured again, plans of files found by their content", async () => {
    const renamed = { ...foreign, name: "another name" };
    const found = await verifyReport(report, { workloads: [renamed], sample: Number.POSITIVE_INFINITY });
    expect(found).toMatchObject({ checked: report.rows.length, different: [], skipped: [] });
    expect(found.code.here).toBe(found.code.reported);
  });

  test("a figure that was changed is found, and so is a bound that is not one", async () => {
    const at = report.rows.findIndex(
      ({ workload, strategy }) => workload === generated.name && strategy === "per-task",
    );
    const rows = report.rows.with(at, { ...report.rows[at]!, makespanMs: report.rows[at]!.makespanMs * 0.999999 });
    const bound = rows.with(at + 1, { ...rows[at + 1]!, boundMs: 1e9 });
    const { different } = await verifyReport({ ...report, rows: bound }, { workloads: [foreign], sample: 1e6 });
    expect(different.map(({ field }) => field)).toEqual(["ratio", "ratio", "makespanMs", "boundMs"]);
    expect(different[0]!.row).toContain("per-task on layered-25-s3");
  });

  test("what cannot be measured again is named: plans that are not given or differ, unknown strategies, deadlines", async () => {
    const { skipped } = await verifyReport(report, { sample: 1e6 });
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(
      new Set([`no plan of hash ${report.provenance!.instances[1]!.hash} was given`]),
    );
    const named = report.rows.map((row) => ({ ...row, strategy: "mine" }));
    expect((await verifyReport({ ...report, rows: named })).skipped[0]!.reason).toBe("no such strategy here");
    const timed = { ...report, provenance: { ...report.provenance!, budget: { deadlineMs: 5 } } };
    expect(await verifyReport(timed)).toMatchObject({ checked: 0, skipped: { length: report.rows.length } });
    await expect(verifyReport({ ...report, provenance: undefined } as never)).rejects.toThrow(/with its provenance/);
  });

  test("of several a leaderboard counts the plans that all have", () => {
    const halved = { ...report, rows: report.rows.map((row) => ({ ...row, boundMs: row.boundMs / 2 })) };
    const better = halved.rows.map((row) => ({ ...row, makespanMs: row.makespanMs / 2 }));
    const one = {
      name: "mine",
      report: { ...report, rows: better.filter(({ workload }) => workload === generated.name) },
    };
    const page = leaderboard([one, { name: "theirs", report: halved }]);
    expect(page).toMatch(/## 3 executors, overhead 1x\n\n1 plans that all have in common/);
    const [first] = page.split("\n").filter((line) => line.includes("(mine)"));
    expect(first).toMatch(/\| anytime \(mine\) \| 1\.0000/);
    expect(page).toMatch(/\| anytime \(theirs\) \| 2\.0000/);
  });

  test("a leaderboard refuses a report that another one proves wrong, and keeps those of one name apart", () => {
    const rows = report.rows.map((row) => (row.strategy === "per-task" ? { ...row, makespanMs: 1 } : row));
    const wrong = { name: "mine", report: { ...report, rows } };
    expect(() => leaderboard([{ name: "theirs", report }, wrong])).toThrow(
      /agree on layered-25-s3: by per-task \(mine\) it takes 1 ms, and by \w.* \((theirs|mine)\) it is proved that nothing takes less than/,
    );
    const page = leaderboard([
      { name: "mine", report },
      { name: "mine", report },
    ]);
    expect(page).toContain("| per-task (mine) |");
    expect(page).toContain("| per-task (mine (2)) |");
    // Another environment of the same name is another table.
    const { provenance } = report;
    const [first, ...others] = provenance!.environments;
    const renamed = [{ ...first!, input: { ...first!.input, executors: 64 } }, ...others];
    const other = { ...report, provenance: { ...provenance!, environments: renamed } };
    expect(
      leaderboard([
        { name: "a", report },
        { name: "b", report: other },
      ]).match(/^## /gm),
    ).toHaveLength(3);
  });

  test("rows that contradict themselves or the environment of the report are found without being measured", async () => {
    const [first, ...others] = report.provenance!.environments;
    const environments = [{ ...first!, input: { ...first!.input, executors: 64 } }, ...others];
    const rows = report.rows.map((row) => (row.environment === first!.name ? row : { ...row, ratio: 1 }));
    const wrong = { ...report, rows, provenance: { ...report.provenance!, environments } };
    const { different } = await verifyReport(wrong, { sample: 1 });
    const ofEnvironment = different.filter(({ field }) => field === "environment");
    expect(ofEnvironment).toHaveLength(rows.filter(({ environment }) => environment === first!.name).length);
    expect(ofEnvironment[0]).toMatchObject({ reported: first!.name, measured: "64 executors, overhead 1x" });
    const longer = report.rows.filter((row) => row.environment !== first!.name && row.ratio > 1);
    expect(longer.length).toBeGreaterThan(0);
    expect(different.filter(({ field }) => field === "ratio")).toHaveLength(longer.length);
  });
});

describe("figures for papers", () => {
  test("each SVG is a document of its own: every colour in it, nothing outside, one root", async () => {
    const figures = (await paperFigures(report)).filter(({ name }) => name.endsWith(".svg"));
    expect(figures.map(({ name }) => name)).toEqual(["profiles-1.svg", "profiles-2.svg", "gap.svg"]);
    for (const { text } of figures) {
      expect(text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      expect(text).not.toMatch(/var\(|currentColor|<script|href=|url\((?!#)/);
      // CairoSVG leaves out documents within documents, and paints what is behind letters over them.
      expect(text.match(/<\/?svg/g)).toEqual(["<svg", "</svg"]);
      expect(text).not.toMatch(/<style|paint-order/);
      expect(Number(/viewBox="0 0 480 ([\d.]+)"/.exec(text)?.[1])).toBeGreaterThan(100);
    }
    expect(figures[0]!.text).toMatch(/>anytime<\/text>[\s\S]*stroke-dasharray/);
  });

  test("a name in the legend that is longer than the figure is wide goes over several lines", async () => {
    const environment = "4 executors, overhead 2 s, 2 slots, latency 100 ms, 1000 bytes/ms, 4 dispatches in 1000 ms";
    const rows = report.rows.map((row) => ({ ...row, environment }));
    const gap = (await paperFigures({ ...report, rows })).find(({ name }) => name === "gap.svg")!.text;
    const legend = [...gap.matchAll(/<text x="36" y="([\d.]+)" fill="#1d2026">([^<]*)<\/text>/g)];
    expect(legend.map(([, , text]) => text).join(" ")).toBe(environment);
    expect(legend.map(([, y]) => Number(y))).toEqual(legend.map((_, line) => 14 + 18 * line));
    for (const [, , text] of legend) expect(text!.length).toBeLessThan(60);
  });

  test("the pgfplots source has every strategy with the numbers of its curve", async () => {
    const [first] = (await paperFigures(report)).filter(({ name }) => name.endsWith(".tex"));
    expect(first!.text.match(/\\addplot/g)).toHaveLength(strategies.length);
    const curves = [...first!.text.matchAll(/coordinates \{(.*?)\}/g)].map(([, points]) =>
      [...points!.matchAll(/\(([\d.]+),([\d.]+)\)/g)].map(
        ([, factor, share]) => [Number(factor), Number(share)] as const,
      ),
    );
    for (const curve of curves) {
      expect(curve[0]).toEqual([1, 0]);
      curve.slice(1).forEach(([factor, share], at) => {
        expect(factor).toBeGreaterThanOrEqual(1);
        expect(share).toBeGreaterThanOrEqual(curve[at]![1]);
      });
    }
    // A curve ends where the axis does: one that went on and came back was drawn over itself.
    const many = report.rows.map((row, at) => ({ ...row, makespanMs: row.makespanMs * (1 + (at % 5)) }));
    for (const { text } of (await paperFigures({ ...report, rows: many })).filter(({ name }) =>
      name.endsWith(".tex"),
    )) {
      const factors = [...text.matchAll(/\(([\d.]+),[\d.]+\)/g)].map(([, factor]) => Number(factor));
      expect(Math.max(...factors)).toBe(3);
    }
    // Each colour and each pattern of dashes once, both in the picture and in its legend.
    const styles = [...first!.text.matchAll(/\\addlegendimage\{(.*)\}/g)].map(([, style]) => style!);
    expect(styles).toHaveLength(strategies.length);
    expect(new Set(styles.map((style) => style.split(", ").slice(1).join())).size).toBe(styles.length);
    for (const style of styles) {
      expect(first!.text).toContain(`forget plot, ${style}]`);
      expect(first!.text).toMatch(
        new RegExp(`\\\\definecolor\\{${style.split(", ")[0]}\\}\\{HTML\\}\\{[0-9A-F]{6}\\}`),
      );
    }
    const odd = report.rows.map((row) => ({ ...row, strategy: "50%_of {it}", environment: "a & b" }));
    const text = (await paperFigures({ ...report, rows: odd })).at(-1)!.text;
    expect(text).toContain("title={a \\& b}");
    expect(text).toContain("\\addlegendentry{50\\%\\_of \\{it\\}}");
  });
});

describe("figures as PDF", () => {
  test.skipIf(installedChromium() === undefined)(
    "one page as large as the figure, with embedded fonts",
    { timeout: 240_000 },
    async () => {
      const svg = (await paperFigures(report)).filter(({ name }) => name === "gap.svg");
      const [pdf, ...more] = await figurePdfs([...svg, { name: "profiles.tex", text: "" }]);
      expect(more).toEqual([]);
      expect(pdf!.name).toBe("gap.pdf");
      const text = Buffer.from(pdf!.bytes).toString("latin1");
      expect(text).toMatch(/^%PDF-1\./);
      expect(text).toMatch(/\/Count 1\b/);
      // A font without its file would be looked for by whoever opens it.
      expect(text).toMatch(/\/FontFile[23]? /);
      expect(text.match(/\/BaseFont \/[A-Z]{6}\+/g)!.length).toBe(text.match(/\/BaseFont/g)!.length);
      const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(text)!;
      const [, wide, high] = /viewBox="0 0 (\d+) ([\d.]+)"/.exec(svg[0]!.text)!;
      expect(Number(width)).toBeCloseTo(Number(wide) * 0.75, 0);
      expect(Math.abs(Number(height) - Number(high) * 0.75)).toBeLessThan(2);
    },
  );

  test("without a Chromium the error says what to install", async () => {
    vi.stubEnv("CHROMIUM", "");
    vi.stubEnv("PATH", "");
    await expect(figurePdfs([{ name: "a.svg", text: "<svg/>" }])).rejects.toMatchObject({
      code: "OPTIMIZER_INPUT",
      message: expect.stringMatching(/install chromium, or set CHROMIUM/),
    });
    vi.unstubAllEnvs();
  });
});

describe("rows for other programs", () => {
  test("Parquet has what CSV has, and nothing is lost", async () => {
    const bytes = await rowsParquet(report.rows);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    const objects = await parquetReadObjects({ file });
    const [names = "", ...lines] = rowsCsv(report.rows).trimEnd().split("\r\n");
    expect(objects).toHaveLength(report.rows.length);
    expect(lines).toHaveLength(report.rows.length);
    expect(Object.keys(objects[0]!)).toEqual(names.split(","));
    objects.forEach((row, at) => {
      const { workload, makespanMs, executors, noisyIntervalMs, key } = report.rows[at]!;
      expect(row).toMatchObject({
        workload,
        makespan_ms: makespanMs,
        executors,
        noisy_1_interval_ms: noisyIntervalMs["1"],
        key,
      });
    });
  });

  test("Parquet takes any seed and any count, and a report without rows", async () => {
    const odd = [2 ** 40, -1].map((seed) => ({ ...report.rows[0]!, seed, tasks: 3e9, workload: "häuser\n🚀" }));
    const read = async (rows: Parameters<typeof rowsParquet>[0]) => {
      const bytes = await rowsParquet(rows);
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
      return await parquetReadObjects({ file });
    };
    expect(await read(odd)).toMatchObject([
      { seed: 2n ** 40n, tasks: 3_000_000_000n, workload: "häuser\n🚀" },
      { seed: -1n, tasks: 3_000_000_000n },
    ]);
    expect(await read(odd.map((row) => ({ ...row, seed: 0.5 })))).toMatchObject([{ seed: 0.5 }, { seed: 0.5 }]);
    expect(await read([])).toEqual([]);
  });

  test("CSV puts in quotes what needs them and leaves unlimited empty", () => {
    const row = { ...report.rows[0]!, workload: 'a "b", c', executors: null };
    expect(rowsCsv([row]).split("\r\n")[1]).toMatch(
      /^"a ""b"", c",layered,25,\d+,\w[\w-]*,"3 executors, overhead 1x",,/,
    );
  });

  const hasPandas = spawnSync("python3", ["-c", "import pandas"]).status === 0;
  test.skipIf(!hasPandas)("the script for pandas reads them", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rows-"));
    try {
      await writeFile(join(folder, "rows.csv"), rowsCsv(report.rows));
      const script = join(repository, "docs/optimizer/rows.py");
      const { stdout, stderr, status } = spawnSync("python3", [script, join(folder, "rows.csv")], { encoding: "utf8" });
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/3 executors, overhead 1x\s+anytime\s+1\./);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test("on the command line: rows in all forms, the command in the report, verify and leaderboard", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bench-reports-"));
  const env = { HOME: folder, PLANLOOM_HOME: join(folder, "home") };
  const cli = (...args: string[]) => runCliHere(args, env, folder);
  try {
    await writeFile(join(folder, "own.dot"), "digraph { a [runtime=2]; a -> { b c } -> d }");
    const args = ["bench", "own.dot", "--family", "chain", "--sizes", "6", "--strategy", "per-task,portfolio"];
    const made = await cli(...args, "--env", "executors=2,overhead=1x", "--out", "mine");
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/rows\.csv[\s\S]*rows\.parquet/) });
    expect(await readFile(join(folder, "mine/figures/profiles.tex"), "utf8")).toContain("\\addlegendentry{portfolio}");
    const text = await readFile(join(folder, "mine/report.json"), "utf8");
    expect(JSON.parse(text).provenance.command.slice(0, 3)).toEqual(["planloom", "bench", "own.dot"]);
    const half = await cli("bench", "verify", "mine/report.json");
    expect(half).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^2 rows measured again: all the same\n2 rows could not/),
    });
    expect((await cli("bench", "verify", "mine/report.json", "own.dot", "--all")).stdout).toBe(
      "4 rows measured again: all the same\n",
    );
    await writeFile(join(folder, "mine/other.json"), text.replaceAll(/"dispatches":(\d)/g, '"dispatches":9$1'));
    const differs = await cli("bench", "verify", "mine/other.json", "own.dot", "--json");
    expect([differs.code, JSON.parse(differs.stdout).different.length]).toEqual([1, 4]);
    expect((await cli("bench", "leaderboard", "mine/report.json")).stdout).toMatch(
      /# Leaderboard[\s\S]*portfolio \(mine\)/,
    );
    await writeFile(join(folder, "no.json"), "{}");
    expect(await cli("bench", "verify", "no.json")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Expected a report of planloom bench"),
    });
    expect(await cli("bench", "verify", "none.json")).toMatchObject({ code: 2 });
  } finally {
    await rm(folder, { recursive: true });
  }
});
