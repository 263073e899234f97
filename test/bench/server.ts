/**
 * What the server of `@planloom/server` holds: requests to the embedded controller, listeners to one run, runs over a kill, a body that is too large.
 * `node server.ts [phase1|listeners|kill|body]…`; the server is a process of its own, the clients are this one.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

interface Child extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly url: string;
  readonly port: number;
  readonly resumed: number;
}

async function start(journal: string, taskMs: number): Promise<Child> {
  const file = join(import.meta.dirname, "server-process.ts");
  const child = spawn(
    process.execPath,
    [...(process.env.PROF ? ["--cpu-prof", "--cpu-prof-dir=/tmp/prof"] : []), file, journal, String(taskMs)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const about = JSON.parse(line) as { url: string; port: number; resumed: number };
  return {
    process: child,
    ...about,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire has no type; what is looked at is asserted
type Loose = any;

/** One request, answered as JSON. */
async function call(
  child: Child,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Loose }> {
  const sent = request(child.url + path, { method, agent, headers: { "content-type": "application/json" } });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode!, body: JSON.parse(await text(response)) };
}

const percentile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
const median = (values: readonly number[]) =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

const goals = [
  "Book the room Oslo for 2026-12-01T10:00:00Z",
  "Get the weather forecast of Berlin",
  "Get the weather forecast of Paris for 3 days",
  "Send an e-mail to ada@example.com that says the room is booked",
];

/** Requests at an even rate, whether or not earlier ones were answered: a slow server gets no rest. */
async function phase1(child: Child, perSecond: number, seconds: number): Promise<void> {
  const ask = (number: number) =>
    call(child, "POST", "/process-phase-1-task", {
      search_id: `s${number}`,
      phase_1_data: { task_input_data: goals[number % goals.length], n_history_samples: 0, llm_data: {} },
    });
  for (let number = 0; number < 200; number++) await ask(number);
  const times: number[] = [];
  const failed: number[] = [];
  const total = perSecond * seconds;
  const began = performance.now();
  const asked: Promise<void>[] = [];
  for (let number = 0; number < total; number++) {
    const due = began + (number * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    asked.push(
      ask(number).then(({ status }) => {
        times.push(performance.now() - due);
        if (status !== 200) failed.push(status);
      }),
    );
  }
  await Promise.all(asked);
  const rate = total / ((performance.now() - began) / 1_000);
  times.sort((a, b) => a - b);
  const [p50, p99, most] = [percentile(times, 0.5), percentile(times, 0.99), times.at(-1)!].map((ms) => ms.toFixed(1));
  console.log(
    `phase 1: ${total} requests, ${rate.toFixed(0)} a second, p50 ${p50} ms, p99 ${p99} ms, most ${most} ms, ${failed.length} failed`,
  );
}

/** Opens streams of one run and reads them to their ends; each must have every event in order. */
async function listen(child: Child, runId: string, count: number): Promise<() => Promise<number[]>> {
  const listeners = await Promise.all(
    Array.from({ length: count }, async () => {
      const sent = request(`${child.url}/runs/${runId}/events`, { agent: false });
      sent.end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      assert.equal(response.statusCode, 200);
      return { response, ended: eventsIn(response) };
    }),
  );
  return () => Promise.all(listeners.map(({ ended }) => ended));
}

/** How many events came; throws where one is missing or out of order. */
async function eventsIn(response: IncomingMessage): Promise<number> {
  response.setEncoding("latin1");
  let rest = "";
  let next = 0;
  for await (const chunk of response) {
    rest += chunk;
    let from = rest.indexOf("id: ");
    for (;;) {
      const end = from === -1 ? -1 : rest.indexOf("\n", from);
      if (end === -1) {
        // The chunk ends within a number: what was counted is not read again.
        if (from !== -1) rest = rest.slice(from);
        break;
      }
      assert.equal(Number(rest.slice(from + 4, end)), next);
      next += 1;
      from = rest.indexOf("\nid: ", end);
      if (from === -1) {
        rest = rest.slice(end);
        break;
      }
      from += 1;
    }
  }
  return next;
}

const stepPlan = (tasks: number, task_id: string, after = 0) => ({
  task_id,
  planned_tasks: Array.from({ length: tasks }, (_, number) => ({
    task_id: `t${number}`,
    execution_type: "tool",
    tool_id: "step",
    arguments: { number },
    ...(after > 0 && number >= after && { dependencies: [`t${number - after}`] }),
  })),
});

/** The time of one run from the moment at which its listeners are connected, by its own records. */
async function runTime(child: Child, runId: string, tasks: number, listeners: number): Promise<Measured> {
  const plan = stepPlan(tasks, runId, 8);
  const held = plan.planned_tasks.map((task, number) => (number < 8 ? { ...task, dependencies: ["hold"] } : task));
  const hold = { task_id: "hold", execution_type: "tool", tool_id: "hold" };
  await call(child, "POST", "/runs", { plan: { ...plan, planned_tasks: [hold, ...held] }, run_id: runId });
  const ended = await listen(child, runId, listeners);
  await sleep(500);
  const before = await processorMs(child.process.pid!);
  child.process.kill("SIGUSR2");
  const counts = await ended();
  const processor = (await processorMs(child.process.pid!)) - before;
  assert.ok(
    counts.every((count) => count === counts[0] && count >= 2 * tasks + 4),
    `${counts.slice(0, 5)}`,
  );
  const { body } = await call(child, "GET", `/runs/${runId}`);
  assert.equal(body.status, "completed");
  const { started_at, duration_ms } = body.tasks[0];
  return { ms: Math.round(Date.parse(body.updated_at) - (started_at + duration_ms)), processor };
}

interface Measured {
  readonly ms: number;
  /** Of the server, in milliseconds. */
  readonly processor: number;
}

/** Processor time of a process in milliseconds, where the system says it; other processes do not change it, as they do the time of a run. */
async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function listeners(child: Child, pairs: number): Promise<void> {
  const tasks = 800;
  const [alone, watched]: [Measured[], Measured[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    alone.push(await runTime(child, `alone-${pair}`, tasks, 1));
    watched.push(await runTime(child, `watched-${pair}`, tasks, 1_000));
  }
  const of = (measured: readonly Measured[], what: keyof Measured) => measured.map((each) => each[what]);
  const [before, after] = [median(of(alone, "ms")), median(of(watched, "ms"))];
  console.log(
    `listeners: a run of ${tasks} tasks takes ${before} ms with 1, ${after} ms with 1,000 (${((after / before - 1) * 100).toFixed(1)} %); each had every event in order; alone ${of(alone, "ms")}, watched ${of(watched, "ms")}`,
  );
  console.log(
    `listeners: processor time of the server ${median(of(alone, "processor"))} ms with 1, ${median(of(watched, "processor"))} ms with 1,000`,
  );
}

async function kill(journal: string): Promise<void> {
  const count = 500;
  const child = await start(journal, 2_000);
  const began = performance.now();
  const ids = await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const { status, body } = await call(child, "POST", "/runs", {
        plan: stepPlan(3, `k${number}`, 1),
        run_id: `k${number}`,
      });
      assert.equal(status, 202, JSON.stringify(body));
      return body.run_id as string;
    }),
  );
  const acceptedMs = performance.now() - began;
  child.process.kill("SIGKILL");
  await once(child.process, "exit");
  await using next = await start(journal, 1);
  const deadline = performance.now() + 120_000;
  for (;;) {
    const left = (await call(next, "GET", "/runs?limit=1000&status=running,interrupted")).body.runs.length;
    if (left === 0 || performance.now() > deadline) break;
    await sleep(250);
  }
  const completed = (await call(next, "GET", "/runs?limit=1000&status=completed")).body.runs.map(
    (run: { run_id: string }) => run.run_id,
  );
  const ended = new Set(completed);
  const lost = ids.filter((id) => !ended.has(id));
  console.log(
    `kill: ${count} runs accepted in ${acceptedMs.toFixed(0)} ms, killed with SIGKILL, ${next.resumed} taken up, ${completed.length} completed, ${lost.length} lost`,
  );
  assert.equal(lost.length, 0);
}

