export { generateWorkload, generatorNames } from "../generators/shapes.ts";
export { loadWorkloads } from "../workloads/load-workloads.ts";
export { type ReadWorkloads, readWorkloads } from "../workloads/read-workloads.ts";
export type { DefectiveWorkload, Workload } from "../workloads/workload.ts";
export { type BenchRow, workloadHash } from "./row.ts";
export { type BenchOptions, environmentOf, runBench } from "./run-bench.ts";
