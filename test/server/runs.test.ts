import { defineTool, EmbeddedController, memoryJournal, Planloom } from "planloom";
import { expect, test, vi } from "vitest";
import { eventsAt, type Loose, slowTool, startServer, untilStatus, weather } from "./support.ts";

const mailPlan = {
  task_id: "mail",
  title: "Mail to Ada",
  planned_tasks: [
    { task_id: "m", execution_type: "tool", tool_id: "send_mail", arguments: { to: "ada", text: "Hello" } },
  ],
};
const weatherTask = {
  task_id: "a",
  execution_type: "tool" as const,
  tool_id: "get_weather",
  arguments: { city: "Bonn" },
};
const waitPlan = { task_id: "w", planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "wait" }] };

test("a goal is run, watched and looked at", async () => {
  await using server = await startServer();
  const { status, body } = await server.call("POST", "/runs", { goal: "Get the weather of Berlin" });
  expect([status, body.status]).toEqual([202, "running"]);
  const events = await eventsAt(`${server.url}/runs/${body.run_id}/events`);
  expect(events.map(({ data, event }) => event ?? data.type)).toEqual([
    "run-start",
    "task-start",
    "task-end",
    "run-end",
    "end",
  ]);
  expect(events.slice(0, 4).map(({ id }) => Number(id))).toEqual([0, 1, 2, 3]);
  const run = (await server.call("GET", `/runs/${body.run_id}`)).body;
  expect(run).toMatchObject({ status: "completed", counts: { completed: 1 }, metadata: { via: "server" } });
  const task = await server.call("GET", `/runs/${body.run_id}/tasks/${run.tasks[0].task_id}`);
  expect(task.body.record).toMatchObject({ input: { city: "Berlin" }, output: { city: "Berlin", degrees: 21 } });
  const { plan, revisions } = (await server.call("GET", `/runs/${body.run_id}/plan`)).body;
  expect([plan.planned_tasks.length, revisions]).toEqual([1, []]);
});

test("an answer that a run has not gone on with is shown with its call, and nobody is asked again", async () => {
  await using server = await startServer();
  // Not begun by the server, so it does not go on by itself.
  const call = { tool_id: "send_mail", arguments: { to: "ada", text: "Hello" } };
  const both = {
    planned_tasks: [
      { task_id: "m", ...call },
      { task_id: "n", ...call },
    ],
  };
  await server.planloom.run(both, { runId: "theirs", confirm: "writes" });
  const [m, n] = (await server.call("GET", "/runs/theirs")).body.waiting;
  expect((await server.call("GET", "/runs/theirs")).body.resumable).toBe(false);
  const answer = { id: "m", content_hash: m.content_hash, answer: "deny", by: "ada" };
  expect((await server.call("POST", "/runs/theirs/approvals", answer)).body.resumed).toBe(false);
  const { resumable, waiting } = (await server.call("GET", "/runs/theirs")).body;
  expect(resumable).toBe(true);
  expect(waiting).toMatchObject([{ id: "m", answer: { answer: "deny", by: "ada" } }, { id: "n" }]);
  expect(waiting[1].answer).toBeUndefined();
  const asked = (await server.call("GET", "/approvals")).body.waiting;
  expect(asked.map(({ calls }: Loose) => calls.map(({ id }: Loose) => id))).toEqual([["n"]]);
  await server.call("POST", "/runs/theirs/approvals", { ...answer, id: "n", content_hash: n.content_hash });
  expect((await server.call("GET", "/approvals")).body.waiting).toEqual([]);
  expect((await server.call("POST", "/runs/theirs/resume")).status).toBe(202);
  expect((await untilStatus(server, "theirs", "denied")).waiting).toEqual([]);
});

