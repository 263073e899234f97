// Why is the shop slow? What to do next depends on what was found, so it is planned round by round. The restart changes something, so
// it needs a yes, which comes when this Planloom is gone; another one goes on in place.
import { deepStrictEqual, strictEqual } from "node:assert";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { approve, Planloom, SqliteJournal } from "planloom";
import type { LoopEvent } from "planloom/runtime";
import { executor, planner, replanner } from "./roles.ts";
import { shopTools } from "./tools.ts";

const folder = mkdtempSync(join(tmpdir(), "planloom-example-"));
const [journal, effects] = [join(folder, "runs.sqlite"), join(folder, "effects.log")];
const options = { tools: shopTools(effects), journal };
const roles = { planner, executor, replanner };

function onEvent(event: LoopEvent): void {
  if (event.type === "loop-round") process.stdout.write(`Round ${event.round + 1}: ${event.steps.join(", ")}\n`);
  if (event.type === "loop-step" && !event.recorded)
    process.stdout.write(`  ${event.executed.step}: ${event.executed.result}\n`);
}

const before = new Planloom(options);
const first = await before.planExecute("Why is the shop slow? Repair it.", { ...roles, onEvent });
await before.close();
const [waiting] = first.waiting;
process.stdout.write(`It waits: ${waiting?.uid} ${JSON.stringify(waiting?.input)}. Somebody says yes.\n`);

const opened = await SqliteJournal.open(journal);
await approve(first.run_id, waiting!.id, { journal: opened });
await opened.close();

process.stdout.write("Another Planloom goes on, past what was done:\n");
await using planloom = new Planloom(options);
const second = await planloom.resumePlanExecute(first.run_id, { ...roles, onEvent });
process.stdout.write(`${String(second.response)}\n`);

const calls = readFileSync(effects, "utf8").trim().split("\n");
strictEqual(first.end_reason, "waiting_approval");
deepStrictEqual(first.interrupted, { agent: "executor", round: 2 });
strictEqual(second.end_reason, "responded");
strictEqual(second.rounds, 3);
// Nothing was measured, read or restarted twice.
strictEqual(calls.length, 6);
strictEqual(new Set(calls).size, 6);
rmSync(folder, { recursive: true });
