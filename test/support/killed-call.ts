// A run that stands still in its second task, to be killed there: `node killed-call.ts FILE`.
import { defineTool, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
import { planOf } from "./run-plans.ts";

const [, , file = ""] = process.argv;
const task = { tool_id: "t" };
const plan = planOf({ a: [], b: ["a"], c: ["b"] }, { a: task, b: task, c: task });
const tool = defineTool({
  id: "t",
  description: "",
  idempotent: true,
  estimate: { tokens: 60 },
  async execute(_: object, { task: { task_id }, onUsage }) {
    if (task_id === "b") {
      process.stdout.write("b\n");
      await new Promise(() => setInterval(() => {}, 1_000));
    }
    onUsage({ inputTokens: 60 });
  },
});
const journal = await SqliteJournal.open(file);
await run(plan, {
  executors: [toolExecutor([tool])],
  journal,
  runId: "r",
  budgets: { run: { calls: 3, tokens: 150 } },
});
