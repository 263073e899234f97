// The module that worker processes of `dispatch.test.ts` load.
import { appendFileSync, existsSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { defineTool, defineWorkflow, toolExecutor, workflowExecutor } from "@planloom/runtime";
import { isAlive } from "./is-alive.ts";
import { sleep } from "./run-plans.ts";

const work = defineTool({
  id: "work",
  description: "Waits, then adds up what it is given",
  async execute(input: Record<string, unknown>, { signal }) {
    await sleep(Number(input.ms ?? 0), signal);
    if (input.fail) throw new Error("as asked");
    const sum = Object.values(input.of ?? {}).reduce((a: number, b) => a + Number((b as { sum: number }).sum), 1);
    return { sum, pid: process.pid };
  },
});
const die = defineTool({ id: "die", description: "", execute: () => process.exit(7) });
const hang = defineTool({
  id: "hang",
  description: "",
  execute: (input: { file?: string }) => {
    if (input.file !== undefined) writeFileSync(input.file, String(process.pid));
    return new Promise(() => setInterval(() => {}, 1_000));
  },
});

/**
 * Ignores its signal and never ends as long as its attempt is one of the first `times`. Says which processes that have called it with this
 * `file` still lived when it was called.
 */
const deaf = defineTool({
  id: "deaf",
  description: "",
  idempotent: true,
  execute(input: { file: string; times?: number }, { attempt }) {
    const before = existsSync(input.file) ? readFileSync(input.file, "utf8").trim().split("\n").map(Number) : [];
    const alive = before.filter((pid) => isAlive(pid));
    appendFileSync(input.file, `${process.pid}\n`);
    if (attempt <= (input.times ?? 0)) return new Promise(() => setInterval(() => {}, 1_000));
    return { alive, attempt, pid: process.pid };
  },
});

/** Like a loop without end, for whoever else wants the thread; and the machine stays free for other tests. */
const holdThread = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);

/** Holds its process as long as its attempt is one of the first `times`: nothing else happens there then. Says in `file` which one it is. */
const busy = defineTool({
  id: "busy",
  description: "",
  async execute(input: { times?: number; file?: string }, { attempt }) {
    if (input.file !== undefined) writeFileSync(input.file, String(process.pid));
    if (attempt <= (input.times ?? Number.POSITIVE_INFINITY)) holdThread();
    return { attempt, pid: process.pid };
  },
});

/** The line may be full: whoever reads it takes its time. */
function writeSome(bytes: Buffer): number {
  try {
    return writeSync(3, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    return 0;
  }
}

/** Speaks on the line that only Planloom should use, then waits to be heard. */
const babble = defineTool({
  id: "babble",
  description: "",
  async execute(input: { messages?: unknown[]; line?: { text: string; times: number }[] }, { signal }) {
    const lines = (input.messages ?? []).map((message) => JSON.stringify(message));
    if (input.line !== undefined) lines.push(input.line.map(({ text, times }) => text.repeat(times)).join(""));
    for (const line of lines) {
      let left = Buffer.from(`${line}\n`);
      while (left.length > 0) left = left.subarray(writeSome(left));
    }
    await sleep(50, signal);
    return "done";
  },
});

/** Says when it was executed, in milliseconds since the epoch. */
const clock = defineTool({
  id: "clock",
  description: "",
  async execute(input: Record<string, unknown>, { signal }) {
    const began = Date.now();
    await sleep(Number(input.ms ?? 0), signal);
    return { began, ended: Date.now(), pid: process.pid };
  },
});
/** Notes in a file that it was called, and ends when there is a file of the name `until`. */
const logged = defineTool({
  id: "logged",
  description: "",
  idempotent: true,
  async execute({ id, log, until }: { id: string; log: string; until?: string }, { signal }) {
    appendFileSync(log, `${id}\n`);
    while (until !== undefined && !existsSync(until)) await sleep(5, signal);
    if (until === undefined) writeFileSync(`${log}.${id}`, "");
    return { id, pid: process.pid };
  },
});

/** Answers with all that it was given. */
const echo = defineTool({
  id: "echo",
  description: "",
  async execute(input: Record<string, unknown>) {
    if (input.fail) throw new Error(`refused: ${JSON.stringify(input)}`);
    return {
      input,
      lengths: Object.fromEntries(Object.entries(input).map(([key, value]) => [key, String(value).length])),
    };
  },
});

/** Throws an error with all that an error can have, or a text. */
const throwing = defineTool({
  id: "throwing",
  description: "",
  readOnly: true,
  execute(input: { text?: string }) {
    if (input.text !== undefined) throw input.text;
    const inner = Object.assign(new TypeError("inner"), { code: "E_INNER" });
    const cause = new AggregateError([inner], "several");
    throw Object.assign(new RangeError("outer", { cause }), { code: "E_OUTER", status: 503 });
  },
});
const throwsWithin = defineWorkflow({
  id: "throws-within",
  description: "",
  plan: { planned_tasks: [{ task_id: "inner", execution_type: "tool", tool_id: "throwing" }] },
});

const asking = defineWorkflow({
  id: "asking",
  description: "",
  plan: {
    planned_tasks: [
      { task_id: "look", execution_type: "tool", tool_id: "clock" },
      { task_id: "send", execution_type: "tool", tool_id: "work", dependencies: ["look"], approval: "required" },
    ],
  },
});

const stuck = defineWorkflow({
  id: "stuck",
  description: "",
  plan: {
    planned_tasks: [
      { task_id: "look", execution_type: "tool", tool_id: "clock" },
      { task_id: "loop", execution_type: "tool", tool_id: "busy", dependencies: ["look"] },
    ],
  },
});

const pausing = defineWorkflow({
  id: "pausing",
  description: "",
  plan: {
    planned_tasks: [
      { task_id: "look", execution_type: "tool", tool_id: "clock" },
      { task_id: "rest", wait: { for_ms: 3_600_000 }, dependencies: ["look"] },
    ],
  },
});

export const executors = async () => [
  toolExecutor([work, die, hang, deaf, busy, clock, babble, echo, throwing, logged]),
  workflowExecutor([asking, stuck, throwsWithin, pausing]),
];