test("runs and plans without a title are called by their goal, else by the plan's id, in lists too", async () => {
  await using server = await startServer();
  const goal = { original_job_data: { job_goal: "Weather of Bonn" } };
  await server.call("POST", "/runs", { plan: { task_id: "p1", planned_tasks: [weatherTask] }, run_id: "r1" });
  await server.call("POST", "/runs", { plan: { task_id: "p2", ...goal, planned_tasks: [weatherTask] }, run_id: "r2" });
  await server.call("POST", "/plans", { plan: { task_id: "p3", planned_tasks: [weatherTask] } });
  expect((await untilStatus(server, "r1", "completed")).title).toBe("p1");
  expect((await untilStatus(server, "r2", "completed")).title).toBe("Weather of Bonn");
  const titles = (rows: { title: string }[]) => rows.map(({ title }) => title).sort();
  expect(titles((await server.call("GET", "/runs")).body.runs)).toEqual(["Weather of Bonn", "p1"]);
  expect(titles((await server.call("GET", "/runs?q=bonn")).body.runs)).toEqual(["Weather of Bonn"]);
  expect(titles((await server.call("GET", "/plans")).body.plans)).toEqual(["p3"]);
});

test("a plan that is posted with the id of a saved one is refused, and PUT changes it", async () => {
  await using server = await startServer();
  const plan = { task_id: "p1", title: "First", planned_tasks: [weatherTask] };
  expect((await server.call("POST", "/plans", { plan })).status).toBe(201);
  const again = await server.call("POST", "/plans", { plan: { ...plan, title: "Second" } });
  expect(again).toMatchObject({ status: 409, body: { error: { code: "PLANLOOM_PLAN_CONFLICT" } } });
  expect((await server.call("GET", "/plans/p1")).body.plan.title).toBe("First");
  expect((await server.call("PUT", "/plans/p1", { plan: { ...plan, title: "Second" } })).status).toBe(200);
  expect((await server.call("GET", "/plans/p1")).body.plan.title).toBe("Second");
});

test("a run has the id, the metadata and the variables that the request gives", async () => {
  await using server = await startServer();
  const plan = {
    planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "get_weather", arguments: { city: "${city}" } }],
    variables: { city: null },
  };
  const given = { plan, run_id: "order-1", metadata: { order: 1 }, variables: { city: "Bonn" } };
  expect((await server.call("POST", "/runs", given)).body).toEqual({ run_id: "order-1", status: "running" });
  const run = await untilStatus(server, "order-1", "completed");
  expect(run.metadata).toEqual({ order: 1, via: "server" });
  expect((await server.call("GET", "/runs/order-1/tasks/a")).body.record.output).toEqual({ city: "Bonn", degrees: 21 });
  expect(await server.call("POST", "/runs", given)).toMatchObject({
    status: 409,
    body: { error: { code: "RUNTIME_RUN_EXISTS" } },
  });
});

test("a run has the priority, weight and deadline that the request gives, and so has a fork", async () => {
  await using server = await startServer();
  const claim = { priority: 2, weight: 1.5, deadline: "2099-01-01T00:00:00+01:00" };
  await server.call("POST", "/runs", { plan: { planned_tasks: [weatherTask] }, run_id: "first", ...claim });
  await untilStatus(server, "first", "completed");
  const forked = { from_task: "a", run_id: "second", priority: 0 };
  expect((await server.call("POST", "/runs/first/forks", forked)).status).toBe(202);
  await untilStatus(server, "second", "completed");
  const journal = await server.planloom.journal();
  const kept = { ...claim, deadline: "2098-12-31T23:00:00.000Z" };
  expect((await journal.getRun("first")).options).toMatchObject(kept);
  expect((await journal.getRun("second")).options).toMatchObject({ ...kept, priority: 0 });
  for (const wrong of [{ weight: 0 }, { priority: "high" }, { deadline: "tomorrow" }]) {
    const { status } = await server.call("POST", "/runs", { plan: { planned_tasks: [weatherTask] }, ...wrong });
    expect(status).toBe(400);
  }
});

