// A process that runs, or resumes, a plan with a SQLite journal; killed by its test. Each execution of a task is noted by a
// line in the effect log, written before the task's work is done and its result journaled.
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { defineTool, resume, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
import { planOf } from "./run-plans.ts";

const [mode = "run", file = "", log = "", tasks = "0"] = process.argv.slice(2);
const work = defineTool({
  id: "work",
  description: "",
  idempotent: true,
  async execute(input: Record<string, unknown>) {
    await wait(1);
    appendFileSync(log, `${String(input.id)}\n`);
    const before = (input.before as { total: number } | undefined)?.total ?? 0;
    return { total: before + 1 };
  },
});
const names = Array.from({ length: Number(tasks) }, (_, i) => `t${i}`);
// Ten chains, so that there is always something running and something waiting.
const plan = planOf(
  Object.fromEntries(names.map((name) => [name, []])),
  Object.fromEntries(
    names.map((name, i) => [
      name,
      { tool_id: "work", arguments: { id: name, ...(i >= 10 && { before: `\${t${i - 10}}` }) } },
    ]),
  ),
);
const journal = await SqliteJournal.open(file);
const executors = [toolExecutor([work])];
const result =
  mode === "run"
    ? await run(plan, { executors, journal, runId: "the-run", concurrency: 4 })
    : await resume("the-run", { executors, journal });
await journal.close();
process.stdout.write(
  JSON.stringify(
    result.results.map(({ task_id, status, output, recorded }) => ({ task_id, status, output, recorded })),
  ),
);
