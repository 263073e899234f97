// The process that `faults.ts` kills: begins or resumes one run of the 2,000-task plan on a SQLite journal. Tells each
// execution in a log of its own, one line a call, so that repeats can be counted whatever the journal says.
import { closeSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, resume, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
import {
  type FaultsShape,
  faultsBranches,
  faultsConcurrency,
  faultsList,
  faultsPlan,
  faultsRunId,
  outputOf,
} from "./faults-plan.ts";

type Given = [string, string, string, string, "run" | "resume", FaultsShape];
const [, , file, log, mode, shape = "tasks"] = process.argv as unknown as Given;
const effects = openSync(log, "a");
const execute = async (input: unknown) => {
  const { id, from } = input as { id: string; from: number[] };
  writeSync(effects, `${id}\n`);
  await sleep(1);
  return outputOf(id, from);
};
const executors = [toolExecutor([defineTool({ id: "work", description: "", idempotent: true, execute })])];
const journal = await SqliteJournal.open(file, { durability: "sync" });
const plans = { tasks: faultsPlan, list: faultsList, branches: faultsBranches };
const options = { executors, journal, concurrency: faultsConcurrency };
const result =
  mode === "run" ? await run(plans[shape](), { ...options, runId: faultsRunId }) : await resume(faultsRunId, options);
await journal.close();
closeSync(effects);
process.exitCode = result.end_reason === "completed" ? 0 : 1;
process.disconnect?.();