test("runs are listed by status, time, text and metadata, page by page", async () => {
  await using server = await startServer({}, {});
  for (const order of [1, 2, 3]) {
    const plan = { ...mailPlan, title: `Order ${order}`, planned_tasks: [] };
    await server.call("POST", "/runs", {
      plan: { ...plan, planned_tasks: mailPlan.planned_tasks },
      confirm: "never",
      run_id: `r${order}`,
      metadata: { order },
    });
    await untilStatus(server, `r${order}`, "completed");
  }
  const ids = async (query: string) => {
    const { body } = await server.call("GET", `/runs?${query}`);
    return [body.runs.map(({ run_id }: { run_id: string }) => run_id), body.next_cursor];
  };
  expect(await ids("")).toEqual([["r3", "r2", "r1"], undefined]);
  const [first, cursor] = await ids("limit=2");
  expect(first).toEqual(["r3", "r2"]);
  expect(await ids(`limit=2&cursor=${encodeURIComponent(cursor)}`)).toEqual([["r1"], undefined]);
  expect(await ids("q=order%202")).toEqual([["r2"], undefined]);
  expect(await ids(`metadata=${encodeURIComponent('{"order":3}')}`)).toEqual([["r3"], undefined]);
  expect(await ids("status=failed,running")).toEqual([[], undefined]);
  expect(await ids("created_before=2020-01-01")).toEqual([[], undefined]);
  const { run_id: ofTenant } = await server.planloom.run(
    { planned_tasks: [weatherTask] },
    { tenant: "acme", confirm: "never" },
  );
  expect(await ids("tenant=acme")).toEqual([[ofTenant], undefined]);
  expect(await ids("tenant=other")).toEqual([[], undefined]);
  // A condition that is left out would hold for every run.
  for (const [query, path] of [
    ["status=completed&status=failed", "status"],
    [`metadata=${encodeURIComponent('{"__proto__":3}')}`, "metadata"],
  ]) {
    expect((await server.call("GET", `/runs?${query}`)).body.error).toMatchObject({
      code: "SERVER_INVALID_REQUEST",
      details: { issues: [{ in: "query", path }] },
    });
  }
});

test("a call that waits is answered once, by its hash, and the run goes on", async () => {
  await using server = await startServer();
  const { run_id } = (await server.call("POST", "/runs", { plan: mailPlan, confirm: "writes" })).body;
  const run = await untilStatus(server, run_id, "waiting_approval");
  const [call] = run.waiting;
  expect(call).toMatchObject({ id: "m", uid: "send_mail", input: { to: "ada", text: "Hello" } });
  const { waiting } = (await server.call("GET", "/approvals")).body;
  expect(waiting).toMatchObject([{ run: { run_id, title: "Mail to Ada" }, calls: [{ id: "m" }] }]);
  const answer = { id: "m", answer: "approve", content_hash: call.content_hash };
  const stale = await server.call("POST", `/runs/${run_id}/approvals`, { ...answer, content_hash: "0".repeat(64) });
  expect([stale.status, stale.body.error.code]).toEqual([409, "RUNTIME_QUESTION_CHANGED"]);
  expect(stale.body.error.details).toMatchObject({ task_id: "m", actual: call.content_hash });
  const given = await server.call("POST", `/runs/${run_id}/approvals`, { ...answer, by: "Eve", note: "fine" });
  expect(given).toMatchObject({ status: 200, body: { run_id, resumed: true, answer: { by: "Eve", note: "fine" } } });
  await untilStatus(server, run_id, "completed");
  const late = await server.call("POST", `/runs/${run_id}/approvals`, answer);
  expect([late.status, late.body.error.code]).toEqual([409, "RUNTIME_NOT_WAITING"]);
});

