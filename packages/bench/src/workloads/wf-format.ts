import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import { z } from "zod";
import { typeOf, usualMs, workOf } from "./formats/text-format.ts";
import { parseFormat } from "./parse-format.ts";
import { dependenciesOn, type WorkloadTask } from "./workload.ts";

const FORMAT = "a workflow in WfFormat 1.5 or 1.6";

const WfFormat = z.object({
  name: z.string().optional(),
  workflow: z.object({
    specification: z.object({
      tasks: z.array(
        z.object({
          id: z.string(),
          name: z.string().optional(),
          parents: z.array(z.string()).default([]),
          children: z.array(z.string()).default([]),
          inputFiles: z.array(z.string()).default([]),
          outputFiles: z.array(z.string()).default([]),
        }),
      ),
      files: z.array(z.object({ id: z.string(), sizeInBytes: z.number().nonnegative() })).default([]),
    }),
    execution: z
      .object({ tasks: z.array(z.object({ id: z.string(), runtimeInSeconds: z.number().nonnegative() })).default([]) })
      .optional(),
  }),
});

/**
 * Reads a workflow in WfCommons' WfFormat 1.5 or 1.6, which adds what nothing here needs. An order that one side alone mentions, as parents or as
 * children, holds. A task's output is the files it writes, its type the name before the first number; a task without a
 * measured runtime takes the mean of the others, or a second.
 * @throws OptimizerError `OPTIMIZER_INPUT`.
 */
export function readWfFormat(value: unknown, name: string): { name: string; tasks: WorkloadTask[] } {
  const parsed = parseFormat(WfFormat, value, FORMAT, name);
  const { specification, execution } = parsed.workflow;
  const runtime = new Map(execution?.tasks.map((task) => [task.id, task.runtimeInSeconds * 1000]));
  const usual = usualMs(runtime.values());
  const bytes = new Map(specification.files.map((file) => [file.id, file.sizeInBytes]));
  const index = new Map(specification.tasks.map((task, at) => [task.id, at]));
  const parents = new Map(specification.tasks.map((task) => [task.id, new Set(task.parents)]));
  for (const { id, children } of specification.tasks) {
    for (const child of children) {
      const known = parents.get(child);
      if (known === undefined) throw unknownChild(name, id, child);
      known.add(id);
    }
  }
  const tasks = specification.tasks.map(
    (task): WorkloadTask => ({
      id: task.id,
      ...workOf(runtime.get(task.id), usual),
      ...dependenciesOn([...parents.get(task.id)!], index),
      outputBytes: task.outputFiles.reduce((sum, file) => sum + (bytes.get(file) ?? 0), 0),
      type: typeOf(task.name ?? task.id),
    }),
  );
  return { name: parsed.name ?? name, tasks };
}

function unknownChild(name: string, id: string, child: string): OptimizerError {
  return new OptimizerError(
    OptimizerErrorCode.INPUT,
    `Expected the children of task ${JSON.stringify(id)} of ${name} to be tasks, got ${JSON.stringify(child)}.`,
    { details: { format: FORMAT, task_id: id, child } },
  );
}
