// A process that changes the plan of a run: says "ready", waits for a word, and tells what came of it.
import { once } from "node:events";
import { draftPatch } from "@planloom/plan";
import { RuntimeError, recordedPlan, reviseRun, SqliteJournal } from "@planloom/runtime";

const [file = "", runId = ""] = process.argv.slice(2);
const journal = await SqliteJournal.open(file);
const { plan } = await recordedPlan(runId, { journal });
const task = plan.planned_tasks[0]!;
const proposal = { tasks: [{ ...task, description: `by process ${process.pid}`, replaces: [task.task_id] }] };
const { patch } = draftPatch(plan, proposal);
process.send?.("ready");
await once(process, "message");
try {
  await reviseRun(runId, patch!, { journal });
  process.send?.("kept");
} catch (error) {
  process.send?.(error instanceof RuntimeError ? error.code : String(error));
}
await journal.close();
process.disconnect();
