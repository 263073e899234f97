import { deepStrictEqual } from "node:assert";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Planloom } from "planloom";
import { queueExecutor } from "./queue-executor.ts";

const folder = await mkdtemp(join(tmpdir(), "planloom-queue-"));
const database = new DatabaseSync(join(folder, "jobs.sqlite"));
// As a program that is started anew for each of the steps below.
const start = () => new Planloom({ executors: [queueExecutor(database)], journal: join(folder, "runs.sqlite") });
try {
  const plan = {
    planned_tasks: [
      { task_id: "review", tool_id: "review", arguments: { text: "A poem" } },
      { task_id: "print", tool_id: "print", arguments: { text: "${review.text}" } },
    ],
  };
  await using first = start();
  const { end_reason, run_id } = await first.run(plan, { runId: "poem" });
  deepStrictEqual(end_reason, "waiting");
  await first.close();

  // Whoever does the work looks into the queue, and says when it is done.
  const answers = { review: { text: "A better poem" }, print: { pages: 1 } };
  for (const forWhom of ["review", "print"] as const) {
    const job = database.prepare("SELECT id, what FROM job WHERE for_whom = ?").get(forWhom);
    await using planloom = start();
    await planloom.signal(run_id, "job-done", { key: String(job?.id), data: answers[forWhom] });
    await planloom.resumeDue();
    await planloom.close();
  }

  await using last = start();
  const { status, tasks } = await last.runStatus(run_id);
  const jobs = database.prepare("SELECT what, for_whom FROM job ORDER BY rowid").all();
  // The example asserts its own result: each job was put into the queue once.
  deepStrictEqual(
    { status, tasks: tasks.map((task) => task.status) },
    { status: "completed", tasks: ["completed", "completed"] },
  );
  deepStrictEqual(
    jobs.map(({ what, for_whom }) => `${for_whom}: ${what}`),
    ["review: A poem", "print: A better poem"],
  );
  process.stdout.write(`${status}: ${jobs.length} jobs\n`);
} finally {
  database.close();
  await rm(folder, { recursive: true, force: true });
}