test("a run waits for a signal and for a time, and the server wakes it", async () => {
  await using server = await startServer({ tokens: [{ name: "bank", token: "bank-0123456789abcdef" }] });
  const headers = { authorization: "Bearer bank-0123456789abcdef" };
  const plan = {
    planned_tasks: [
      { task_id: "paid", wait: { event: "paid", key: "7", schema: { type: "object" } } },
      { task_id: "pause", wait: { for_ms: 100 }, dependencies: ["paid"] },
    ],
  };
  expect((await server.call("POST", "/runs", { plan, run_id: "r" }, headers)).status).toBe(202);
  const status = async () => (await server.call("GET", "/runs/r", undefined, headers)).body.status;
  await expect.poll(status).toBe("waiting");
  const send = (data: unknown, key: string) =>
    server.call("POST", "/runs/r/signals", { event: "paid", key: "7", data }, { ...headers, "idempotency-key": key });
  expect((await send("yes", "k0")).body.error.code).toBe("RUNTIME_INVALID_SIGNAL");
  const sent = await send({ amount: 3 }, "k1");
  expect(sent).toMatchObject({ status: 200, body: { event: "paid", duplicate: false, awaited: true } });
  expect((await send({ amount: 3 }, "k1")).body).toEqual(sent.body);
  await expect.poll(status, { timeout: 10_000 }).toBe("completed");
  const { body } = await server.call("GET", "/runs/r/tasks/paid", undefined, headers);
  expect(body.record.output).toEqual({ amount: 3 });
});

test("a fork through the server is the server's, also of a run that the command line began; runs are found by schedule", async () => {
  await using server = await startServer();
  const plan = { planned_tasks: [{ task_id: "a", tool_id: "get_weather", arguments: { city: "Oslo" } }] };
  await server.planloom.run(plan, { runId: "by-hand", metadata: { cli: { mcp: ["mcp.json"] }, schedule: "nightly" } });
  await server.call("POST", "/runs/by-hand/forks", { from_task: "a", run_id: "forked" });
  const { metadata } = await untilStatus(server, "forked", "completed");
  // What a server begins again after a restart is known by this.
  expect(metadata).toMatchObject({ via: "server", forked_from: { run_id: "by-hand" } });
  await server.call("POST", "/runs", { plan, run_id: "other" });
  await untilStatus(server, "other", "completed");
  const found = async (query: string) =>
    (await server.call("GET", `/runs?${query}`)).body.runs.map(({ run_id }: Loose) => run_id);
  expect(await found("schedule=nightly")).toEqual(["forked", "by-hand"]);
  expect(await found(`schedule=nightly&metadata=${encodeURIComponent('{"via":"server"}')}`)).toEqual(["forked"]);
  expect(await found("schedule=weekly")).toEqual([]);
});

test("a run is cancelled once, resumed, forked and deleted", async () => {
  const wait = slowTool();
  await using server = await startServer({}, { tools: [wait] });
  const { run_id } = (await server.call("POST", "/runs", { plan: waitPlan })).body;
  await expect.poll(() => wait.begun.length).toBe(1);
  expect((await server.call("POST", `/runs/${run_id}/cancel`)).body.state).toBe("requested");
  await untilStatus(server, run_id, "cancelled");
  const again = await server.call("POST", `/runs/${run_id}/cancel`);
  expect([again.status, again.body.error.code]).toEqual([409, "RUNTIME_NOT_RUNNING"]);
  expect((await server.call("POST", `/runs/${run_id}/resume`)).status).toBe(202);
  await expect.poll(() => wait.begun.length).toBe(2);
  const leased = await server.call("POST", `/runs/${run_id}/resume`);
  expect([leased.status, leased.body.error.code]).toEqual([409, "RUNTIME_RUN_LEASED"]);
  const running = await server.call("DELETE", `/runs/${run_id}`);
  expect(running.status).toBe(409);
  await server.call("POST", `/runs/${run_id}/cancel`, { mode: "now" });
  await untilStatus(server, run_id, "cancelled");
  const fork = await server.call("POST", `/runs/${run_id}/forks`, { from_task: "a", run_id: "forked" });
  expect(fork).toMatchObject({ status: 202, body: { run_id: "forked" } });
  await server.call("POST", "/runs/forked/cancel");
  await untilStatus(server, "forked", "cancelled");
  expect((await server.call("DELETE", `/runs/${run_id}`)).body).toEqual({ run_id });
  const gone = await server.call("GET", `/runs/${run_id}`);
  expect([gone.status, gone.body.error.code]).toEqual([404, "RUNTIME_RUN_NOT_FOUND"]);
});

