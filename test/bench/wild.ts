import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EmbeddedController, type EmbeddedPlan, planGoal, wordnet } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { Planloom } from "planloom";
import { connectCatalogue } from "./connect-wild.ts";
import { planTrivially } from "./wild-baseline.ts";
import { readWild, type WildGoal, type WildPrediction, type WildVerdict } from "./wild-data.ts";
import { measureExactCalls } from "./wild-exact.ts";
import { reportRelations } from "./wild-relations.ts";
import { type PlanTimes, timesAt } from "./wild-times.ts";

/**
 * How far plans from plain sentences can be trusted: goals over the tool lists of real MCP servers, planned with no model, no key
 * and no network. `pnpm bench:wild --data FOLDER [--only ID,…] [--list FAILURES.md] [--out PREDICTIONS.jsonl] [--json]`.
 *
 * FOLDER holds `goals.json`, `catalogues.json` and `score.mjs`. Each catalogue is served over stdio, so that the whole path from a
 * server to a plan is measured. `--only` takes goals whose ids begin so (or have this kind, tag or catalogue); `--list` writes each
 * goal with the right plan, the plan that was made and what was said of it; `--out` writes what `score.mjs` takes. `--quick`
 * leaves out the times and the calls by exact names, `--words DIR` reads WordNet's files, `--pool FOLDER` names further tools for the times.
 *
 * `--relations` measures instead which plans change though nothing changed that says something (`wild-relations.ts`, with options of its own).
 */
if (process.argv.includes("--relations")) {
  await reportRelations();
  process.exit(0);
}
const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    only: { type: "string" },
    list: { type: "string" },
    out: { type: "string" },
    words: { type: "string" },
    pool: { type: "string" },
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});
if (options.data === undefined) {
  process.stderr.write(
    "usage: pnpm bench:wild --data FOLDER [--only ID,…] [--list FILE.md] [--out FILE.jsonl] [--json] [--quick]\n",
  );
  process.exit(2);
}

interface Row {
  readonly goal: WildGoal;
  readonly prediction: WildPrediction;
  readonly verdict: WildVerdict;
  /** Of the trivial planner. */
  readonly trivial: WildVerdict;
}

const clock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };
const words = options.words === undefined ? {} : { words: wordnet(options.words) };
const data = await readWild(options.data);
const wanted = options.only?.split(",");
const goals = data.goals.filter(
  ({ id, kind, tags, catalogue }) =>
    wanted === undefined ||
    wanted.some((each) => id.startsWith(each) || kind === each || tags.includes(each) || catalogue === each),
);

const rows: Row[] = [];
for (const catalogue of new Set(goals.map((goal) => goal.catalogue))) rows.push(...(await planCatalogue(catalogue)));
const pool = options.pool ?? join(options.data, "../planbench/data");
const exact = options.quick ? ([0, 0] as const) : measureExactCalls(data, pool);
const times: readonly PlanTimes[] = options.quick
  ? []
  : [100, 1_000].flatMap((size) => timesAt(size, data, goals, clock, pool));

if (options.out !== undefined)
  writeFileSync(options.out, rows.map(({ prediction }) => `${JSON.stringify(prediction)}\n`).join(""));
if (options.list !== undefined) writeFileSync(options.list, rows.map(describe).join("\n"));
if (options.json) {
  const results = rows.map(({ goal, prediction, verdict }) => ({
    id: goal.id,
    kind: goal.kind,
    tags: goal.tags,
    tools: verdict.tools,
    whole: verdict.whole,
    silentlyWrong: isSilentlyWrong(prediction, verdict),
    confidence: prediction.confidence,
    ms: prediction.ms,
  }));
  process.stdout.write(`${JSON.stringify({ table: table(rows), times, results })}\n`);
} else process.stdout.write(`${tableText()}\n`);

