// A process that runs, or resumes, a plan-execute loop with a SQLite journal and a model behind HTTP; some are killed by their
// test. Each execution of a tool is noted by a line in the effect log.
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { openaiModel } from "@planloom/controller";
import { defineTool, planExecute, resumePlanExecute, SqliteJournal, toolExecutor } from "@planloom/runtime";

const [mode = "run", file = "", log = "", baseURL = ""] = process.argv.slice(2);
const tool = (id: string, waitMs = 0) =>
  defineTool({
    id,
    description: `Does ${id}.`,
    idempotent: true,
    async execute() {
      appendFileSync(log, `${id}\n`);
      if (waitMs > 0 && mode === "run") await wait(waitMs);
      return `${id} is done`;
    },
  });
const journal = await SqliteJournal.open(file);
const options = {
  model: openaiModel({ baseURL, apiKey: "none", model: "m", maxRetries: 0 }),
  executors: [toolExecutor([tool("search"), tool("slow", 60_000), tool("book")])],
  journal,
  approval: { resources: ["book"] },
};
const result =
  mode === "run"
    ? await planExecute("Book a trip", { ...options, runId: "the-loop" })
    : await resumePlanExecute("the-loop", options);
await journal.close();
process.stdout.write(JSON.stringify(result));
