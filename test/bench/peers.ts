// The runtime beside other ways to run the same DAG files: plain promises, p-graph, LangGraph.js (state graph and functional
// API, with and without its memory saver), Mastra (in layers, which is what it can say), the AI SDK's parallel tool calls (no
// DAG: as many calls in one step); where Python and Go are, chuk-ai-planner, mcp-cli's PlanRunner and eino's compose.Graph, else a message says that they
// were left out. Installs them into test/bench/peers first; nothing else does. Each row runs in a fresh process; medians.
// What does not end within `--limit SECONDS` (120) is reported as such. `--quick`: 1,000 tasks, one round; `--json`; `--report` writes
// to docs/benchmarks/.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { boundOf, noopDag, timedDag, unequalDag, writeDag } from "./dag-file.ts";
import { installPeers, type PeerLanguage, peerEnvironment } from "./peers-install.ts";
import { markdownTable, surroundings, surroundingsText } from "./report.ts";
import { svgPlot } from "./svg-plot.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean" },
    json: { type: "boolean" },
    report: { type: "boolean" },
    limit: { type: "string" },
  },
});
interface Contender {
  readonly name: string;
  /** It can limit how many run at once. */
  readonly limits: boolean;
  readonly dag: boolean;
  readonly peer?: string;
  /** @default "javascript" */
  readonly language?: PeerLanguage;
  readonly store?: string;
}

const installed = installPeers();
for (const sentence of installed.skipped) process.stderr.write(`${sentence}\n`);
const isThere = ({ peer, language = "javascript" }: Contender): boolean =>
  peer === undefined || installed.command(language, peer) !== undefined;
const allContenders: readonly Contender[] = [
  { name: "Planloom", store: "none", limits: true, dag: true },
  { name: "Planloom, SQLite sync", store: "sqlite", limits: true, dag: true },
  { name: "plain promises", peer: "promises", limits: false, dag: true },
  { name: "p-graph", peer: "p-graph", limits: true, dag: true },
  { name: "LangGraph StateGraph", peer: "langgraph-state", limits: true, dag: true },
  { name: "LangGraph StateGraph, saver", peer: "langgraph-state-saver", limits: true, dag: true },
  { name: "LangGraph functional", peer: "langgraph-functional", limits: false, dag: true },
  { name: "LangGraph functional, saver", peer: "langgraph-functional-saver", limits: false, dag: true },
  { name: "Mastra", peer: "mastra", limits: false, dag: true },
  { name: "AI SDK tool calls", peer: "ai-sdk", limits: true, dag: false },
  { name: "chuk-ai-planner", peer: "chuk", language: "python", limits: false, dag: true },
  { name: "mcp-cli PlanRunner", peer: "mcp-cli", language: "python", limits: true, dag: true },
  { name: "eino compose.Graph", peer: "eino", language: "go", limits: false, dag: true },
];
const contenders = allContenders.filter(isThere);
/** Who works through a list that is known only when it runs. */
const mapContenders: readonly Contender[] = [
  { name: "Planloom, for_each", store: "none", limits: true, dag: false },
  { name: "Planloom, for_each, SQLite sync", store: "sqlite", limits: true, dag: false },
  { name: "LangGraph Send", peer: "langgraph-send", limits: true, dag: false },
  { name: "LangGraph Send, saver", peer: "langgraph-send-saver", limits: true, dag: false },
];
const sizes = values.quick ? [1_000] : [1_000, 10_000, 100_000];
/** For one row: as many rounds as fit, at most `rounds`. */
const limitSeconds = readSeconds(values.limit ?? (values.quick ? "20" : "120"));
/** The median of them is reported. */
const rounds = values.quick ? 1 : 5;

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0)) throw new Error(`Expected --limit to be a number of seconds above 0, got "${text}".`);
  return seconds;
}

interface Measured {
  readonly ms: number;
  readonly rss_mb: number;
  readonly build_ms?: number;
}

/** `"late"`: nothing was finished within the limit. */
function measure(
  { peer, store, language = "javascript" }: Contender,
  file: string,
  concurrency: number,
): Measured | "late" {
  const limit = Number.isFinite(concurrency) ? String(concurrency) : "0";
  const [command = process.execPath, ...args] =
    peer === undefined
      ? [process.execPath, join(import.meta.dirname, "runtime-row.ts"), file, store ?? "none", String(rounds), limit]
      : [...(installed.command(language, peer) ?? []), file, String(rounds), limit, String(limitSeconds / 2)];
  const { stdout, stderr, status } = spawnSync(command, args, {
    encoding: "utf8",
    env,
    timeout: limitSeconds * 1_000,
    killSignal: "SIGKILL",
  });
  if (status === 0) return JSON.parse(stdout) as Measured;
  // What runs out of memory on the way did not finish either.
  if (status === null || /heap out of memory/.test(stderr)) return "late";
  throw new Error(`${peer ?? "planloom"}: ${stderr.slice(0, 2_000)}`);
}