/** Serves the servers of a catalogue, and plans each of its goals as `planloom plan` does. */
async function planCatalogue(catalogue: string): Promise<Row[]> {
  await using mcp = await connectCatalogue(data, catalogue);
  const planloom = new Planloom({
    controller: new EmbeddedController({ ...clock, ...words }),
    executors: [mcp.executor],
  });
  const { resources } = planloom;
  const tools = data
    .serversOf(catalogue)
    .flatMap((server) => (data.servers[server]?.tools ?? []).map((tool) => ({ ...tool, server })));
  // The first plan indexes the tools and warms the code.
  planGoal("warm up", resources, { ...clock, ...words });
  const planned: Row[] = [];
  for (const goal of goals.filter((each) => each.catalogue === catalogue)) {
    const prediction = await predict(goal, planloom, resources);
    const trivial = data.judge(goal, planTrivially(goal, tools));
    planned.push({ goal, prediction, verdict: data.judge(goal, prediction), trivial });
  }
  return planned;
}

async function predict(goal: WildGoal, planloom: Planloom, resources: readonly Resource[]): Promise<WildPrediction> {
  const before = performance.now();
  const raw = planGoal(goal.query, resources, { ...clock, ...words });
  const ms = performance.now() - before;
  let error: Error | undefined;
  const plan = await planloom.plan(goal.query).catch((reason: Error) => {
    error = reason;
    return undefined;
  });
  const metadata: Readonly<Record<string, unknown>> = { ...raw.plan.metadata, ...plan?.metadata };
  const { questions, proposal, confidence } = metadata;
  const marked = raw.unresolved.length > 0 || (Array.isArray(questions) && questions.length > 0) || proposal === true;
  return {
    id: goal.id,
    ms,
    accepted: plan !== undefined,
    marked,
    ...(typeof confidence === "number" && { confidence }),
    offered: offeredBy(raw.plan),
    tasks: (plan?.planned_tasks ?? raw.plan.planned_tasks).map((task) => {
      const [server = "", ...tool] = (task.tool_id ?? "").split("/");
      return {
        id: task.task_id ?? "",
        server,
        tool: tool.join("/"),
        args: task.arguments ?? {},
        deps: task.dependencies ?? [],
      };
    }),
    unresolved: raw.unresolved,
    ...(error !== undefined && { error: { code: String("code" in error ? error.code : ""), message: error.message } }),
  };
}

/** The tools of the tasks, up to four alternatives of each, and those that come nearest where nothing fits. */
function offeredBy({ planned_tasks, metadata }: EmbeddedPlan["plan"]): string[] {
  const choices = Object.values((metadata?.choices ?? {}) as Record<string, { alternatives: { tool: string }[] }>);
  const nearest = (metadata?.nearest ?? []) as readonly { tool: string }[];
  const others = [...choices.flatMap(({ alternatives }) => alternatives), ...nearest].map(({ tool }) => tool);
  return [...planned_tasks.map(({ tool_id }) => tool_id ?? ""), ...others].map((id) =>
    id.split("/").slice(1).join("/"),
  );
}

/** Each tool of a right plan is called, or offered in the place of one that is. */
function isOffered({ gold, alternatives = [] }: WildGoal, { offered = [] }: WildPrediction): boolean {
  return [gold, ...alternatives].some(({ steps }) => steps.every(({ tool }) => offered.includes(tool)));
}

/** Handed out as a plan with nothing said of it, and wrong. */
function isSilentlyWrong(prediction: WildPrediction, { whole }: WildVerdict): boolean {
  return !whole && prediction.accepted && !prediction.marked && prediction.tasks.length > 0;
}

interface TableRow {
  readonly name: string;
  /** How many of how many, for this planner and for the trivial one. */
  readonly planner: readonly [count: number, all: number];
  readonly trivial?: readonly [count: number, all: number];
  readonly target: string;
}

