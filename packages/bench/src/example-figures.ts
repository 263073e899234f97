import { setImmediate } from "node:timers/promises";
import { completeEnvironment, type EnvironmentInput, paretoFront, portfolio } from "@planloom/optimizer";
import { evaluate } from "@planloom/optimizer/internals";
import type { BenchReport, ParetoMark } from "./bench-report.ts";
import { checkOptions } from "./check-options.ts";
import { environmentName } from "./environment-name.ts";
import { ganttChart } from "./gantt-chart.ts";
import type { BenchRow } from "./row.ts";
import { DEFAULT_EVALUATIONS } from "./run-bench.ts";
import { groupBy } from "./statistics/means.ts";
import type { Workload } from "./workloads/workload.ts";

/** Between so many tasks a schedule can be looked at bar by bar. */
const READABLE = { least: 12, most: 250 };

/**
 * One plan to look at: the portfolio's schedule, and the groupings that are not beaten by another in makespan, dispatches and expected
 * rework, among what the strategies made of the same plan. It is the plan for which there is most to choose, in an environment
 * where a dispatch costs something.
 */
export async function exampleFigures(
  workloads: readonly Workload[],
  environments: readonly EnvironmentInput[],
  rows: readonly BenchRow[],
  given: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Pick<BenchReport, "gantt" | "pareto">> {
  checkOptions("`exampleFigures`", given, { signal: "signal" });
  const { signal } = given;
  const dear = environments.filter(({ overheadMs, overheadFactor = 1 }) => (overheadMs ?? overheadFactor) > 0);
  const input = dear[0] ?? environments[0];
  const workload = input === undefined ? undefined : mostToChoose(workloads, rows, environmentName(input));
  if (workload === undefined || input === undefined || workload.view.n === 0) return {};
  await setImmediate();
  signal?.throwIfAborted();
  const environment = completeEnvironment(workload.view, input);
  const options = { seed: 0, deadlineMs: Number.POSITIVE_INFINITY, evaluations: DEFAULT_EVALUATIONS };
  const { partition } = evaluate(portfolio, workload.view, environment, options);
  const gantt = ganttChart(workload, environment, partition);
  if (workload.view.n > READABLE.most) return { gantt };
  const label = environmentName(input);
  const strategies = rows.filter((row) => row.workload === workload.name && row.environment === label).map(markOf);
  return {
    gantt,
    pareto: {
      title: `${workload.name}, ${label}`,
      front: paretoFront(workload.view, environment, options).map(markOf),
      strategies,
    },
  };
}

/** The plan of readable size whose strategies make the longest front of makespan against dispatches; else the smallest plan. */
function mostToChoose(workloads: readonly Workload[], rows: readonly BenchRow[], environment: string) {
  const byWorkload = groupBy(
    rows.filter((row) => row.environment === environment),
    (row) => row.workload,
  );
  const choices = ({ name, view }: Workload) => {
    if (view.n < READABLE.least || view.n > READABLE.most) return -view.n;
    const own = byWorkload.get(name) ?? [];
    const undominated = own.filter(
      (row) => !own.some((other) => other.makespanMs < row.makespanMs && other.dispatches <= row.dispatches),
    );
    return new Set(undominated.map((row) => row.dispatches)).size;
  };
  return workloads
    .map((workload) => ({ workload, count: choices(workload) }))
    .toSorted((left, right) => right.count - left.count)[0]?.workload;
}

function markOf({ strategy, makespanMs, dispatches, tokens, expectedReworkMs }: ParetoMark): ParetoMark {
  return { strategy, makespanMs, dispatches, tokens, expectedReworkMs };
}
