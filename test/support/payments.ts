import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PlannerTaskInput, TaskData } from "@planloom/plan";
import { defineTool, type Journal, memoryJournal, SqliteJournal, toolExecutor } from "@planloom/runtime";
import { z } from "zod";

/** One call that was made. */
export interface Call {
  readonly tool: string;
  readonly input: unknown;
}

/** Tools that note what they are called with; `quote` gives the amount of the moment. */
export function paymentTools() {
  const calls: Call[] = [];
  const state = { amount: 100 };
  const payment = z.object({ to: z.string(), amount: z.number() });
  const noting = (id: string, give: () => unknown = () => "done") =>
    defineTool({
      id,
      description: id,
      ...(id === "pay" && { input: payment }),
      execute: (input) => {
        if (id !== "quote") calls.push({ tool: id, input });
        return give();
      },
    });
  const quote = noting("quote", () => ({ amount: state.amount }));
  const executors = [toolExecutor([quote, noting("pay"), noting("wipe"), noting("look")])];
  return { calls, state, executors };
}

export const tool = (task: PlannerTaskInput): PlannerTaskInput => ({ execution_type: "tool", ...task });
/** A plan that asks for a quote, then pays it once a person has approved. */
export const payment = (over: PlannerTaskInput = {}) =>
  TaskData.parse({
    task_id: "p",
    planned_tasks: [
      tool({ task_id: "q", tool_id: "quote" }),
      tool({
        task_id: "pay",
        tool_id: "pay",
        arguments: { to: "alice", amount: `\${q.amount}` },
        approval: "required",
        ...over,
      }),
    ],
  });

/** A journal of each kind, new and empty. */
export async function journals(): Promise<{ name: string; journal: Journal; close(): Promise<void> }[]> {
  const folder = mkdtempSync(join(tmpdir(), "planloom-"));
  const sqlite = await SqliteJournal.open(join(folder, "j.sqlite"));
  const close = async () => {
    await sqlite.close();
    rmSync(folder, { recursive: true });
  };
  return [
    { name: "memory", journal: memoryJournal(), close: async () => {} },
    { name: "SQLite", journal: sqlite, close },
  ];
}