function table(all: readonly Row[]): readonly TableRow[] {
  const of = (kind: WildGoal["kind"]) => all.filter(({ goal }) => goal.kind === kind);
  const count = (part: readonly Row[], test: (row: Row) => boolean) => [part.filter(test).length, part.length] as const;
  const single = of("do").filter(({ goal }) => goal.gold.steps.length === 1);
  const several = of("do").filter(({ goal }) => goal.gold.steps.length > 1);
  const measure = (name: string, part: readonly Row[], test: (verdict: WildVerdict) => boolean, target = "") => ({
    name,
    planner: count(part, ({ verdict }) => test(verdict)),
    trivial: count(part, ({ trivial }) => test(trivial)),
    target,
  });
  return [
    measure("right tools", of("do"), ({ tools }) => tools, "80 %"),
    {
      name: "right tools among the first five",
      planner: count(of("do"), ({ goal, prediction }) => isOffered(goal, prediction)),
      target: "90 %",
    },
    measure("whole plan right", of("do"), ({ whole }) => whole, "50 %"),
    measure("… of one call", single, ({ whole }) => whole),
    measure("… of several calls", several, ({ whole }) => whole),
    {
      name: "silently wrong",
      planner: count(all, ({ prediction, verdict }) => isSilentlyWrong(prediction, verdict)),
      trivial: count(all, ({ trivial }) => !trivial.whole),
      target: "at most 5 %",
    },
    {
      name: "marked, of the whole plans that are right",
      planner: count(
        all.filter(({ verdict, prediction }) => verdict.whole && prediction.tasks.length > 0),
        ({ prediction }) => prediction.marked,
      ),
      target: "",
    },
    {
      name: "wrong, of the plans that are marked",
      planner: count(
        all.filter(({ prediction }) => prediction.marked && prediction.tasks.length > 0),
        ({ verdict }) => !verdict.whole,
      ),
      target: "",
    },
    measure("impossible, refused", of("impossible"), ({ whole }) => whole, "11 of 12"),
    measure("ambiguous, right and asked", of("ambiguous"), ({ whole }) => whole, "9 of 10"),
    { name: "calls written out by exact names", planner: exact, target: "100 %" },
  ];
}

function tableText(): string {
  const cell = (value: TableRow["planner"] | undefined) =>
    value === undefined || value[1] === 0
      ? "-"
      : `${((100 * value[0]) / value[1]).toFixed(1)} % (${value[0]} of ${value[1]})`;
  const lines = [
    "| | this planner | BM25 | target |",
    "|---|---|---|---|",
    ...table(rows).map((row) => `| ${row.name} | ${cell(row.planner)} | ${cell(row.trivial)} | ${row.target} |`),
    ...times.map(
      ({ tools, p95Ms, medianMs }) =>
        `| p95 at ${tools} tools (median) | ${p95Ms.toFixed(1)} ms (${medianMs.toFixed(1)} ms) | - | ${tools > 100 ? 40 : 15} ms |`,
    ),
  ];
  return lines.join("\n");
}

function describe({ goal, prediction, verdict }: Row): string {
  const state = verdict.whole ? "right" : isSilentlyWrong(prediction, verdict) ? "SILENTLY WRONG" : "wrong";
  const call = (tool: string, args: object) => `${tool}${JSON.stringify(args)}`;
  return [
    `### ${goal.id} [${goal.kind}; ${goal.tags.join(" ")}] ${state}${verdict.tools ? ", right tools" : ""}, confidence ${prediction.confidence}`,
    goal.query,
    `  right: ${goal.gold.steps.map(({ tool, args }) => call(tool, args)).join(" ; ")}`,
    `  plan:  ${prediction.tasks.map(({ id, tool, args, deps }) => `${id}: ${call(tool, args)}${deps.length > 0 ? ` <- ${deps.join(", ")}` : ""}`).join(" ; ")}`,
    ...verdict.notes.map((note) => `  - ${note}`),
    ...prediction.unresolved.map(({ reason, message }) => `  said: [${reason}] ${message}`),
    ...(prediction.error === undefined
      ? []
      : [`  error: ${prediction.error.code} ${prediction.error.message.slice(0, 300)}`]),
    "",
  ].join("\n");
}
