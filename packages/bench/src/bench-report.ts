import type { Instance } from "./adversarial/instance.ts";
import type { ReportProvenance } from "./report-provenance.ts";
import type { BenchRow } from "./row.ts";

/** A table of a report; the first column names the row. */
export interface ReportTable {
  readonly title: string;
  /** What is asked for, where it comes from, how it is measured. */
  readonly note: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** One subgraph in a Gantt chart. */
export interface GanttBar {
  readonly lane: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly tasks: number;
}

/** A schedule worth looking at. */
export interface GanttChart {
  readonly title: string;
  /** What a dispatch costs before its first task starts. */
  readonly overheadMs: number;
  readonly bars: readonly GanttBar[];
}

/** The worst ratio that was found for every ordered pair of strategies. */
export interface AdversarialMatrix {
  readonly strategies: readonly string[];
  /** `worst[a][b]`: largest makespan of a over makespan of b. */
  readonly worst: readonly (readonly number[])[];
  /** The plan on which that happens, to try again; `null` where a strategy meets itself. */
  readonly instances: readonly (readonly (Instance | null)[])[];
  /** Wall time and evaluations of this run. */
  readonly seconds: number;
  readonly evaluations: number;
  /** Pairs that a run before had found. */
  readonly kept: number;
}

/** Groupings of one plan to choose among, and what the strategies propose for it. */
export interface ParetoChart {
  readonly title: string;
  /** Those that none beats in makespan, dispatches and expected rework together, shortest first. */
  readonly front: readonly ParetoMark[];
  readonly strategies: readonly ParetoMark[];
}

export interface ParetoMark {
  readonly strategy: string;
  readonly makespanMs: number;
  readonly dispatches: number;
  readonly tokens: number;
  readonly expectedReworkMs: number;
}

/** Everything a report shows; plain JSON. */
export interface BenchReport {
  readonly format: "planloom-bench/1";
  readonly made: string;
  readonly machine: string;
  /** What it takes to make the same report again; absent in reports of earlier versions and in those that were put together from rows alone. */
  readonly provenance?: ReportProvenance;
  readonly tables: readonly ReportTable[];
  readonly rows: readonly BenchRow[];
  readonly gantt?: GanttChart;
  readonly pareto?: ParetoChart;
  readonly adversarial?: AdversarialMatrix;
}
