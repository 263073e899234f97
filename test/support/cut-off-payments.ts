import { setTimeout as sleep } from "node:timers/promises";
import type { JsonSchema } from "@planloom/plan";
import { defineTool, type Journal, type RunOptions, run, toolExecutor } from "@planloom/runtime";
import { dying } from "./dying-journal.ts";
import { planOf } from "./run-plans.ts";

/** Effects are counted here, outside the journal. */
export interface Outside {
  readonly done: string[];
  /** While true calls have their effect and never answer. */
  hangs: boolean;
}

export function payments(
  outside: Outside,
  declared: { readOnly?: boolean; idempotent?: boolean; output?: JsonSchema } = {},
) {
  const tool = (id: string, more = {}) =>
    defineTool({
      id,
      description: "",
      ...more,
      async execute(_, { task, signal }) {
        outside.done.push(`${id} ${task.task_id}`);
        if (outside.hangs && id === "pay")
          await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
        return { paid: task.task_id };
      },
    });
  return [toolExecutor([tool("pay", declared), tool("look", { readOnly: true })])];
}

export const plan = planOf(
  { look: [], pay: ["look"], after: ["pay"] },
  { look: { tool_id: "look" }, pay: { tool_id: "pay" }, after: { tool_id: "look" } },
);

export const pay = { task_id: "pay", tool_id: "pay" };

/** Runs until the payment was made, and dies there. */
export async function diedPaying(journal: Journal, outside: Outside, options: Partial<RunOptions> = {}, of = plan) {
  const stop = new AbortController();
  const life = dying(journal);
  const running = run(of, {
    executors: payments(outside),
    ...options,
    journal: life.journal,
    runId: "r",
    signal: stop.signal,
    abortGraceMs: 0,
  });
  while (!outside.done.some((call) => call.startsWith("pay"))) await sleep(1);
  life.die();
  stop.abort();
  await running.catch(() => {});
  outside.hangs = false;
}

export const outsideWorld = (): Outside => ({ done: [], hangs: true });
