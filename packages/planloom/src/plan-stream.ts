import type { PlannerTask, TaskData } from "@planloom/plan";

/** A task that a model has just written whole: a preview, which the plan in the end may lack. */
export interface StreamedTask {
  readonly task: PlannerTask;
  /** Number of the attempt at the plan, from 1. Each attempt writes its tasks again. */
  readonly attempt: number;
}

/**
 * A plan while it is being written: `for await (const { task } of stream)` gives the tasks one by one, each time from the first;
 * `plan` is the whole, validated. Given to `run`, tasks start before the plan is whole.
 */
export interface PlanStream extends AsyncIterable<StreamedTask> {
  readonly plan: Promise<TaskData>;
}

export function isPlanStream(value: unknown): value is PlanStream {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    "plan" in value &&
    isThenable(value.plan)
  );
}

/** @param work plans, and reports tasks on the way */
export function planStreamOf(
  work: (onTask: (task: PlannerTask, attempt: number) => void) => Promise<TaskData>,
): PlanStream {
  const tasks: StreamedTask[] = [];
  let more = Promise.withResolvers<void>();
  let ended = false;
  const wake = () => {
    more.resolve();
    more = Promise.withResolvers<void>();
  };
  const plan = work((task, attempt) => {
    tasks.push({ task, attempt });
    wake();
  });
  const end = () => {
    ended = true;
    wake();
  };
  // Iterating ends with the plan, well or badly; `plan` says which.
  plan.then(end, end);
  return {
    plan,
    async *[Symbol.asyncIterator]() {
      for (let at = 0; ; at += 1) {
        while (at === tasks.length) {
          if (ended) return;
          await more.promise;
        }
        yield tasks[at] as StreamedTask;
      }
    },
  };
}

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
