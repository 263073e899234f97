import type { Executor } from "@planloom/plan";
import type { Journal } from "@planloom/runtime";
import type { SimulatedProcess, World } from "../world.ts";
import { expectedOutputs, outputOf, type Task } from "./tasks.ts";

interface WatchedCallsParts {
  readonly world: World;
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly note: (process: SimulatedProcess, type: "begin" | "end" | "stopped", task: string) => void;
}

/** What the outside world sees of a run, its calls and its records, and what is wrong with them. */
export class WatchedCalls {
  readonly problems: string[] = [];
  readonly #parts: WatchedCallsParts;
  /** Calls of each task that were begun, by processes that were alive. */
  readonly #begun = new Map<string, number>();
  readonly #approved = new Map<string, number>();

  constructor(parts: WatchedCallsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return [...this.#begun.values()].reduce((sum, count) => sum + count, 0);
  }

  /** A person has said yes to another call of the task. */
  approve(task: string): void {
    this.#approved.set(task, (this.#approved.get(task) ?? 0) + 1);
  }

  /** What executes the tasks in a process. */
  executor(process: SimulatedProcess): Executor {
    const { world, tasks, seed, note } = this.#parts;
    return {
      kind: "tool",
      resources: () => [
        { kind: "tool" as const, id: "repeatable", description: "", idempotent: true },
        { kind: "tool" as const, id: "unrepeatable", description: "" },
      ],
      execute: async ({ input_data }, { signal }) => {
        const { id, from } = input_data as { id: string; from: number[] };
        const task = tasks.find((each) => each.id === id)!;
        if (process.alive) this.#begin(process, task);
        const stopped = new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        await Promise.race([world.sleep(task.durationMs), stopped]);
        if (process.alive) note(process, signal.aborted ? "stopped" : "end", id);
        signal.throwIfAborted();
        return outputOf(id, from, seed);
      },
    };
  }

  /** A completed task is recorded once in the run, and once in the run that its subgraph is. */
  watchRecords(journal: Journal): void {
    const record = journal.record.bind(journal);
    const outputs = new Map<string, string>();
    Object.assign(journal, {
      record: async (...given: Parameters<typeof record>) => {
        await record(...given);
        const [id, , records] = given;
        for (const { task_id, status, output } of records) {
          if (status !== "completed") continue;
          const key = `${id} ${task_id}`;
          if (outputs.has(key)) this.problems.push(`${task_id} was recorded as completed twice in ${id}`);
          outputs.set(key, JSON.stringify(output));
        }
      },
    });
  }

  /** Judges how a run has ended after all was calm. */
  async check(journal: Journal, runId: string, endReason: string): Promise<void> {
    // A run whose first write met a full disk, or whose process was killed before, never was.
    if (endReason === "none") return;
    const { tasks, seed } = this.#parts;
    const records = await journal.getTasks(runId);
    if (endReason !== "completed") {
      const why = records.find(({ error }) => error !== undefined)?.error?.message ?? "";
      this.problems.push(`the run did not come to its end after all was calm: ${endReason}. ${why}`);
      return;
    }
    const expected = expectedOutputs(tasks, seed);
    if (records.length !== tasks.length) this.problems.push(`${records.length} records of ${tasks.length} tasks`);
    for (const { task_id, output } of records)
      if (JSON.stringify(output) !== expected.get(task_id))
        this.problems.push(
          `${task_id} has the output ${JSON.stringify(output)?.slice(0, 50)}, not ${expected.get(task_id)?.slice(0, 50)}`,
        );
  }

  #begin(process: SimulatedProcess, { id, idempotent }: Task): void {
    const before = this.#begun.get(id) ?? 0;
    this.#begun.set(id, before + 1);
    this.#parts.note(process, "begin", id);
    if (!idempotent && before > (this.#approved.get(id) ?? 0))
      this.problems.push(`${id}, which may not be repeated, was called ${before + 1} times without a person's yes`);
  }
}
