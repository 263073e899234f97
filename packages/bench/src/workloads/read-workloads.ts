import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import { PlanError, planView, TaskData } from "@planloom/plan";
import { z } from "zod";
import { readWfFormat } from "./wf-format.ts";
import { type DefectiveWorkload, dependenciesOn, type Workload, type WorkloadTask, workloadView } from "./workload.ts";

/** What one file held. */
export interface ReadWorkloads {
  readonly workloads: readonly Workload[];
  /** Plans of a set that cannot be run unchanged; they are kept apart, not repaired. */
  readonly defective: readonly DefectiveWorkload[];
}

const Amount = z.number().nonnegative().finite();
const PlanWorkloadTask = z.object({
  id: z.string(),
  type: z.string().optional(),
  runtime: Amount,
  deps: z.array(z.string()).default([]),
  outputBytes: Amount.optional(),
  promptTokens: Amount.optional(),
});
const PlanWorkload = z.object({
  format: z.literal("plan-workload/1"),
  name: z.string(),
  family: z.string().default("other"),
  tasks: z.array(PlanWorkloadTask).optional(),
  instances: z.array(z.object({ name: z.string(), tasks: z.array(PlanWorkloadTask) })).optional(),
});

/**
 * Reads one file's value: `plan-workload/1` (a plan or a set of them), WfCommons WfFormat 1.5, or a Planloom plan. Times
 * become milliseconds; a unit that is not one of time counts as a second.
 * @param name for a plan without one.
 * @throws OptimizerError `OPTIMIZER_INPUT` for any other value.
 */
export function readWorkloads(value: unknown, name: string): ReadWorkloads {
  const record = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  if (record.format === "plan-workload/1") return readPlanWorkload(value, name);
  if (Object.hasOwn(record, "workflow")) {
    const { name: own, tasks } = readWfFormat(value, name);
    return collect([{ name: own, family: own.split(/[-_]/)[0] ?? "wfcommons", tasks }]);
  }
  const plan = TaskData.safeParse(value);
  if (!plan.success || plan.data.planned_tasks.length === 0) throw unreadable(name, plan.error);
  try {
    return { workloads: [{ name, family: "planloom", view: planView(plan.data) }], defective: [] };
  } catch (error) {
    return { workloads: [], defective: [{ name, reason: reasonOf(error) }] };
  }
}

function readPlanWorkload(value: unknown, name: string): ReadWorkloads {
  const parsed = PlanWorkload.safeParse(value);
  if (!parsed.success) throw unreadable(name, parsed.error);
  const { family, tasks, instances = [] } = parsed.data;
  const plans = tasks === undefined ? instances : [{ name: parsed.data.name, tasks }];
  return collect(
    plans.map((plan) => {
      const index = new Map(plan.tasks.map((task, at) => [task.id, at]));
      return {
        name: plan.name,
        family,
        tasks: plan.tasks.map(
          ({ id, type, runtime, deps, outputBytes, promptTokens }): WorkloadTask => ({
            id,
            workMs: runtime * 1000,
            ...dependenciesOn(deps, index),
            ...(type === undefined ? {} : { type }),
            ...(outputBytes === undefined ? {} : { outputBytes }),
            ...(promptTokens === undefined ? {} : { promptTokens }),
          }),
        ),
      };
    }),
  );
}

function collect(plans: { name: string; family: string; tasks: readonly WorkloadTask[] }[]): ReadWorkloads {
  const workloads: Workload[] = [];
  const defective: DefectiveWorkload[] = [];
  for (const { name, family, tasks } of plans) {
    try {
      workloads.push({ name, family, view: workloadView(tasks) });
    } catch (error) {
      defective.push({ name, reason: reasonOf(error) });
    }
  }
  return { workloads, defective };
}

function reasonOf(error: unknown): string {
  if (error instanceof PlanError) return error.message;
  throw error;
}

function unreadable(name: string, cause: unknown): OptimizerError {
  const why = cause instanceof Error ? cause.message.slice(0, 300) : "";
  return new OptimizerError(
    OptimizerErrorCode.INPUT,
    `Expected ${name} to be a plan-workload/1, a WfFormat 1.5 workflow or a Planloom plan. ${why}`,
    { cause },
  );
}
