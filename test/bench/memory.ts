// What a large run needs of memory: 20,000 tasks with outputs of 150 KB each (3 GB) on a SQLite journal, cut off in the middle and
// resumed, then verified; each step in a process of its own with a heap of 250 MB. Fails where one takes more than 400 MB. Needs 4 GB
// in the temporary folder. `--quick`: 4,000 tasks.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { TaskData } from "@planloom/plan";
import { defineTool, resume, run, SqliteJournal, toolExecutor, verifyRun } from "@planloom/runtime";
import { markdownTable } from "./report.ts";

const { values, positionals } = parseArgs({ options: { quick: { type: "boolean" } }, allowPositionals: true });
const tasks = values.quick ? 4_000 : 20_000;
const outputCharacters = 150_000;
const mostMb = 400;
const [step, file = ""] = positionals;
if (step === undefined) measureAll();
else await measure(step, file);

function measureAll(): void {
  const folder = mkdtempSync(join(tmpdir(), "planloom-memory-"));
  try {
    const rows = ["run", "resume", "verify"].map((name) => {
      const quick = values.quick ? ["--quick"] : [];
      const given = ["--max-old-space-size=250", import.meta.filename, name, join(folder, "j.sqlite"), ...quick];
      const { stdout, stderr, status } = spawnSync(process.execPath, given, { encoding: "utf8" });
      if (status !== 0) throw new Error(`${name}: ${stderr}`);
      return JSON.parse(stdout) as { step: string; tasks_done: number; seconds: number; rss_mb: number };
    });
    console.log(`${tasks} tasks, ${outputCharacters} characters each\n\n${markdownTable(rows)}`);
    const over = rows.filter(({ rss_mb }) => rss_mb > mostMb);
    if (over.length > 0) throw new Error(`Expected at most ${mostMb} MB; over it: ${JSON.stringify(over)}.`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(name: string, path: string): Promise<void> {
  const journal = await SqliteJournal.open(path);
  const stop = new AbortController();
  let calls = 0;
  const write = defineTool({
    id: "write",
    description: "Gives a large output.",
    execute: ({ id }) => {
      if (++calls === tasks / 2 && name === "run") stop.abort();
      return { text: String(id).padEnd(outputCharacters, "xy") };
    },
  });
  const executors = [toolExecutor([write])];
  // Each reads an output that has left memory long ago.
  const plan = TaskData.parse({
    planned_tasks: Array.from({ length: tasks }, (_, at) => ({
      task_id: `t${at}`,
      execution_type: "tool",
      tool_id: "write",
      arguments: { id: at, ...(at >= 1_000 && at % 10 === 0 && { before: `\${t${at - 1_000}.text}` }) },
    })),
  });
  const began = performance.now();
  let done = 0;
  if (name === "verify") {
    const report = await verifyRun(journal, "large");
    if (!report.ok) throw new Error(JSON.stringify(report.problems));
    done = (await journal.listRuns())[0]?.completed ?? 0;
  } else {
    const result =
      name === "run"
        ? await run(plan, { executors, journal, runId: "large", concurrency: 16, signal: stop.signal })
        : await resume("large", { executors, journal });
    done = result.results.filter(({ status }) => status === "completed").length;
    if (name === "resume" && done !== tasks) throw new Error(`Expected all tasks to complete, ${done} did.`);
  }
  await journal.close();
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const rss_mb = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(JSON.stringify({ step: name, tasks_done: done, seconds, rss_mb }));
}