test("a request that is sent again with its idempotency key starts nothing again", async () => {
  const planned = Promise.withResolvers<void>();
  const embedded = new EmbeddedController();
  const controller = {
    name: "slow",
    processPhase2: embedded.processPhase2.bind(embedded),
    async processPhase1(...request: Parameters<EmbeddedController["processPhase1"]>) {
      await planned.promise;
      return embedded.processPhase1(...request);
    },
  };
  await using server = await startServer({}, { controller });
  const body = { goal: "Get the weather of Berlin" };
  const key = { "idempotency-key": "order-47" };
  const first = server.call("POST", "/runs", body, key);
  await expect
    .poll(async () => (await server.call("POST", "/runs", body, key)).body.error?.code)
    .toBe("SERVER_KEY_BUSY");
  planned.resolve();
  const { run_id } = (await first).body;
  const again = await server.call("POST", "/runs", body, key);
  expect([again.status, again.body.run_id, again.headers.get("idempotent-replayed")]).toEqual([202, run_id, "true"]);
  const other = await server.call("POST", "/runs", { goal: "Get the weather of Bonn" }, key);
  expect([other.status, other.body.error.code]).toEqual([422, "SERVER_KEY_REUSED"]);
  expect((await server.call("GET", "/runs")).body.runs).toHaveLength(1);
});

test("a plan that is not valid and a goal that lacks something are refused before anything runs", async () => {
  await using server = await startServer();
  const plan = { planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "none" }] };
  const invalid = await server.call("POST", "/runs", { plan });
  expect([invalid.status, invalid.body.error.code]).toEqual([400, "PLANLOOM_INVALID_PLAN"]);
  expect(invalid.body.error.details.issues[0]).toMatchObject({ task_id: "a" });
  const open = await server.call("POST", "/runs", { goal: "Send a mail to Ada" });
  expect([open.status, open.body.error.code]).toEqual([422, "PLANNER_OPEN_QUESTIONS"]);
  expect((await server.call("GET", "/runs")).body.runs).toEqual([]);
});

test("runs that wait are woken by the server that began them; those of others are left to others", async () => {
  const journal = memoryJournal({ events: true });
  const elsewhere = new Planloom({ tools: [weather], journal });
  const plan = {
    planned_tasks: [
      { task_id: "paid", wait: { event: "payment" } },
      { task_id: "look", tool_id: "get_weather", arguments: { city: "Oslo" }, dependencies: ["paid"] },
    ],
  };
  await elsewhere.run(plan, { runId: "theirs", metadata: { cli: { mcp: ["other.json"] } } });
  await using server = await startServer({}, { tools: [weather], journal });
  await server.call("POST", "/runs", { plan, run_id: "ours" });
  await untilStatus(server, "ours", "waiting");
  // What is theirs is due longer, and does not keep the server from its own.
  for (const id of ["theirs", "ours"]) await server.call("POST", `/runs/${id}/signals`, { event: "payment" });
  await untilStatus(server, "ours", "completed");
  expect((await server.call("GET", "/runs/theirs")).body.status).toBe("waiting");
  // It was not claimed either: whoever has its tools gets it at once.
  expect(await elsewhere.resumeDue()).toMatchObject([{ run_id: "theirs", result: { end_reason: "completed" } }]);
});

