import { TaskData } from "planloom";

export const runs = 1_000;
export const tasks = 10;
export const limit = 16;
export const tenants = ["a", "b", "c"] as const;
/** Of the tenants, in the modes that have weights. The first has the greatest. */
export const weights = [4, 2, 1] as const;

/**
 * Where the limit is kept: `each run` has it by itself, `by hand` the tool has one for all, `together` the instance, `journal` all
 * processes of a journal. `weights` and `journal, weights` are these two where the tenants have weights.
 */
export type Mode =
  | "each run"
  | "by hand"
  | "together"
  | "each run, SQLite"
  | "by hand, SQLite"
  | "journal"
  | "weights"
  | "journal, weights";

/** How long a call takes: some turns of the microtask queue, a timer of 1 ms, or one of 5 ms. */
export type Workload = "none" | "timer" | "long";

export const callMs = { none: 0, timer: 1, long: 5 } as const satisfies Record<Workload, number>;

export const plan = TaskData.parse({
  planned_tasks: Array.from({ length: tasks }, (_, at) => ({
    task_id: `t${at}`,
    execution_type: "tool",
    tool_id: "work",
    arguments: { at },
  })),
});
