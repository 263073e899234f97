import { ManualOptimizer } from "planloom";
import { ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { findPlan } from "../target.ts";
import { duration, styleFor } from "../terminal/style.ts";
import { renderRows } from "../terminal/table.ts";
import { section } from "../views/heading.ts";
import { subgraphView } from "../views/plan-view.ts";

export interface OptimizeOptions {
  readonly executors?: number;
  readonly overhead?: number;
  readonly strategy: string;
  readonly json?: boolean;
}

/** `planloom optimize`: the grouping, its predicted time, the bound, and how the other strategies did. */
export async function optimize(name: string, options: OptimizeOptions, io: CliIo): Promise<number> {
  const { plan } = await findPlan(name, io);
  const optimized = new ManualOptimizer({
    strategy: options.strategy,
    environment: {
      ...(options.executors === undefined ? {} : { executors: options.executors }),
      ...(options.overhead === undefined ? {} : { overheadMs: options.overhead }),
    },
  }).optimize(plan);
  if (options.json === true) {
    const subgraphs = optimized.subgraphs.map((subgraph) => ({
      ...subgraph,
      tasks: subgraph.tasks.map((task) => task.task_id),
    }));
    io.stdout.write(`${JSON.stringify({ ...optimized, subgraphs }, null, 2)}\n`);
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(subgraphView(optimized, style));
  const rows = optimized.candidates.map((candidate) => [
    candidate.strategy,
    duration(candidate.predictedMs),
    String(candidate.dispatches),
    `×${(candidate.predictedMs / Math.max(optimized.lowerBoundMs, 1e-9)).toFixed(2)}`,
  ]);
  io.stdout.write(section("Strategies", "", style));
  io.stdout.write(
    `${renderRows(["strategy", "predicted", "dispatches", "to bound"], rows, style, { alignRight: new Set([1, 2, 3]) })}\n`,
  );
  return ExitCode.DONE;
}
