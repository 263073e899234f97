import type { BenchReport, ReportTable } from "./bench-report.ts";
import { markdownTable } from "./markdown-report.ts";
import { environmentFrom } from "./report-provenance.ts";
import { environmentKey } from "./run-bench.ts";
import { geometricInterval } from "./statistics/confidence.ts";
import { groupBy } from "./statistics/means.ts";
import { readReport } from "./verify-report.ts";

/** One report as somebody handed it in. */
export interface Submission {
  /** As the table shows it: a group, a file. */
  readonly name: string;
  readonly report: BenchReport;
}

/**
 * A page that ranks strategies over several reports, one table an environment. Plans are the same where their hashes are and environments where all that is said of them is, and each makespan is held
 * against the best that any report found for the plan in that environment, so that a new report can lower older ones. Only plans that all strategies of a
 * table have in common count, since means over different plans say nothing.
 * @throws TypeError for a report without provenance, and where one report says that a plan took less than another says to be proved impossible
 */
export function leaderboard(submissions: readonly Submission[]): string {
  const names = distinct(submissions.map(({ name }) => name));
  const entries = submissions.flatMap(({ report }, at) => {
    const { rows, provenance } = readReport(report);
    const hashes = new Map(provenance.instances.map((each) => [each.name, each.hash]));
    const environments = new Map(
      provenance.environments.map(({ name, input }) => [name, environmentKey(environmentFrom(input))]),
    );
    return rows.map((row) => ({
      entry: `${row.strategy} (${names[at]})`,
      code: `${provenance.version} ${provenance.commit}`,
      plan: hashes.get(row.workload) ?? row.workload,
      workload: row.workload,
      environment: environments.get(row.environment) ?? row.environment,
      title: row.environment,
      makespanMs: row.makespanMs,
      boundMs: row.boundMs,
    }));
  });
  for (const group of groupBy(entries, ({ plan, environment }) => `${plan} ${environment}`).values())
    refuseUntrue(group);
  const tables = [...groupBy(entries, ({ environment }) => environment).values()].map((group) =>
    tableOf(group[0]!.title, group),
  );
  return `# Leaderboard\n\n${tables.map(markdownTable).join("\n")}`;
}

interface Entry {
  readonly entry: string;
  readonly code: string;
  readonly plan: string;
  readonly workload: string;
  readonly makespanMs: number;
  readonly boundMs: number;
}

/** @param group of one plan in one environment. @throws TypeError where a makespan is below a bound: one of the two was not measured */
function refuseUntrue(group: readonly Entry[]): void {
  const least = group.reduce((best, each) => (each.makespanMs < best.makespanMs ? each : best));
  const proved = group.reduce((best, each) => (each.boundMs > best.boundMs ? each : best));
  if (least.makespanMs >= proved.boundMs * (1 - 1e-9)) return;
  throw new TypeError(
    `Expected reports that agree on ${least.workload}: by ${least.entry} it takes ${least.makespanMs} ms, and by ${proved.entry} it is proved that nothing takes less than ${proved.boundMs} ms. Verify both.`,
  );
}

/** The second `a` is `a (2)`. */
function distinct(names: readonly string[]): string[] {
  const used = new Map<string, number>();
  return names.map((name) => {
    const number = (used.get(name) ?? 0) + 1;
    used.set(name, number);
    return number === 1 ? name : `${name} (${number})`;
  });
}

function tableOf(environment: string, group: readonly Entry[]): ReportTable {
  const byEntry = [...groupBy(group, ({ entry }) => entry)].map(([entry, own]) => ({
    entry,
    code: own[0]!.code,
    makespan: new Map(
      [...groupBy(own, ({ plan }) => plan)].map(([plan, seeds]) => [plan, mean(seeds.map((each) => each.makespanMs))]),
    ),
  }));
  const plans = [...new Set(group.map(({ plan }) => plan))].filter((plan) =>
    byEntry.every(({ makespan }) => makespan.has(plan)),
  );
  const best = new Map(plans.map((plan) => [plan, Math.min(...byEntry.map(({ makespan }) => makespan.get(plan)!))]));
  const rows = byEntry.map(({ entry, code, makespan }) => {
    const factors = plans.map((plan) => factor(makespan.get(plan)!, best.get(plan)!));
    const { mean: middle, low, high } = plans.length === 0 ? { mean: 1, low: 1, high: 1 } : geometricInterval(factors);
    return { entry, code, middle, low, high, wins: factors.filter((each) => each <= 1 + 1e-9).length };
  });
  rows.sort((left, right) => left.middle - right.middle);
  return {
    title: environment,
    note: `${plans.length} plans that all have in common; makespan over the best known of them, geometric mean with its 95 % interval.`,
    columns: ["strategy", "mean", "from", "to", "best on", "code"],
    rows: rows.map(({ entry, code, middle, low, high, wins }) => [
      entry,
      middle.toFixed(4),
      low.toFixed(4),
      high.toFixed(4),
      wins,
      code,
    ]),
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
const factor = (value: number, best: number) => (value === best ? 1 : Math.max(1e-9, value) / Math.max(1e-9, best));
