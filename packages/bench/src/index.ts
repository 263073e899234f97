export {
  type AdversarialOptions,
  adversarialSearch,
  adversarialStrategies,
} from "./adversarial/adversarial-search.ts";
export type {
  AdversarialMatrix,
  BenchReport,
  GanttBar,
  GanttChart,
  ParetoChart,
  ParetoMark,
  ReportTable,
} from "./bench-report.ts";
export { environmentName } from "./environment-name.ts";
export { exampleFigures } from "./example-figures.ts";
export { installedChromium } from "./figures/chromium.ts";
export { figurePdfs, type PdfFile } from "./figures/figure-pdfs.ts";
export { type PaperFile, paperFigures } from "./figures/paper-figures.ts";
export { ganttChart } from "./gantt-chart.ts";
export { generateWorkload, generatorNames } from "./generators/shapes.ts";
export { glanceTable } from "./glance-table.ts";
export { htmlReport } from "./html-report.ts";
export { type LabOptions, optimizerLab } from "./lab.ts";
export { leaderboard, type Submission } from "./leaderboard.ts";
export { machinesOf } from "./machines/environment-machines.ts";
export { type Machine, type MachineProblem, type Machines, machineProblem } from "./machines/machine-problem.ts";
export {
  cpop,
  etf,
  heft,
  type MachineScheduler,
  machineSchedule,
  machineSchedulers,
  maxMin,
  minMin,
  peft,
} from "./machines/machine-schedulers.ts";
export { machineStrategies } from "./machines/machine-strategies.ts";
export { type MachineSchedule, machineScheduleFaults } from "./machines/timetable.ts";
export { makeReport, type ReportParts } from "./make-report.ts";
export { markdownReport, markdownTable } from "./markdown-report.ts";
export { type ArrivingRun, type PoissonOptions, poissonArrivals } from "./online/arrivals.ts";
export { type OnlineBenchOptions, onlineTable } from "./online/online-table.ts";
export {
  type OnlineOptions,
  type OnlinePolicy,
  type OnlineRun,
  simulateOnline,
} from "./online/simulate-online.ts";
export {
  type Measured,
  type ReportInstance,
  type ReportProvenance,
  reportProvenance,
} from "./report-provenance.ts";
export { BenchRow, workloadHash } from "./row.ts";
export { rowsCsv, rowsParquet } from "./rows-files.ts";
export {
  type BenchOptions,
  type BenchProgress,
  benchEnvironments,
  environmentOf,
  type LostRow,
  runBench,
} from "./run-bench.ts";
export { measureScale, type ScaleFigures, scaleSources } from "./scale.ts";
export { type ComparedStrategy, type Comparison, comparisons } from "./statistics/comparison.ts";
export { geometricInterval, type Interval, meanInterval } from "./statistics/confidence.ts";
export { type Friedman, friedman, indistinguishable, nemenyi } from "./statistics/friedman.ts";
export { holm, type Wilcoxon, wilcoxonSignedRank } from "./statistics/wilcoxon.ts";
export { type DifferentRow, readReport, type Verification, type VerifyOptions, verifyReport } from "./verify-report.ts";
export { readTaskLines } from "./workloads/lines/read-task-lines.ts";
export { isWorkloadFile, loadWorkloadPlans, loadWorkloads } from "./workloads/load-workloads.ts";
export type { ReadWorkloads, WorkloadPlan } from "./workloads/named-tasks.ts";
export { readWorkloadPlans, readWorkloads } from "./workloads/read-workloads.ts";
export {
  type DefectiveWorkload,
  distinctNames,
  evenlySpaced,
  type GeneratedFrom,
  type Workload,
} from "./workloads/workload.ts";
export { workloadDot } from "./workloads/writers/write-dot.ts";
export { planWorkload } from "./workloads/writers/write-plan-workload.ts";
export { workloadWfFormat } from "./workloads/writers/write-wf-format.ts";
