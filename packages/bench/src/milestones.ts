import { fromLabels, makespan } from "@planloom/optimizer";
import { acyclicPartition } from "@planloom/optimizer/internals";
import type { PlanView } from "@planloom/plan";
import type { AdversarialMatrix, ReportTable } from "./bench-report.ts";
import type { BenchRow } from "./row.ts";
import { environmentOf } from "./run-bench.ts";
import type { ScaleFigures } from "./scale.ts";
import { geometricMean, groupBy, quantile } from "./statistics/means.ts";
import type { Workload } from "./workloads/workload.ts";

/** Best known makespans without overhead, by workload and executors; `REFERENCE.json` of a workload folder. */
export interface KnownMakespans {
  readonly instances: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** M2: without overhead, the rows' best strategy and every one alone against the best that is known. */
export function zeroOverheadTable(rows: readonly BenchRow[], reference: KnownMakespans): ReportTable {
  const known = new Map<string, number>();
  for (const [name, instance] of Object.entries(reference.instances)) {
    for (const [executors, figures] of Object.entries(instance)) {
      const best = typeof figures === "object" && figures !== null && "best" in figures ? figures.best : undefined;
      if (typeof best === "number") known.set(`${name} ${executors}`, best * 1000);
    }
  }
  const own = rows
    .filter((row) => row.overhead === 0 && known.has(`${row.workload} k${row.executors}`))
    .map((row) => ({ row, factor: row.makespanMs / known.get(`${row.workload} k${row.executors}`)! }));
  const table = [...groupBy(own, ({ row }) => row.strategy)]
    .map(([strategy, group]) => ({ strategy, group, mean: geometricMean(group.map(({ factor }) => factor)) }))
    .sort((left, right) => left.mean - right.mean);
  return {
    title: "M2: no overhead, against the best known",
    note: "Makespan over the best that REFERENCE.json knows (list schedules, SAGA, 15 to 20 s of CP-SAT). Asked (M2): mean at most 1.003, worst at most 1.01, within 1 s each.",
    columns: ["strategy", "plans", "mean", "worst", "slowest ms"],
    rows: table.map(({ strategy, group, mean }) => [
      strategy,
      group.length,
      mean.toFixed(4),
      Math.max(...group.map(({ factor }) => factor)).toFixed(4),
      Math.max(...group.map(({ row }) => row.optimizeMs)).toFixed(0),
    ]),
  };
}

/** M3 and M4: with overhead, over the bound and against one dispatch a task. */
export function overheadTable(rows: readonly BenchRow[], strategies: readonly string[]): ReportTable {
  const perTask = new Map(
    rows.filter((row) => row.strategy === "per-task").map((row) => [environmentKey(row), row] as const),
  );
  const table: (string | number)[][] = [];
  for (const overhead of new Set(rows.map((row) => row.overhead))) {
    for (const strategy of strategies) {
      const own = rows.filter((row) => row.overhead === overhead && row.strategy === strategy && row.tasks <= 2500);
      if (own.length === 0) continue;
      const pairs = own.flatMap((row) => {
        const base = perTask.get(environmentKey(row));
        return base === undefined ? [] : [{ row, base }];
      });
      const faster = pairs.map(({ row, base }) => base.makespanMs / row.makespanMs);
      const allowed = pairs.flatMap(({ base }, at) => (base.ratio >= 1.5 ? [faster[at]!] : []));
      table.push([
        `${strategy}, overhead ${overhead}x`,
        own.length,
        geometricMean(own.map((row) => row.ratio)).toFixed(3),
        Math.max(...own.map((row) => row.ratio)).toFixed(2),
        geometricMean(faster).toFixed(2),
        Math.min(...faster).toFixed(3),
        allowed.length === 0 ? "" : `${geometricMean(allowed).toFixed(2)} (${allowed.length})`,
        geometricMean(pairs.map(({ base }) => base.ratio)).toFixed(2),
        geometricMean(pairs.map(({ row, base }) => base.dispatches / row.dispatches)).toFixed(1),
      ]);
    }
  }
  return {
    title: "M3 and M4: with overhead, 8 executors, plans of 10 to 2,500 tasks",
    note: "Makespan over the bound (asked: at most 1.15 at 1x and 1.5 at 10x); times faster and times fewer dispatches than one dispatch a task (asked at 1x: at least 1.5 and 3, never slower). No grouping can be more times faster than per-task over the bound, so one column is about the plans (how many) where that is at least 1.5.",
    columns: [
      "",
      "plans",
      "mean ratio",
      "worst",
      "x faster",
      "least",
      "where 1.5 is possible",
      "per-task ratio",
      "x fewer dispatches",
    ],
    rows: table,
  };
}

function environmentKey({ workload, executors, overhead }: BenchRow): string {
  return `${workload} ${executors} ${overhead}`;
}

/** M5: figures of fresh processes. */
export function scaleTable(figures: readonly ScaleFigures[]): ReportTable {
  return {
    title: "M5: large plans",
    note: "Default portfolio on a random plan, overhead 1x, 64 executors, first run of a fresh process; *lines*: a file with a task a line, read into columns; *parsed*: the same file by JSON.parse, an object a task; *CPU*: time of the thread for grouping and bound, before it for the view; *again*: both once more in that process. Asked (M5) for 1M tasks and 3M edges: group and verify in less than 0.5 s from a PlanView, less than 2 s from task objects, resident less than 512 MB, one thread.",
    columns: [
      "tasks",
      "edges",
      "from",
      "view ms",
      "its CPU ms",
      "group ms",
      "bound ms",
      "CPU ms",
      "again ms",
      "kept",
      "dispatches",
      "ratio",
      "RSS MiB",
    ],
    rows: figures.map((each) => [
      each.tasks,
      each.edges,
      each.from,
      each.viewMs.toFixed(0),
      each.viewCpuMs?.toFixed(0) ?? "",
      each.groupMs.toFixed(0),
      each.boundMs.toFixed(0),
      each.cpuMs.toFixed(0),
      each.againMs.toFixed(0),
      each.strategy,
      each.dispatches,
      each.ratio.toFixed(3),
      each.rssMiB.toFixed(0),
    ]),
  };
}

/** M6: simulated tasks a second, one dispatch a task, which is the most events a plan has. Runs for about a second. */
export function simulatorTable(workloads: readonly Workload[]): ReportTable {
  const rows = workloads.map((workload) => {
    const { view } = workload;
    const partition = fromLabels(Int32Array.from({ length: view.n }, (_, v) => v));
    const environment = environmentOf(workload, 8, 1);
    const rounds = Math.max(3, Math.ceil(300_000 / view.n));
    let best = Number.POSITIVE_INFINITY;
    for (let repeat = 0; repeat < 4; repeat++) {
      const begun = performance.now();
      for (let round = 0; round < rounds; round++) makespan(view, environment, partition);
      best = Math.min(best, (performance.now() - begun) / rounds);
    }
    return [workload.name, view.n, view.out.length, (best * 1000).toFixed(1), (view.n / best / 1000).toFixed(1)];
  });
  return {
    title: "M6: simulator",
    note: "One dispatch a task on 8 executors, best of four repeats. Asked (M6): at least 5 million task events a second.",
    columns: ["plan", "tasks", "edges", "µs", "million tasks/s"],
    rows,
  };
}

/** M7: what the adversary found against the portfolio, in one line. */
export function adversarialTable({ strategies, worst, seconds, evaluations }: AdversarialMatrix): ReportTable {
  const rows = strategies.map((name, row) => {
    const own = worst[row]!.filter((ratio) => ratio > 0);
    const against = strategies.indexOf("exact");
    return [
      name,
      Math.max(...own).toFixed(2),
      own.filter((ratio) => ratio >= 2).length,
      against === -1 || against === row ? "" : worst[row]![against]!.toFixed(2),
    ];
  });
  return {
    title: "M7: adversarial search",
    note: `${strategies.length * (strategies.length - 1)} ordered pairs, ${evaluations} evaluations, ${seconds.toFixed(0)} s. Asked (M7): less than 5 minutes, portfolio never worse than a member and at worst 1.10 of exact.`,
    columns: ["strategy", "worst ratio", "beaten 2x by", "against exact"],
    rows,
  };
}

/** M8: connectivity of balanced acyclic parts against segments of the plan's level order. Unit weights and costs. */
export function partitionTable(workloads: readonly Workload[], counts: readonly number[] = [8, 32]): ReportTable {
  const rows: (string | number)[][] = [];
  for (const parts of counts) {
    const factors: number[] = [];
    for (const { name, view } of workloads) {
      const weight = new Float64Array(view.n).fill(1);
      const naive = cut(view, naiveSplit(view, parts));
      const begun = performance.now();
      const partition = acyclicPartition(view, { parts, imbalance: 0.03, weight });
      const ms = performance.now() - begun;
      const own = cut(view, partition.part);
      const sizes = new Int32Array(partition.count);
      for (const p of partition.part) sizes[p]!++;
      // A geometric mean wants no zeros; a cut of one unit is taken for none.
      if (naive > 0) factors.push(Math.max(1, own) / naive);
      const imbalance = (Math.max(...sizes) / (view.n / parts) - 1) * 100;
      rows.push([
        `${name}, ${parts} parts`,
        view.n,
        naive,
        own,
        naive === 0 ? "" : (own / naive).toFixed(3),
        imbalance.toFixed(1),
        ms.toFixed(0),
      ]);
    }
    if (factors.length > 0) {
      const worst = quantile(factors, 1);
      rows.push([
        `geometric mean, ${parts} parts`,
        "",
        "",
        "",
        geometricMean(factors).toFixed(3),
        `worst ${worst.toFixed(3)}`,
        "",
      ]);
    }
  }
  return {
    title: "M8: balanced acyclic parts",
    note: "Connectivity (foreign parts that read a task's output, summed) of `acyclicPartition` over that of equal segments of the level order; 3% imbalance in tasks. Asked (M8): at most 1.10 of METIS' unconstrained cut at 3% imbalance.",
    columns: ["plan", "tasks", "naive cut", "cut", "of naive", "imbalance %", "ms"],
    rows,
  };
}

function naiveSplit(view: PlanView, parts: number): Int32Array {
  const part = new Int32Array(view.n);
  view.topo.forEach((v, at) => {
    part[v] = Math.floor((at / view.n) * parts);
  });
  return part;
}

function cut(view: PlanView, part: Int32Array): number {
  let sum = 0;
  for (let v = 0; v < view.n; v++) {
    const readers = new Set<number>();
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) readers.add(part[view.out[edge]!]!);
    readers.delete(part[v]!);
    sum += readers.size;
  }
  return sum;
}
