import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { approve, cancelRun, deny, Planloom, type RuntimeError, SqliteJournal } from "planloom";
import { resumableStatuses } from "planloom/runtime";
import { tools } from "./tools.ts";

// #region instance
const journal = await SqliteJournal.open(process.env.JOURNAL ?? "journal.sqlite", { events: true });
const planloom = new Planloom({
  tools,
  journal,
  concurrency: 16,
  maxRuns: 50,
  maxQueuedRuns: 500,
  eachTenant: { concurrency: 4 },
});
console.log(JSON.stringify(planloom.describe()));
// #endregion

// #region start
/** Starts a run and answers at once; its end is seen in its status or its events. */
async function start(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, tenant, plan } = JSON.parse(await bodyOf(request));
  const started = Promise.withResolvers<void>();
  const running = planloom.run(plan, { runId: id, tenant, metadata: { tenant }, onEvent: () => started.resolve() });
  // A plan that is not valid, an id that is taken and a full queue reject before the first event.
  await Promise.race([started.promise, running]);
  running.catch((error) => console.error("run", id, error));
  reply(response, 202, { run_id: id });
}
// #endregion

// #region events
/** Server-sent events. The browser says after an interruption which event it had last, and continues there. */
async function events(runId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.on("close", () => left.abort());
  const last = request.headers["last-event-id"];
  const after = typeof last === "string" ? Number(last) : -1;
  const subscription = planloom.subscribe(runId, { after, follow: true, signal: left.signal });
  // The first one says whether there is such a run at all.
  const first = await subscription.next();
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  if (!first.done) write(response, first.value);
  for await (const event of subscription) write(response, event);
  response.end();
}

function write(response: ServerResponse, event: object): void {
  const id = "seq" in event ? `id: ${event.seq}\n` : "";
  response.write(`${id}data: ${JSON.stringify(event)}\n\n`);
}
// #endregion

// #region answer
async function answer(runId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { call, yes, by } = JSON.parse(await bodyOf(request));
  const decide = yes === true ? approve : deny;
  await decide(runId, call, { journal, by });
  // A run in progress gets it by itself; one that ended waiting is resumed.
  const { status } = await planloom.runStatus(runId);
  if (status === "waiting_approval") goOn(runId);
  reply(response, 200, { run_id: runId });
}

function goOn(runId: string): void {
  planloom.resume(runId).catch((error) => console.error("resume", runId, error));
}
// #endregion

// #region routes
const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  const [, collection, runId, what] = pathname.split("/").map(decodeURIComponent);
  const route = `${request.method} ${runId === undefined ? "all" : (what ?? "one")}`;
  try {
    if (collection !== "runs") reply(response, 404, { message: `There is nothing at ${pathname}.` });
    else if (route === "POST all") await start(request, response);
    else if (route === "GET all") reply(response, 200, await journal.listRuns({ limit: 100 }));
    else if (route === "GET one") reply(response, 200, await planloom.runStatus(runId!));
    else if (route === "GET events") await events(runId!, request, response);
    else if (route === "POST answers") await answer(runId!, request, response);
    else if (route === "DELETE one" && searchParams.has("purge")) reply(response, 200, await journal.deleteRun(runId!));
    else if (route === "DELETE one") reply(response, 202, await cancelRun(runId!, { journal }));
    else reply(response, 405, { message: `${request.method} is not possible here.` });
  } catch (error) {
    const { code, message } = error as RuntimeError;
    if (!response.headersSent) reply(response, httpStatus[code] ?? 500, { code, message });
    else response.destroy();
  }
});

const httpStatus: Readonly<Record<string, number>> = {
  PLANLOOM_INVALID_PLAN: 400,
  PLANLOOM_CLOSED: 503,
  RUNTIME_INVALID_OPTION: 400,
  RUNTIME_RUN_NOT_FOUND: 404,
  RUNTIME_RUN_EXISTS: 409,
  RUNTIME_RUN_LEASED: 409,
  RUNTIME_NOT_RUNNING: 409,
  RUNTIME_NOT_WAITING: 409,
  RUNTIME_QUEUE_FULL: 429,
};
// #endregion

// #region restart
/** At the start: what the last process left is gone on with. Two servers on one journal may both try; one of them has the run. */
for (const { run_id } of await journal.listRuns({ status: resumableStatuses, limit: Infinity })) goOn(run_id);
// #endregion

// #region stop
process.once("SIGTERM", async () => {
  // No new requests; those that stream would keep the server from closing.
  server.close();
  // Running calls have 20 s to end; then they are aborted. Both are taken up at the next start.
  await planloom.close({ drainMs: 20_000 });
  await journal.close();
  // Closing ended all subscriptions, and with them the streams; clients that do not hang up are disconnected.
  setTimeout(() => server.closeAllConnections(), 2_000).unref();
});
// #endregion

server.listen(Number(process.env.PORT ?? 8080), () => console.log(JSON.stringify(server.address())));

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
