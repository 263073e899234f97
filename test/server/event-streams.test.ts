import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@planloom/server";
import { createClient } from "@planloom/server/client";
import { Planloom, SqliteJournal } from "planloom";
import { expect, test } from "vitest";
import { eventsAt, slowTool, startServer, untilStatus, weather } from "./support.ts";

const waitsForPayment = {
  planned_tasks: [
    { task_id: "paid", wait: { event: "payment" } },
    { task_id: "look", tool_id: "get_weather", arguments: { city: "${paid.city}" } },
  ],
};

test("who comes back to a run that waits does not hear that it has ended, also where the last listener leaves just then", async () => {
  await using server = await startServer({}, { tools: [weather] });
  await server.call("POST", "/runs", { plan: waitsForPayment, run_id: "waits" });
  await untilStatus(server, "waits", "waiting");
  const url = `${server.url}/runs/waits/events`;
  const seen = await eventsAt(url, { take: 3 });
  const last = seen.at(-1)!.id!;
  const leave = new AbortController();
  const first = await fetch(url, { signal: leave.signal });
  await first.body!.getReader().read();
  const back = fetch(url, { headers: { "last-event-id": last } });
  // Real time: the answer to the second waits for up to 200 ms for the word that the run is over, and the first leaves meanwhile.
  await sleep(50);
  leave.abort();
  const second = await back;
  expect(second.status).toBe(200);
  await server.call("POST", "/runs/waits/signals", { event: "payment", data: { city: "Oslo" } });
  const text = await second.text();
  expect(text).toContain('"endReason":"completed"');
  expect(text).toContain("event: end");
});

test("a server that stops ends its streams without saying that the run has ended, and a client goes on with the next server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "planloom-streams-"));
  try {
    const file = join(folder, "journal.sqlite");
    const plan = { planned_tasks: [{ task_id: "a", tool_id: "wait" }] };
    const start = async (tool: ReturnType<typeof slowTool>, port: number) => {
      const journal = await SqliteJournal.open(file, { events: true });
      const running = await serve(new Planloom({ tools: [tool], journal }), { port });
      return { ...running, close: () => running.close().then(() => journal.close()) };
    };
    const first = await start(slowTool(), 0);
    const client = createClient({ url: first.url });
    await client.createRun({ plan, run_id: "long" });
    const raw = await fetch(`${first.url}/runs/long/events`);
    const types: string[] = [];
    const watched = (async () => {
      for await (const { type } of client.runEvents("long")) types.push(type);
    })();
    await expect.poll(() => types).toContain("task-start");
    await first.close();
    expect(await raw.text()).not.toContain("event: end");
    const second = await start(slowTool(1), first.port);
    await watched;
    await second.close();
    expect(types.filter((type) => type === "run-end")).toHaveLength(2);
    expect(types.at(-1)).toBe("run-end");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("of more clients than it serves the server refuses those beyond, and serves again when one has left", async () => {
  await using server = await startServer({ maxListeners: 2 }, { tools: [weather] });
  await server.call("POST", "/runs", { plan: waitsForPayment, run_id: "waits" });
  const url = `${server.url}/runs/waits/events`;
  const leave = new AbortController();
  await Promise.all([fetch(url, { signal: leave.signal }), fetch(url, { signal: leave.signal })]);
  const refused = await server.call("GET", "/runs/waits/events");
  expect([refused.status, refused.headers.get("retry-after"), refused.body.error.code]).toEqual([
    503,
    "5",
    "SERVER_TOO_MANY_LISTENERS",
  ]);
  leave.abort();
  const again = async () => {
    const stop = new AbortController();
    const { status } = await fetch(url, { signal: stop.signal });
    stop.abort();
    return status;
  };
  await expect.poll(again).toBe(200);
});

test("a request for the head of a stream holds none open", async () => {
  await using server = await startServer({}, { tools: [weather] });
  await server.call("POST", "/runs", { plan: waitsForPayment, run_id: "waits" });
  const { status, headers } = await fetch(`${server.url}/runs/waits/events`, { method: "HEAD" });
  expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect((await fetch(`${server.url}/runs/nowhere`, { method: "HEAD" })).status).toBe(404);
  expect((await server.call("GET", "/metrics")).body).toContain("\nplanloom_event_listeners 0\n");
});
