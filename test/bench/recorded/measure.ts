import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benchEnvironments, loadWorkloads, makeReport, markdownTable, runBench } from "@planloom/bench";
import { strategies } from "@planloom/optimizer";
import { overheadTable } from "../../../packages/bench/src/milestones.ts";
import { fillPage } from "../docs-tables.ts";

/**
 * The strategies on the 20 workloads that `pnpm bench:record` recorded: what plans that really ran would have taken in subgraphs. `pnpm bench:recorded [--docs FILE]`, some two minutes.
 */
const { values } = parseArgs({ options: { docs: { type: "string" } } });
const { workloads } = await loadWorkloads(fileURLToPath(new URL("workloads.json", import.meta.url)));
const measured = ["portfolio", "robust", "chain-fusion", "per-task"];
const rows = await runBench({
  workloads,
  strategies: measured.map((name) => strategies.get(name)!),
  environments: benchEnvironments(),
});
const tasks = workloads.map(({ view }) => view.n);
const table = {
  ...overheadTable(rows, measured),
  title: "Recorded",
  note: `${workloads.length} recorded runs of ${Math.min(...tasks)} to ${Math.max(...tasks)} tasks on 8 executors. Makespan over the bound; times faster and times fewer dispatches than one dispatch a task.`,
};
for (const each of [table, ...makeReport({ rows }).tables]) console.log(markdownTable(each));
if (values.docs !== undefined) await fillPage(values.docs, [table]);
