import { defineTool, memoryJournal, Planloom } from "planloom";
import { expect, test } from "vitest";
import { startServer, untilStatus } from "./support.ts";

interface Line {
  readonly level: "info" | "warn" | "error";
  readonly about: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A log that keeps what is written. */
function keptLog() {
  const lines: Line[] = [];
  const write = (level: Line["level"]) => (about: object, message: string) => {
    lines.push({ level, about: about as Line["about"], message });
  };
  return { lines, log: { info: write("info"), warn: write("warn"), error: write("error") } };
}

test("a start is logged, and a failure that a caller does not see, under the id that the answer has", async () => {
  const { lines, log } = keptLog();
  await using server = await startServer({ log });
  expect(lines).toEqual([{ level: "info", about: { url: server.url, resumed: 0 }, message: "listening" }]);
  server.planloom.journal = () => Promise.reject(new Error("the disk /srv/secret is gone"));
  const { status, headers, body } = await server.call("GET", "/runs");
  expect([status, body.error.code]).toEqual([500, "SERVER_INTERNAL"]);
  expect(JSON.stringify(body)).not.toContain("/srv/secret");
  const request_id = headers.get("x-request-id");
  expect(body.error.details).toEqual({ request_id });
  expect(lines[1]).toMatchObject({ level: "error", about: { request_id, path: "/runs" }, message: "a request failed" });
  expect((lines[1]!.about.err as Error).message).toContain("the disk /srv/secret is gone");
});

test("what a caller can mend is not an error of the server", async () => {
  const { lines, log } = keptLog();
  await using server = await startServer({ log });
  await server.call("GET", "/runs/none");
  await server.call("POST", "/runs", "{");
  expect(lines.filter(({ level }) => level !== "info")).toEqual([]);
});

test("a run that cannot be resumed at the start is a warning with its id", async () => {
  const journal = memoryJournal({ events: true });
  const hangs = defineTool({
    id: "hangs",
    description: "Hangs",
    readOnly: true,
    execute: (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
  });
  const before = new Planloom({ tools: [hangs], journal, secrets: { KEY: "not-a-word" } });
  const started = Promise.withResolvers<void>();
  const plan = { planned_tasks: [{ task_id: "a", tool_id: "hangs", arguments: { key: { $secret: "KEY" } } }] };
  const onEvent = ({ type }: { type: string }) => type === "task-start" && started.resolve();
  const run = before.run(plan, { runId: "left", metadata: { via: "server" }, onEvent });
  await started.promise;
  await before.close();
  await run.catch(() => {});
  // The next process was not given the secret.
  const { lines, log } = keptLog();
  await using server = await startServer({ log }, { tools: [hangs], journal });
  await expect.poll(() => lines.find(({ level }) => level === "warn")).toMatchObject({ about: { run_id: "left" } });
  expect(server.running.resumed).toBe(1);
});

test("the logger of the instance is the server's, where the server has none of its own", async () => {
  const { lines, log } = keptLog();
  const logger = { ...log, debug() {} };
  await using server = await startServer({}, { logger });
  await server.call("POST", "/runs", { goal: "Get the weather of Berlin", run_id: "logged" });
  await untilStatus(server, "logged", "completed");
  expect(lines[0]).toMatchObject({ level: "info", message: "listening", about: { url: server.url } });
  expect(lines.some(({ about }) => Object.values(about).includes("logged"))).toBe(true);
  // One that the server has goes before it.
  const own = keptLog();
  await using other = await startServer({ log: own.log }, { logger });
  expect(own.lines).toMatchObject([{ message: "listening", about: { url: other.url } }]);
});
