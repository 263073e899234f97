import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import type { WorkloadTask } from "../workload.ts";

/** One file format of task graphs that is not JSON. */
export interface TextFormat {
  /** As its authors call it; for messages. */
  readonly title: string;
  /** Of the workloads that are read from it. */
  readonly family: string;
  /** Whether a text is of this format; cheap, and false for anything that `read` would refuse as another format. */
  recognises(text: string): boolean;
  /** @throws OptimizerError `OPTIMIZER_INPUT` that names the line or the task. */
  read(text: string, name: string): TextWorkload | Promise<TextWorkload>;
}

/** What a text held: the name that it gives itself, if it does, and the tasks. */
export interface TextWorkload {
  readonly name?: string;
  readonly tasks: WorkloadTask[];
}

/** A workload of one time unit a unit of cost: a file that does not say what it counts in is read as seconds. */
export const MS_PER_UNIT = 1000;

/** Operations a second, where a format counts operations: a gigaflop a second. */
export const OPERATIONS_PER_MS = 1e6;

/** @param where the line or the task, as a person would look for it. */
export function malformed(format: string, name: string, where: string, expected: string, got: string): OptimizerError {
  return new OptimizerError(
    OptimizerErrorCode.INPUT,
    `Expected ${expected} at ${where} of ${name} (${format}), got ${got === "" ? "nothing" : JSON.stringify(got.slice(0, 80))}.`,
    { details: { format, where } },
  );
}

/** The mean of what was measured, or a second: what a task takes that has no measurement. */
export function usualMs(known: Iterable<number>): number {
  let sum = 0;
  let count = 0;
  for (const each of known) {
    sum += each;
    count++;
  }
  return count === 0 ? MS_PER_UNIT : sum / count;
}

/** What a task takes: its measurement, or what is usual. */
export function workOf(ms: number | undefined, usual: number): Pick<WorkloadTask, "workMs" | "isAssumed"> {
  return ms === undefined ? { workMs: usual, isAssumed: true } : { workMs: ms };
}

/** The kind of task that a name such as `mProject_00012` says: what is before its first number. */
export function typeOf(name: string): string {
  return name.replace(/[-_]?\d.*$/, "");
}
