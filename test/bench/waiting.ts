// How fast runs that wait are woken, and signals are taken: `node test/bench/waiting.ts [RUNS] [--processes N]`. Prints one JSON object.
import { fork as spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, resumeDue, run, SqliteJournal, signal, toolExecutor } from "@planloom/runtime";

const [first, second] = process.argv.slice(2);
const plan = {
  task_id: "plan",
  planned_tasks: [
    { task_id: "wait", wait: { for_ms: 20_000_000_000 } },
    { task_id: "note", tool_id: "note", arguments: { at: "${wait.waited_until}" } },
  ],
};
const forSignal = { task_id: "plan", planned_tasks: [{ task_id: "wait", wait: { event: "e" } }] };
const executors = [toolExecutor([defineTool({ id: "note", description: "", readOnly: true, execute: () => null })])];

/** Wakes what is due until nothing is. @returns ids of runs that were completed */
async function wakeAll(file: string): Promise<number> {
  const journal = await SqliteJournal.open(file);
  let woken = 0;
  for (;;) {
    const some = await resumeDue({ journal, executors, limit: 500, runsAtOnce: 8 });
    if (some.length === 0) break;
    for (const each of some) {
      if (!("result" in each) || each.result.end_reason !== "completed") throw new Error(JSON.stringify(each));
      woken++;
    }
  }
  await journal.close();
  return woken;
}

if (first === "--wake") {
  // A process of its own, which says how many runs it woke.
  Date.now = () => performance.timeOrigin + performance.now() + 30_000_000_000;
  const before = process.cpuUsage();
  const woken = await wakeAll(second!);
  const { user, system } = process.cpuUsage(before);
  process.send?.({ woken, cpuMs: (user + system) / 1_000 });
  process.exit(0);
}

const runs = Number(first ?? 100_000);
const processes = Number(process.argv.includes("--processes") ? process.argv.at(-1) : 1);
const folder = mkdtempSync(join(tmpdir(), "planloom-waiting-"));
const file = join(folder, "j.sqlite");
const seconds = async (work: () => Promise<unknown>) => {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
};
try {
  const journal = await SqliteJournal.open(file);
  const begun = await seconds(async () => {
    for (let number = 0; number < runs; number += 16)
      await Promise.all(
        Array.from({ length: Math.min(16, runs - number) }, (_, at) =>
          run(plan, { executors, journal, runId: `r${number + at}`, waitHereMs: 0 }),
        ),
      );
  });
  let ended: { readonly woken: number; readonly cpuMs: number }[] = [];
  const woken = await seconds(async () => {
    ended = await Promise.all(
      Array.from(
        { length: processes },
        () =>
          new Promise<(typeof ended)[number]>((resolve, reject) => {
            const child = spawn(import.meta.filename, ["--wake", file]);
            child.on("message", (message) => resolve(message as (typeof ended)[number]));
            child.on("exit", (code) => code !== 0 && reject(new Error(`A process that wakes ended with ${code}.`)));
          }),
      ),
    );
  });
  const total = ended.reduce((sum, { woken: count }) => sum + count, 0);
  if (total !== runs) throw new Error(`${runs} runs waited, and ${total} were woken.`);
  const signals = Math.min(10_000, runs);
  const receivers = 200;
  for (let number = 0; number < receivers; number++)
    await run(forSignal, { executors: [], journal, runId: `s${number}` });
  const before = process.cpuUsage();
  const sent = await seconds(async () => {
    for (let number = 0; number < signals; number++)
      await signal(`s${number % receivers}`, "e", { journal, data: { number } });
  });
  const { user, system } = process.cpuUsage(before);
  const kept = await Promise.all(
    Array.from({ length: receivers }, async (_, number) => (await journal.getSignals(`s${number}`)).length),
  );
  if (kept.reduce((sum, count) => sum + count, 0) !== signals) throw new Error("Signals were lost.");
  await journal.close();
  const per = (count: number, time: number) => Math.round(count / time);
  process.stdout.write(
    `${JSON.stringify({
      runs,
      processes,
      begun_per_second: per(runs, begun),
      woken_per_second: per(runs, woken),
      woken_by_process: ended.map(({ woken: count }) => count),
      // On a loaded machine processor time says more.
      cpu_ms_a_wake: ended.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / runs,
      signals_per_second: per(signals, sent),
      cpu_ms_a_signal: (user + system) / 1_000 / signals,
    })}\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