test("what failed is called again for a client that asks for it, and not by a restart of the server", async () => {
  const calls: string[] = [];
  const begun = Promise.withResolvers<void>();
  const bad = defineTool({
    id: "bad",
    description: "Fails",
    execute: () => {
      calls.push("bad");
      throw new Error("no");
    },
  });
  const slow = defineTool({
    id: "slow",
    description: "Ends when it is called again",
    readOnly: true,
    execute: (_, { signal }) => {
      calls.push("slow");
      begun.resolve();
      return calls.filter((id) => id === "slow").length > 1
        ? "done"
        : new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  const fails = { task_id: "a", tool_id: "bad" };
  const journal = memoryJournal({ events: true });
  const before = new Planloom({ tools: [bad, slow], journal });
  const after = { task_id: "b", tool_id: "slow", dependencies: ["a"], join: "any" as const };
  const other = { task_id: "c", wait: { for_ms: 0 } };
  const running = before.run(
    { planned_tasks: [fails, other, { ...after, dependencies: ["a", "c"] }] },
    { runId: "left", metadata: { via: "server" } },
  );
  await begun.promise;
  await before.close();
  await running;
  await using server = await startServer({}, { tools: [bad, slow], journal });
  await untilStatus(server, "left", "failed");
  expect(calls).toEqual(["bad", "slow", "slow"]);

  await server.call("POST", "/runs", {
    plan: { planned_tasks: [fails, { task_id: "w", wait: { event: "go" } }] },
    run_id: "r",
  });
  await untilStatus(server, "r", "waiting");
  const resume = async (body: Loose) => {
    expect((await server.call("POST", "/runs/r/resume", body)).status).toBe(202);
    await untilStatus(server, "r", "waiting");
    return calls.length - 3;
  };
  expect(await resume({})).toBe(1);
  expect(await resume({ retry_failed: true })).toBe(2);
});

test("schedules are begun by the server they are meant for alone", async () => {
  vi.useFakeTimers({ now: Date.parse("2026-11-23T10:00:30Z"), toFake: ["Date"] });
  try {
    const journal = memoryJournal({ events: true });
    const instance = new Planloom({ tools: [weather], journal });
    const plan = { planned_tasks: [{ task_id: "look", tool_id: "get_weather", arguments: { city: "Oslo" } }] };
    await instance.schedule(plan, { id: "theirs", cron: "* * * * *", metadata: { cli: {} } });
    await instance.schedule(plan, { id: "ours", cron: "* * * * *", metadata: { via: "server" } });
    await using server = await startServer({}, { tools: [weather], journal });
    vi.setSystemTime(Date.parse("2026-11-23T10:01:01Z"));
    const runs = async () => (await server.call("GET", "/runs")).body.runs as Loose[];
    await expect
      .poll(runs, { timeout: 5_000 })
      .toMatchObject([{ metadata: { schedule: "ours" }, status: "completed" }]);
    expect((await instance.scheduleHistory("theirs")).length).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("elements, and what is in them, are shown and executed again by their addresses", async () => {
  await using server = await startServer();
  const cities = ["Bonn", "Berlin"];
  const of = { task_id: "in", tool_id: "get_weather", arguments: { city: "${city}" } };
  const inner = [{ ...of, for_each: { items: "${group}", as: "city" } }];
  const plan = { planned_tasks: [{ task_id: "out", for_each: { items: [cities], as: "group", tasks: inner } }] };
  await server.planloom.run(plan, { runId: "nested" });
  const shown = async (address: string) => {
    const { status, body } = await server.call("GET", `/runs/nested/tasks/${encodeURIComponent(address)}`);
    return [status, body.record?.output ?? body.error?.code];
  };
  expect(await shown("out[0]/in[1]")).toEqual([200, expect.objectContaining({ city: "Berlin" })]);
  expect(await shown("out[0]/in")).toEqual([200, cities.map((city) => expect.objectContaining({ city }))]);
  expect(await shown("out[0]")).toEqual(await shown("out[0]/in"));
  for (const nowhere of ["out[0]/on", "out[0]/in[2]", "out[1]", "out[7]/in"])
    expect(await shown(nowhere)).toEqual([404, "RUNTIME_TASK_NOT_FOUND"]);
  const { status, body } = await server.call("POST", "/runs/nested/forks", { from_task: "out[0]/in[1]" });
  expect(status).toBe(202);
  const forked = await untilStatus(server, body.run_id, "completed");
  expect(forked.metadata).toMatchObject({ forked_from: { run_id: "nested", task_id: "out[0]/in[1]" } });
  // What is marked within an element is what is to be replaced; the embedded planner has no other tool for it here.
  const marked = await server.call("POST", "/runs/nested/replan", { mark: ["out[0]/in[1]"] });
  expect(marked.body.error.message).toContain("no valid replacement for in_1");
});
