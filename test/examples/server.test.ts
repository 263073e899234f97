import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { verifyRun } from "@planloom/runtime";
import { type PlanloomDescription, SqliteJournal } from "planloom";
import type { RunStatusView, RunSummary } from "planloom/runtime";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { repository } from "../support/run-cli.ts";
import { planOf } from "../support/run-plans.ts";

let folder: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-server-"));
});
afterEach(async () => {
  for (const child of children.splice(0))
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** The example's program, listening on a port of its own. */
async function start({ packMs = 300 } = {}) {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(repository, "examples/server/main.ts")],
    {
      env: { ...process.env, PORT: "0", JOURNAL: join(folder, "journal.sqlite"), PACK_MS: String(packMs) },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  children.push(child);
  let complaints = "";
  child.stderr.on("data", (text) => {
    complaints += text;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const described = JSON.parse((await lines.next()).value as string) as PlanloomDescription;
  const { port } = JSON.parse((await lines.next()).value as string) as { port: number };
  const url = `http://127.0.0.1:${port}/runs`;
  const call = async <Body>(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> => {
    const response = await fetch(url + path, { method, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const ended = once(child, "exit").then(([code]) => code as number | null);
  return { child, described, url, call, ended, complaints: () => complaints };
}

interface Reported {
  readonly id: number;
  readonly event: {
    readonly type: string;
    readonly taskId?: string;
    readonly endReason?: string;
    readonly timestamp: number;
  };
}

/** Connects, and reads events until the server ends the stream. */
async function connect(url: string, runId: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/${runId}/events`, { headers });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reported = async (): Promise<Reported[]> => {
    const parts = (await response.text()).split("\n\n").filter((part) => part !== "");
    return parts.map((part) => {
      const [, id, data] = /^id: (\d+)\ndata: (.*)$/s.exec(part) ?? [];
      return { id: Number(id), event: JSON.parse(data!) };
    });
  };
  const all = reported();
  // Where the server is killed, nobody may be reading any more.
  all.catch(() => undefined);
  return { reported: all };
}

async function listen(url: string, runId: string, headers: Record<string, string> = {}): Promise<Reported[]> {
  const { reported } = await connect(url, runId, headers);
  return reported;
}

const pack = (order: string) => ({ tool_id: "orders_pack", arguments: { order } });
const plan = planOf(
  { list: [], one: ["list"], two: ["one"], three: ["two"] },
  { list: { tool_id: "orders_list" }, one: pack("o1"), two: pack("o2"), three: pack("o3") },
);

test("a run is started, watched by two, refused twice, found, and deleted", async () => {
  const { call, url, described, child, ended, complaints } = await start({ packMs: 50 });
  expect(described).toMatchObject({
    journal: { name: join(folder, "journal.sqlite"), durable: true, events: true },
    limits: { concurrency: 16, maxRuns: 50 },
  });
  expect(await call("POST", "", { id: "order-1", tenant: "acme", plan })).toEqual({
    status: 202,
    body: { run_id: "order-1" },
  });
  const [one, two] = await Promise.all([listen(url, "order-1"), listen(url, "order-1", { "last-event-id": "1" })]);
  expect(one.map(({ id }) => id)).toEqual(one.map((_, at) => at));
  expect(one.at(-1)?.event).toMatchObject({ type: "run-end", endReason: "completed" });
  expect(two).toEqual(one.slice(2));
  expect(Math.abs(one[0]!.event.timestamp - Date.now())).toBeLessThan(60_000);

  expect((await call("POST", "", { id: "order-1", tenant: "acme", plan })).status).toBe(409);
  expect(
    (
      await call("POST", "", {
        id: "order-2",
        tenant: "acme",
        plan: { planned_tasks: [{ task_id: "a", depends_on: ["b"] }] },
      })
    ).status,
  ).toBe(400);
  expect((await call("GET", "/nobody")).status).toBe(404);
  expect((await fetch(`${url}/nobody/events`)).status).toBe(404);
  const { body } = await call<RunSummary[]>("GET", "");
  expect(body).toMatchObject([{ run_id: "order-1", status: "completed", completed: 4, metadata: { tenant: "acme" } }]);
  expect((await call("DELETE", "/order-1?purge")).status).toBe(200);
  expect((await call("GET", "/order-1")).status).toBe(404);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(complaints()).toBe("");
});

test("a deploy drains, the next start goes on, and a reader who was interrupted misses nothing", async () => {
  const first = await start({ packMs: 1_500 });
  await first.call("POST", "", { id: "r", tenant: "acme", plan });
  await vi.waitFor(
    async () => {
      const { body } = await first.call<RunStatusView>("GET", "/r");
      expect(body.tasks[1]).toMatchObject({ task_id: "one", status: "running", attempts: 1 });
    },
    { timeout: 10_000 },
  );
  const before = await connect(first.url, "r");
  first.child.kill("SIGTERM");
  // The signal takes a moment to arrive; then nobody is let in any more.
  await vi.waitFor(
    () => expect(fetch(`${first.url}/r`, { headers: { connection: "close" } })).rejects.toThrow(),
    10_000,
  );
  // No new work while it drains.
  const late = await first.call("POST", "", { id: "late", plan }).catch(() => undefined);
  expect(late?.status ?? 503).toBe(503);
  expect(await first.ended).toBe(0);
  const seen = await before.reported;
  expect(seen.at(-1)?.event).toMatchObject({ type: "run-end", endReason: "drained" });

  const file = join(folder, "journal.sqlite");
  const journal = await SqliteJournal.open(file);
  expect((await journal.getRun("r")).status).toBe("drained");
  expect((await journal.getTasks("r")).map(({ task_id, status }) => [task_id, status])).toEqual([
    ["list", "completed"],
    ["one", "completed"],
  ]);
  await journal.close();

  const second = await start({ packMs: 50 });
  const rest = await listen(second.url, "r", { "last-event-id": String(seen.at(-1)!.id) });
  expect(rest.map(({ id }) => id)).toEqual(rest.map((_, at) => seen.at(-1)!.id + 1 + at));
  expect(rest.at(-1)?.event).toMatchObject({ type: "run-end", endReason: "completed" });
  const starts = [...seen, ...rest].filter(({ event }) => event.type === "task-start").map(({ event }) => event.taskId);
  expect(starts).toEqual(["list", "one", "two", "three"]);
  second.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);
  expect(first.complaints() + second.complaints()).toBe("");
});

test("kill -9: the next start goes on; a person's cancel is not undone by one", async () => {
  const first = await start({ packMs: 30_000 });
  for (const id of ["dead", "cancelled"]) await first.call("POST", "", { id, plan });
  await vi.waitFor(async () => {
    for (const id of ["dead", "cancelled"])
      expect((await first.call<RunStatusView>("GET", `/${id}`)).body.counts).toMatchObject({ running: 1 });
  });
  expect((await first.call("DELETE", "/cancelled")).status).toBe(202);
  await vi.waitFor(async () => {
    expect((await first.call<RunStatusView>("GET", "/cancelled")).body).toMatchObject({
      status: "cancelled",
      resumable: false,
    });
  });
  first.child.kill("SIGKILL");
  await first.ended;

  const second = await start({ packMs: 20 });
  await vi.waitFor(async () => {
    expect((await second.call<RunStatusView>("GET", "/dead")).body.status).toBe("completed");
  }, 60_000);
  expect((await second.call<RunStatusView>("GET", "/cancelled")).body.status).toBe("cancelled");
  second.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);
});

test("a gate is answered over HTTP, and the run goes on", async () => {
  const { call, url, child, ended } = await start({ packMs: 10 });
  const gated = {
    ...plan,
    planned_tasks: plan.planned_tasks.map((task) =>
      task.task_id === "two" ? { ...task, approval: "required" } : task,
    ),
  };
  await call("POST", "", { id: "g", plan: gated });
  const watching = listen(url, "g");
  await vi.waitFor(async () => {
    const { body } = await call<RunStatusView>("GET", "/g");
    expect(body.status).toBe("waiting_approval");
    expect(body.waiting).toMatchObject([{ id: "two", uid: "orders_pack", input: { order: "o2" } }]);
  });
  expect((await call("POST", "/g/answers", { call: "two", yes: true, by: "Ada" })).status).toBe(200);
  const types = (await watching).map(({ event }) => event.type);
  expect(types.filter((type) => type === "run-end")).toHaveLength(2);
  expect(types).toContain("task-approve");
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

test("a backup that was taken while runs go on is a journal: what it holds checks out and goes on", async () => {
  const { call, child, ended } = await start({ packMs: 500 });
  for (let run = 0; run < 8; run++) await call("POST", "", { id: `r${run}`, plan });
  const live = await SqliteJournal.open(join(folder, "journal.sqlite"));
  const copied = join(folder, "backups", "copy.sqlite");
  await live.backup(copied);
  await expect(live.backup(copied)).rejects.toMatchObject({ code: "RUNTIME_JOURNAL_WRITE" });
  expect((await stat(copied)).mode & 0o777).toBe(0o600);
  await vi.waitFor(async () => {
    const { body } = await call<RunSummary[]>("GET", "");
    expect(body.map(({ status }) => status)).toEqual(body.map(() => "completed"));
  }, 60_000);
  await live.close();
  child.kill("SIGTERM");
  expect(await ended).toBe(0);

  const copy = await SqliteJournal.open(copied);
  const runs = await copy.listRuns();
  expect(runs).toHaveLength(8);
  // Their process has gone since.
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["interrupted"]));
  for (const { run_id } of runs) expect((await verifyRun(copy, run_id)).problems).toEqual([]);
  await copy.close();
  await rm(join(folder, "journal.sqlite"));
  await rm(join(folder, "journal.sqlite-wal"), { force: true });
  await rm(join(folder, "journal.sqlite-shm"), { force: true });
  const restored = await SqliteJournal.open(copied);
  await restored.backup(join(folder, "journal.sqlite"));
  await restored.close();
  const second = await start({ packMs: 5 });
  await vi.waitFor(async () => {
    const { body } = await second.call<RunSummary[]>("GET", "");
    expect(body.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => "completed"));
  }, 60_000);
  second.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);
});

test("every part of the program that docs/server.md shows is the program that runs here", async () => {
  const [page, main] = await Promise.all([
    readFile(join(repository, "docs/server.md"), "utf8"),
    readFile(join(repository, "examples/server/main.ts"), "utf8"),
  ]);
  const regions = [...main.matchAll(/\/\/ #region (\w+)\n([\s\S]*?)\n\/\/ #endregion/g)];
  expect(regions.map(([, name]) => name)).toEqual([
    "instance",
    "start",
    "events",
    "answer",
    "routes",
    "restart",
    "stop",
  ]);
  for (const [, name, code] of regions) {
    if (name !== "routes") expect(page, name).toContain(`\`\`\`ts\n${code}\n\`\`\``);
  }
});
