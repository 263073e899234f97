import { type ExecutionEnvironment, type ExecutorClass, OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import type { PlanView } from "@planloom/plan";
import type { Machines } from "./machine-problem.ts";

/**
 * The executors of an environment as machines for single tasks, so that `machineSchedule` can be compared with groupings there: one machine for each executor, numbered
 * class by class as in `Partition.placement`; a task takes the overhead of a dispatch and its work by the speed of the class, and cannot run where the class does
 * not serve it or a dispatch of the task alone needs more memory than it has. A rate of dispatches is not looked at. Rates and latency are those between the classes, prices those of executors.
 * @throws OptimizerError `OPTIMIZER_ENVIRONMENT` for what list schedulers of single tasks do not know: streaming, a number of executors without end, and a limit of context
 */
export function machinesOf(view: PlanView, environment: ExecutionEnvironment): Machines {
  const { semantics, executors, latencyMs = 0, bytesPerMs = Number.POSITIVE_INFINITY, rates } = environment;
  const { overheadMs, prices, contextTokens, memoryBytes } = environment;
  if (semantics !== "atomic") throw unknown("semantics", '"atomic"', semantics);
  if (executors === Number.POSITIVE_INFINITY) throw unknown("executors", "a finite number", executors);
  const equal: ExecutorClass = {
    name: "executor",
    count: executors,
    overheadMs,
    ...(prices && { prices }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(memoryBytes !== undefined && { memoryBytes }),
  };
  const { classes = [equal] } = environment;
  const kinds = classes.flatMap((each, kind) => new Array<number>(each.count).fill(kind));
  for (const each of classes) {
    if ((each.contextTokens ?? Number.POSITIVE_INFINITY) !== Number.POSITIVE_INFINITY)
      throw unknown("contextTokens", "no limit, which list schedulers of single tasks do not keep", each.contextTokens);
  }
  return {
    machines: kinds.map((kind) => ({
      name: classes[kind]!.name,
      speed: classes[kind]!.speed ?? 1,
      pricePerHour: classes[kind]!.prices?.perExecutorHour ?? 0,
      memoryBytes: classes[kind]!.memoryBytes ?? Number.POSITIVE_INFINITY,
    })),
    latencyMs,
    rates: kinds.map((from) => kinds.map((to) => rates?.[from]?.[to] ?? bytesPerMs)),
    memoryOf: Float64Array.from({ length: view.n }, (_, v) => {
      let bytes = view.outBytes[v]!;
      for (let at = view.inPtr[v]!; at < view.inPtr[v + 1]!; at++) bytes += view.outBytes[view.in[at]!]!;
      return bytes;
    }),
    costs: Array.from({ length: view.n }, (_, v) =>
      kinds.map((kind) => {
        const { serves, speed = 1, overheadMs: ownMs } = classes[kind]!;
        const isServed = serves === undefined || serves.includes(view.affinity[v]!);
        return isServed ? ownMs + view.work[v]! / speed : Number.POSITIVE_INFINITY;
      }),
    ),
  };
}

function unknown(field: string, expected: string, got: unknown): OptimizerError {
  const message = `Expected environment.${field} to be ${expected}, got ${String(got)}.`;
  return new OptimizerError(OptimizerErrorCode.ENVIRONMENT, message, { details: { field } });
}
