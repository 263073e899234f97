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
  readonly bars: readonly GanttBar[];
}

/** The worst ratio that was found for every ordered pair of strategies. */
export interface AdversarialMatrix {
  readonly strategies: readonly string[];
  /** `worst[a][b]`: largest makespan of a over makespan of b. */
  readonly worst: readonly (readonly number[])[];
  readonly seconds: number;
  readonly evaluations: number;
}

/** Everything a report shows; plain JSON. */
export interface BenchReport {
  readonly format: "planloom-bench/1";
  readonly made: string;
  readonly machine: string;
  readonly tables: readonly ReportTable[];
  readonly rows: readonly BenchRow[];
  readonly gantt?: GanttChart;
  readonly adversarial?: AdversarialMatrix;
}
