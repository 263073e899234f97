import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import { keptUnreadIssues, planView, readPlan, type TaskData } from "@planloom/plan";
import { z } from "zod";
import { formatTitles } from "./formats/index.ts";
import {
  type NamedTasks,
  plansOf,
  type ReadWorkloads,
  reasonOf,
  type WorkloadPlan,
  workloadsOf,
} from "./named-tasks.ts";
import { parseFormat } from "./parse-format.ts";
import { readWfFormat } from "./wf-format.ts";
import { dependenciesOn, type WorkloadTask } from "./workload.ts";

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
 * Reads one file's value: `plan-workload/1` (a plan or a set of them), WfCommons WfFormat 1.5 or 1.6, or a plan in any form that Planloom reads. Times
 * become milliseconds; a unit that is not one of time counts as a second.
 * @param name for a plan without one.
 * @throws OptimizerError `OPTIMIZER_INPUT` for any other value, and for a plan with fields that look like dependencies and that nothing reads.
 */
export function readWorkloads(value: unknown, name: string): ReadWorkloads {
  const foreign = foreignTasks(value, name);
  if (foreign !== undefined) return workloadsOf(foreign);
  const plan = readWholePlan(value, name);
  try {
    return { workloads: [{ name, family: "planloom", view: planView(plan) }], defective: [] };
  } catch (error) {
    return { workloads: [], defective: [{ name, reason: reasonOf(error) }] };
  }
}

/**
 * The plans of a `plan-workload/1` or WfFormat value, for all that works on plans: drawing, checking, grouping. Times become milliseconds.
 * @returns `undefined` for a value of neither format
 * @throws OptimizerError `OPTIMIZER_INPUT` for one of these formats with a wrong field; PlanError for tasks that are not a plan
 */
export function readWorkloadPlans(value: unknown, name: string): WorkloadPlan[] | undefined {
  const foreign = foreignTasks(value, name);
  return foreign && plansOf(foreign);
}

function foreignTasks(value: unknown, name: string): NamedTasks[] | undefined {
  const record = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  if (record.format === "plan-workload/1") return planWorkloadTasks(value, name);
  if (!Object.hasOwn(record, "workflow")) return undefined;
  const { name: own, tasks } = readWfFormat(value, name);
  return [{ name: own, family: own.split(/[-_]/)[0] ?? "wfcommons", tasks }];
}

function planWorkloadTasks(value: unknown, name: string): NamedTasks[] {
  const parsed = parseFormat(PlanWorkload, value, "a workload in plan-workload/1", name);
  const { family, tasks, instances = [] } = parsed;
  const plans = tasks === undefined ? instances : [{ name: parsed.name, tasks }];
  return plans.map((plan) => {
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
  });
}

/** A plan of which nothing that orders its tasks was left out. */
function readWholePlan(value: unknown, name: string): TaskData {
  let plan: TaskData;
  try {
    plan = readPlan(value);
  } catch (error) {
    throw unreadable(name, error);
  }
  if (plan.planned_tasks.length === 0) throw unreadable(name, new Error("It has no tasks."));
  const [lost] = keptUnreadIssues(plan.metadata);
  if (lost !== undefined) throw unreadable(name, new Error(lost.message));
  return plan;
}

function unreadable(name: string, cause: unknown): OptimizerError {
  const why = cause instanceof Error ? cause.message.slice(0, 300) : "";
  return new OptimizerError(
    OptimizerErrorCode.INPUT,
    `Expected ${name} to be a plan, or a workload in ${formatTitles.join(", ")}. ${why}`,
    { cause },
  );
}