const env = peerEnvironment();
const folder = mkdtempSync(join(tmpdir(), "planloom-peers-"));
const at = surroundings();
const began = performance.now();
type OverheadRow = {
  readonly peer: string;
  readonly tasks: number;
  readonly us_per_task: number | string;
  readonly build_ms: number | "";
  readonly rss_mb: number | "";
};
const overhead: OverheadRow[] = [];
const stopped = new Set<Contender>();
for (const tasks of sizes) {
  const file = join(folder, `${tasks}.json`);
  writeDag(file, noopDag(tasks));
  for (const contender of contenders) {
    // What does not finish a size does not finish ten times as much.
    const measured = stopped.has(contender) ? "late" : measure(contender, file, Number.POSITIVE_INFINITY);
    const about = { peer: contender.name, tasks };
    if (measured === "late") {
      stopped.add(contender);
      overhead.push({ ...about, us_per_task: `not done in ${limitSeconds} s`, build_ms: "", rss_mb: "" });
      continue;
    }
    overhead.push({
      ...about,
      us_per_task: Math.round((measured.ms * 10_000) / tasks) / 10,
      build_ms: measured.build_ms === undefined ? "" : Math.round(measured.build_ms),
      rss_mb: measured.rss_mb,
    });
  }
}
const mapped = (values.quick ? [1_000] : [1_000, 10_000]).flatMap((elements) => {
  const file = join(folder, `map-${elements}.json`);
  writeDag(file, { parents: [], map: { elements } });
  return mapContenders.map((contender) => {
    const measured = stopped.has(contender) ? "late" : measure(contender, file, 64);
    if (measured !== "late")
      return {
        peer: contender.name,
        elements,
        us_each: Math.round((measured.ms * 10_000) / elements) / 10,
        rss_mb: measured.rss_mb,
      };
    stopped.add(contender);
    return { peer: contender.name, elements, us_each: `not done in ${limitSeconds} s`, rss_mb: "" as const };
  });
});
const timed = { dag: timedDag(), file: join(folder, "timed.json") };
const unequal = { dag: unequalDag(), file: join(folder, "unequal.json") };
for (const { file, dag } of [timed, unequal]) writeDag(file, dag);
const makespan = contenders
  .filter(({ dag }) => dag)
  .map((contender) => {
    const ratio = ({ dag, file }: typeof timed, concurrency: number) => {
      const measured = measure(contender, file, concurrency);
      return measured === "late"
        ? `not done in ${limitSeconds} s`
        : Math.round((measured.ms / boundOf(dag, concurrency)) * 1_000) / 1_000;
    };
    return {
      peer: contender.name,
      unlimited: ratio(timed, Number.POSITIVE_INFINITY),
      workers_8: contender.limits ? ratio(timed, 8) : "",
      unequal_200_workers_8: contender.limits ? ratio(unequal, 8) : "",
    };
  });
rmSync(folder, { recursive: true });
const minutes = Math.round((performance.now() - began) / 6_000) / 10;

rmSync(env.HOME ?? "", { recursive: true });

const { versions, skipped } = installed;
const text = `${surroundingsText(at)} ${versions.join(", ")}. ${[...skipped, `The whole took ${minutes} minutes.`].join(" ")}

## Overhead
Tasks that do nothing, no limit on how many run at once; the whole call, building the graph apart (Planloom reads and checks
its plan within the call; its events are heard, its limits on). Each row is a process of its own with ${limitSeconds} s, in which
graphs are built and run (${rounds} ${rounds === 1 ? "round" : "rounds at most"}); the median is given. What did not finish is not tried with more tasks. The AI SDK
has no DAG: as many calls in one step. chuk-ai-planner executes one step after the other.

${markdownTable(overhead)}

## Lists
A call that does nothing for each element of a list, at most 64 at once; LangGraph's \`Send\` to one node beside \`for_each\`. Microseconds an element of the whole call.

${markdownTable(mapped)}

## Makespan / lower bound
1,000 tasks, 90% take 1-10 ms and 10% take 90-100 ms, and 200 of the same in layers of 40; ratio of the whole call to max(longest path, work / workers). Empty: it
cannot limit how many run at once. LangGraph's functional API is given no limit, since \`maxConcurrency\` does not hold there.

${markdownTable(makespan)}
`;
const overheadOf = (name: string) =>
  Object.fromEntries(overhead.filter(({ peer }) => peer === name).map((row) => [row.tasks, row.us_per_task]));
const overhead_us = Object.fromEntries(contenders.map(({ name }) => [name, overheadOf(name)]));
if (values.json)
  process.stdout.write(
    `${JSON.stringify({ ...at, versions, skipped, limit_s: limitSeconds, minutes, overhead_us, overhead, maps: mapped, makespan })}\n`,
  );
else process.stdout.write(`# The runtime beside others\n${text}`);
if (values.report) {
  const docs = join(import.meta.dirname, "../../docs/benchmarks");
  mkdirSync(docs, { recursive: true });
  const series = contenders.map((contender) => ({
    name: contender.name,
    main: contender.peer === undefined,
    stopped: stopped.has(contender),
    points: overhead.flatMap(({ peer, tasks, us_per_task }) =>
      peer === contender.name && typeof us_per_task === "number" ? [[tasks, us_per_task] as const] : [],
    ),
  }));
  const plot = svgPlot({
    title: "Overhead a task, side by side",
    subtitle: `Tasks that do nothing, as many at once as can be. Triangles: did not finish the next size within ${limitSeconds} s.`,
    xName: "tasks in the plan",
    yName: "µs a task",
    series,
  });
  writeFileSync(join(docs, "peers-overhead.svg"), plot);
  const note = "Written by `pnpm bench:peers --report`.";
  const image = "![Overhead a task, side by side](peers-overhead.svg)";
  writeFileSync(join(docs, "peers.md"), `# The runtime beside others\n${note} ${text}\n${image}\n`);
}
