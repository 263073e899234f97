// The process that `faults-waits.ts` kills: a scheduler on a SQLite journal, with a clock that is ahead and fast. It begins the run
// where it is not there yet, sends the signals that no process before it has noted as sent, and ends once everything has ended. What it calls and
// what it has sent is noted in a log of its own, one line each.
import { openSync, readFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, Planloom, RuntimeError, RuntimeErrorCode } from "planloom";
import { faultSchedules, waitsConcurrency, waitsPlan, waitsRunId } from "./faults-waits-plan.ts";

const [file, log, shape, clockStart, speedText, elementsText] = process.argv.slice(2) as [
  file: string,
  log: string,
  shape: string,
  clockStart: string,
  speed: string,
  elements: string,
];
const [speed, elements] = [Number(speedText), Number(elementsText)];
const RealDate = Date;
const began = RealDate.now();
const now = () => Math.round(Number(clockStart) + (RealDate.now() - began) * speed);
// Whoever asks what time it is gets the same answer: a signal is dated by `new Date()`.
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: [] | [number]) => (given.length === 0 ? new target(now()) : new target(...given)),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});

const lines = openSync(log, "a");
const note = (line: object) => writeSync(lines, `${JSON.stringify(line)}\n`);
const work = defineTool({
  id: "work",
  description: "",
  idempotent: true,
  execute: async ({ id, data }: { id: string; data: unknown }, { idempotencyKey }) => {
    note({ call: idempotencyKey, id, data, at: Date.now() });
    await sleep(1);
    return { id, data };
  },
});
const planloom = new Planloom({
  tools: [work],
  journal: file,
  concurrency: waitsConcurrency,
  waitHereMs: 0,
});
const journal = await planloom.journal();
const done = new AbortController();

async function beginRun(): Promise<void> {
  try {
    await planloom.run(waitsPlan(elements), { runId: waitsRunId });
  } catch (error) {
    if (!(error instanceof RuntimeError && error.code === RuntimeErrorCode.RUN_EXISTS)) throw error;
    const { resumable } = await planloom.runStatus(waitsRunId);
    if (resumable) await planloom.resume(waitsRunId);
  }
}

/** Sends what no earlier process has noted. One that was killed in between had sent it or not, which the id makes no difference to. */
async function sendSignals(): Promise<void> {
  const noted = readFileSync(log, "utf8");
  for (let number = 0; number < elements; number++) {
    const id = `signal-${number}`;
    if (noted.includes(`{"sent":"${id}"`)) continue;
    await sleep(100);
    note({ sending: id });
    while (!done.signal.aborted) {
      try {
        const data = { amount: number * 10 };
        const { duplicate } = await planloom.signal(waitsRunId, "paid", { key: String(number), data, id });
        // A kill may come before the sender knows that it has sent.
        await sleep(1);
        note({ sent: id, duplicate });
        break;
      } catch (error) {
        if (!(error instanceof RuntimeError && error.code === RuntimeErrorCode.RUN_NOT_FOUND)) throw error;
        await sleep(2);
      }
    }
  }
}

/** Whether nothing will happen any more this year. */
async function isOver(): Promise<boolean> {
  if (shape === "schedules") {
    const schedules = await planloom.schedules();
    if (schedules.some(({ next_at = "2027" }) => next_at < "2027")) return false;
    const histories = await Promise.all(faultSchedules.map(({ id }) => planloom.scheduleHistory(id)));
    if (histories.flat().some(({ state }) => state === "starting")) return false;
  }
  // Last, since what is started above is in the list of runs from then on.
  const runs = await journal.listRuns({ limit: Number.POSITIVE_INFINITY });
  return runs.length > 0 && runs.every(({ status }) => status === "completed");
}

async function endOnceOver(): Promise<void> {
  while (!(await isOver())) await sleep(20);
  done.abort();
}

const begun = shape === "waits" ? [beginRun(), sendSignals()] : [];
await Promise.all([...begun, planloom.scheduler({ everyMs: 5, runsAtOnce: 16, signal: done.signal }), endOnceOver()]);
await planloom.close();
process.disconnect?.();
