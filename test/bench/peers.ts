// The runtime beside other ways to run the same DAG files: plain promises, p-graph, LangGraph.js (state graph and functional
// API, with and without its memory saver), Mastra (in layers, which is what it can say), the AI SDK's parallel tool calls (no
// DAG: as many calls in one step). Installs them into test/bench/peers first; nothing else does. Each row runs in a fresh process; medians.
// `--quick` leaves 10,000 tasks to those that take under a second; `--json`; `--report` writes to docs/benchmarks/.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { boundOf, noopDag, timedDag, writeDag } from "./dag-file.ts";
import { markdownTable, surroundings, surroundingsText, svgPlot } from "./report.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, json: { type: "boolean" }, report: { type: "boolean" } },
});
const peersFolder = join(import.meta.dirname, "peers");

interface Contender {
  readonly name: string;
  /** Seconds that 10,000 tasks take are worth waiting for, and 100,000 too. */
  readonly sizes: readonly number[];
  /** It can limit how many run at once. */
  readonly limits: boolean;
  readonly dag: boolean;
  readonly peer?: string;
  readonly store?: string;
}

const large = [1_000, 10_000, 100_000];
const slow = values.quick ? [1_000] : [1_000, 10_000];
const contenders: readonly Contender[] = [
  { name: "Planloom", store: "none", sizes: large, limits: true, dag: true },
  { name: "Planloom, SQLite sync", store: "sqlite", sizes: large, limits: true, dag: true },
  { name: "plain promises", peer: "promises", sizes: large, limits: false, dag: true },
  { name: "p-graph", peer: "p-graph", sizes: large, limits: true, dag: true },
  { name: "LangGraph StateGraph", peer: "langgraph-state", sizes: slow, limits: true, dag: true },
  { name: "LangGraph StateGraph, MemorySaver", peer: "langgraph-state-saver", sizes: [1_000], limits: true, dag: true },
  { name: "LangGraph functional", peer: "langgraph-functional", sizes: slow, limits: false, dag: true },
  {
    name: "LangGraph functional, MemorySaver",
    peer: "langgraph-functional-saver",
    sizes: [1_000],
    limits: false,
    dag: true,
  },
  { name: "Mastra", peer: "mastra", sizes: slow, limits: false, dag: true },
  { name: "AI SDK tool calls", peer: "ai-sdk", sizes: [1_000, 10_000], limits: true, dag: false },
];

function install(): void {
  const { status } = spawnSync("pnpm", ["install", "--ignore-scripts", "--prefer-offline"], {
    cwd: peersFolder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error(`Expected \`pnpm install\` in ${peersFolder} to succeed, it ended with ${status}.`);
}

function versionOf(name: string): string {
  const file = join(peersFolder, "node_modules", name, "package.json");
  return existsSync(file) ? `${name} ${JSON.parse(readFileSync(file, "utf8")).version}` : `${name} absent`;
}

interface Measured {
  readonly ms: number;
  readonly rss_mb: number;
  readonly build_ms?: number;
}

function measure({ peer, store }: Contender, file: string, rounds: number, concurrency: number): Measured | undefined {
  const limit = Number.isFinite(concurrency) ? String(concurrency) : "0";
  const args =
    peer === undefined
      ? [join(import.meta.dirname, "runtime-row.ts"), file, store ?? "none", String(rounds), limit]
      : [join(peersFolder, "run-peer.mjs"), peer, file, String(rounds), limit];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 240_000 });
  if (status === 0) return JSON.parse(stdout) as Measured;
  process.stderr.write(`${peer ?? "planloom"}: ${status === null ? "stopped after 240 s" : stderr.slice(0, 2_000)}\n`);
  return undefined;
}

install();
const folder = mkdtempSync(join(tmpdir(), "planloom-peers-"));
const at = surroundings();
const overhead: {
  peer: string;
  tasks: number;
  us_per_task: number | "";
  build_ms: number | "";
  rss_mb: number | "";
}[] = [];
for (const tasks of large) {
  const file = join(folder, `${tasks}.json`);
  writeDag(file, noopDag(tasks));
  for (const contender of contenders) {
    if (!contender.sizes.includes(tasks)) continue;
    const rounds = tasks === 1_000 ? 5 : contender.sizes === slow ? 1 : 3;
    const measured = measure(contender, file, rounds, Number.POSITIVE_INFINITY);
    overhead.push({
      peer: contender.name,
      tasks,
      us_per_task: measured ? Math.round((measured.ms * 10_000) / tasks) / 10 : "",
      build_ms: measured?.build_ms === undefined ? "" : Math.round(measured.build_ms),
      rss_mb: measured?.rss_mb ?? "",
    });
  }
}
const timed = timedDag();
const timedFile = join(folder, "timed.json");
writeDag(timedFile, timed);
const makespan = contenders
  .filter(({ dag }) => dag)
  .map((contender) => {
    const ratio = (concurrency: number) => {
      const measured = measure(contender, timedFile, 3, concurrency);
      return measured === undefined ? "" : Math.round((measured.ms / boundOf(timed, concurrency)) * 1_000) / 1_000;
    };
    return {
      peer: contender.name,
      unlimited: ratio(Number.POSITIVE_INFINITY),
      workers_8: contender.limits ? ratio(8) : "",
    };
  });
rmSync(folder, { recursive: true });

const versions = ["p-graph", "@langchain/langgraph", "@langchain/core", "@mastra/core", "ai"].map(versionOf);
const text = `${surroundingsText(at)} ${versions.join(", ")}.

## Overhead
Tasks that do nothing, no limit on how many run at once; the whole call, building the graph apart (Planloom reads and checks
its plan within the call). Median of five runs at 1,000 tasks, of three above, one where a run takes many seconds; empty: not
run, or not done within four minutes. The AI SDK has no DAG: as many calls in one step.

${markdownTable(overhead)}

## Makespan / lower bound
1,000 tasks, 90% take 1-10 ms and 10% take 90-100 ms; ratio of the whole call to max(longest path, work / workers). Empty: it
cannot limit how many run at once. LangGraph's functional API is given no limit, since \`maxConcurrency\` does not hold there.

${markdownTable(makespan)}
`;
if (values.json) process.stdout.write(`${JSON.stringify({ ...at, versions, overhead, makespan })}\n`);
else process.stdout.write(`# The runtime beside others\n${text}`);
if (values.report) {
  const docs = join(import.meta.dirname, "../../docs/benchmarks");
  mkdirSync(docs, { recursive: true });
  const series = contenders.map(({ name }) => ({
    name,
    points: overhead.flatMap(({ peer, tasks, us_per_task }) =>
      peer === name && us_per_task !== "" ? [[tasks, us_per_task] as const] : [],
    ),
  }));
  const plot = svgPlot({ title: "Overhead a task, side by side", xName: "tasks", yName: "µs a task", series });
  writeFileSync(join(docs, "peers-overhead.svg"), plot);
  const note = "Written by `pnpm bench:peers --report`.";
  const image = "![Overhead a task, side by side](peers-overhead.svg)";
  writeFileSync(join(docs, "peers.md"), `# The runtime beside others\n${note} ${text}\n${image}\n`);
}
