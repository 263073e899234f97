import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import { z } from "zod";
import { dependenciesOn, type WorkloadTask } from "./workload.ts";

const WfFormat = z.object({
  name: z.string().optional(),
  workflow: z.object({
    specification: z.object({
      tasks: z.array(
        z.object({
          id: z.string(),
          name: z.string().optional(),
          parents: z.array(z.string()).default([]),
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
 * Reads a workflow in WfCommons' WfFormat 1.5. A task's output is the files it writes, its type the name before the
 * first number; a task without a measured runtime takes the mean of the others, or a second.
 * @throws OptimizerError `OPTIMIZER_INPUT`.
 */
export function readWfFormat(value: unknown, name: string): { name: string; tasks: WorkloadTask[] } {
  const parsed = WfFormat.safeParse(value);
  if (!parsed.success) {
    throw new OptimizerError(
      OptimizerErrorCode.INPUT,
      `Expected ${name} to be a WfFormat 1.5 workflow: ${parsed.error.message.slice(0, 300)}`,
      { cause: parsed.error },
    );
  }
  const { specification, execution } = parsed.data.workflow;
  const runtime = new Map(execution?.tasks.map((task) => [task.id, task.runtimeInSeconds * 1000]));
  const known = [...runtime.values()];
  const usual = known.length === 0 ? 1000 : known.reduce((sum, each) => sum + each, 0) / known.length;
  const bytes = new Map(specification.files.map((file) => [file.id, file.sizeInBytes]));
  const index = new Map(specification.tasks.map((task, at) => [task.id, at]));
  const tasks = specification.tasks.map(
    (task): WorkloadTask => ({
      id: task.id,
      workMs: runtime.get(task.id) ?? usual,
      ...dependenciesOn(task.parents, index),
      outputBytes: task.outputFiles.reduce((sum, file) => sum + (bytes.get(file) ?? 0), 0),
      type: (task.name ?? task.id).replace(/[-_]?\d.*$/, ""),
    }),
  );
  return { name: parsed.data.name ?? name, tasks };
}