async function body(child: Child): Promise<void> {
  const bytes = 50 * 1024 * 1024;
  const began = performance.now();
  const socket = connect(child.port);
  let sent = 0;
  const piece = Buffer.alloc(64 * 1024, 0x20);
  socket.on("error", () => {});
  socket.write(
    `POST /runs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`,
  );
  const pump = () => {
    while (sent < bytes && socket.writable && socket.write(piece)) sent += piece.length;
  };
  socket.on("drain", pump);
  pump();
  const answer = await text(socket).catch(() => "");
  console.log(
    `body: 50 MB is answered with ${answer.slice(9, 12) || "nothing"} and the connection closed after ${(performance.now() - began).toFixed(0)} ms and ${(sent / 1024 / 1024).toFixed(1)} MB`,
  );
}

const wanted = process.argv.slice(2);
const does = (name: string) => wanted.length === 0 || wanted.includes(name);
console.log(
  `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}; load ${loadavg()
    .map((each) => each.toFixed(1))
    .join(" ")}`,
);
const folder = await mkdtemp(join(tmpdir(), "planloom-bench-"));
try {
  {
    await using child = await start(join(folder, "a.sqlite"), 25);
    if (does("phase1")) await phase1(child, 200, 20);
    if (does("listeners")) await listeners(child, 5);
    if (does("body")) await body(child);
  }
  if (does("kill")) await kill(join(folder, "b.sqlite"));
} finally {
  agent.destroy();
  await rm(folder, { recursive: true });
}
