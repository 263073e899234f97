import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type McpHttpOptions, serveMcpHttp } from "@planloom/mcp-server";
import { defineTool, memoryJournal, memoryPlans, Planloom, type PlanloomOptions, TaskData } from "planloom";
import { expect, test } from "vitest";
import { z } from "zod";

const weather = defineTool({
  id: "get_forecast",
  description: "Get the weather forecast of a city for a number of days",
  input: z.object({ city: z.string(), days: z.number().int().min(1) }),
  readOnly: true,
  execute: ({ city, days }) => ({ city, days }),
});
const mail = defineTool({
  id: "send_mail",
  description: "Send a mail to a person",
  input: z.object({ to: z.string(), text: z.string() }),
  execute: ({ to }) => ({ sent: to }),
});

type Form = { message: string; requestedSchema: { properties: Record<string, unknown> } };
type Answer = { action: "accept" | "decline" | "cancel"; content?: Record<string, string | number | boolean> };

interface Setup {
  readonly server?: McpHttpOptions;
  readonly instance?: PlanloomOptions;
  /** How a person answers a form; absent: the client cannot ask anyone. */
  readonly person?: (form: Form) => Answer;
}

interface Session extends AsyncDisposable {
  readonly client: Client;
  readonly planloom: Planloom;
  readonly forms: Form[];
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire; expectations check it
  call(name: string, args: object, options?: object): Promise<any>;
}

async function connect({ server = {}, instance = {}, person }: Setup = {}): Promise<Session> {
  const planloom = new Planloom({ tools: [weather, mail], journal: memoryJournal(), ...instance });
  const running = await serveMcpHttp(planloom, server);
  const forms: Form[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: "auto" }, capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  if (person !== undefined) {
    client.setRequestHandler("elicitation/create", (request) => {
      const form = request.params as unknown as Form;
      forms.push(form);
      return person(form);
    });
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
  return {
    client,
    planloom,
    forms,
    async call(name, args, options) {
      const { structuredContent, isError } = await client.callTool({ name, arguments: { ...args } }, options);
      return { ...(structuredContent as object), ...(isError === true && { isError }) };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await running.close();
      await planloom.close();
    },
  };
}

const mailGoal = "Send a mail to ann@example.com with the text 'Hello'";

test("offers five tools, and says which of them only look, and which change nothing but what is kept", async () => {
  await using session = await connect();
  const { tools } = await session.client.listTools();
  expect(tools.map(({ name, annotations: hints }) => [name, hints?.readOnlyHint, hints?.destructiveHint])).toEqual([
    ["plan_create", false, false],
    ["plan_execute", false, true],
    ["plan_create_and_execute", false, true],
    ["plan_status", true, undefined],
    ["plan_approve", false, true],
  ]);
});

test("plans without running, then runs with progress for each step", async () => {
  await using session = await connect();
  const plan = await session.call("plan_create", { goal: "Get the weather forecast for Oslo for 3 days" });
  expect(plan).toMatchObject({ success: true, step_count: 1, steps: [{ arguments: { city: "Oslo", days: 3 } }] });
  const progress: object[] = [];
  const run = await session.call(
    "plan_execute",
    { plan_id: plan.plan_id },
    { onprogress: (each: object) => progress.push(each) },
  );
  expect(run).toMatchObject({ success: true, end_reason: "completed", steps_completed: 1 });
  expect(Object.values(run.results)).toEqual([{ city: "Oslo", days: 3 }]);
  expect(progress).toMatchObject([{ progress: 1, total: 1 }]);
  expect(await session.call("plan_status", { run_id: run.run_id })).toMatchObject({ status: "completed" });
});

test("asks a person for what a plan lacks, where the client can", async () => {
  await using session = await connect({
    person: () => ({ action: "accept", content: { "get_forecast.days": 2 } }),
  });
  const run = await session.call("plan_create_and_execute", { goal: "Get the weather forecast for Oslo" });
  expect(session.forms[0]!.requestedSchema.properties).toMatchObject({
    "get_forecast.days": { type: "integer" },
  });
  expect(Object.values(run.results)).toEqual([{ city: "Oslo", days: 2 }]);
});

test("without a person the model gets the questions, and answers them by the next call", async () => {
  await using session = await connect();
  const asked = await session.call("plan_create_and_execute", { goal: "Get the weather forecast for Oslo" });
  expect(asked).toMatchObject({ success: false, status: "questions", questions: [{ name: "get_forecast.days" }] });
  const run = await session.call("plan_execute", { plan_id: asked.plan_id, answers: { "get_forecast.days": 4 } });
  expect(run).toMatchObject({ success: true });
});

test("a call that changes something is put before a person, who sees it whole", async () => {
  await using session = await connect({
    person: () => ({ action: "accept", content: { approve: true, note: "fine" } }),
  });
  const run = await session.call("plan_create_and_execute", { goal: mailGoal });
  expect(session.forms.map(({ message }) => message)).toEqual([
    expect.stringMatching(/send_mail[\s\S]*ann@example\.com/),
  ]);
  expect(run).toMatchObject({ success: true });
  const journal = await session.planloom.journal();
  expect(await journal.getAnswers(run.run_id)).toMatchObject([{ answer: "approve", note: "fine" }]);
});

test("of a call that is too long for a form a person sees how much is left out, and where it is whole", async () => {
  const text = "word ".repeat(2_000).trim();
  const plans = memoryPlans();
  await using session = await connect({
    server: { plans: plans },
    person: () => ({ action: "accept", content: { approve: false } }),
  });
  const task = {
    task_id: "mail",
    execution_type: "tool",
    tool_id: "send_mail",
    arguments: { to: "ann@example.com", text },
  };
  await plans.save(TaskData.parse({ task_id: "p", planned_tasks: [task] }));
  const { run_id } = await session.call("plan_execute", { plan_id: "p" });
  const [form] = session.forms;
  const whole = JSON.stringify({ to: "ann@example.com", text }, null, 2);
  expect(form?.message).toContain(`${whole.length - 4_000} of ${whole.length} characters are left out here.`);
  expect(form?.message).toContain(`plan_status of the run ${run_id} says of "mail"`);
  // A client that can ask nobody finds it there.
  await using other = await connect({ server: { plans: plans } });
  const waiting = await other.call("plan_execute", { plan_id: "p" });
  const status = await other.call("plan_status", { run_id: waiting.run_id });
  expect(status.waiting).toMatchObject([{ id: "mail", input: { to: "ann@example.com", text } }]);
});

test.for([
  { name: "denied", answer: { action: "accept", content: { approve: false } } as Answer, sent: "denied" },
  { name: "a form that was closed", answer: { action: "cancel" } as Answer, sent: "waiting_approval" },
])("$name: the call is not made", async ({ answer, sent }) => {
  await using session = await connect({ person: () => answer });
  const run = await session.call("plan_create_and_execute", { goal: mailGoal });
  const status = await session.planloom.runStatus(run.run_id);
  expect(status.status).toBe(sent);
  expect(status.tasks[0]!.status).not.toBe("completed");
});

test("a model cannot approve for a person, unless the server says so", async () => {
  await using session = await connect();
  const run = await session.call("plan_create_and_execute", { goal: mailGoal });
  expect(run).toMatchObject({ success: false, end_reason: "waiting_approval" });
  const refused = await session.call("plan_approve", { run_id: run.run_id, answer: "approve" });
  expect(refused).toMatchObject({ success: false, isError: true, error: expect.stringContaining("planloom approve") });
  expect((await session.planloom.runStatus(run.run_id)).status).toBe("waiting_approval");

  await using trusting = await connect({ server: { approveByCall: true } });
  const other = await trusting.call("plan_create_and_execute", { goal: mailGoal });
  expect(await trusting.call("plan_approve", { run_id: other.run_id, answer: "approve" })).toMatchObject({
    success: true,
  });
  expect(await trusting.call("plan_approve", { run_id: other.run_id, answer: "approve" })).toMatchObject({
    code: "RUNTIME_NOT_WAITING",
  });
});

test("a call that is cancelled ends its run", async () => {
  const begun = Promise.withResolvers<void>();
  const slow = defineTool({
    id: "count_sheep",
    description: "Count sheep",
    readOnly: true,
    execute: (_, { signal }) => {
      begun.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  await using session = await connect({ instance: { tools: [slow] } });
  const stop = new AbortController();
  const calling = session.call("plan_create_and_execute", { goal: "Count sheep" }, { signal: stop.signal });
  await begun.promise;
  const ended = new Promise((resolve) => session.planloom.on("run-end", resolve));
  stop.abort();
  await expect(calling).rejects.toThrow();
  expect(await ended).toMatchObject({ endReason: "cancelled" });
});

test("a run in the background outlives the call", async () => {
  await using session = await connect();
  const plan = await session.call("plan_create", { goal: "Get the weather forecast for Oslo for 3 days" });
  const ended = new Promise((resolve) => session.planloom.on("run-end", resolve));
  const run = await session.call("plan_execute", { plan_id: plan.plan_id, background: true });
  expect(run).toMatchObject({ status: "running", run_id: expect.any(String) });
  await ended;
  await expect.poll(async () => (await session.call("plan_status", { run_id: run.run_id })).status).toBe("completed");
});

test.for([
  { name: "plan_create", args: { goal: "" } },
  { name: "plan_create", args: { goal: 7 } },
  { name: "plan_create", args: { goal: "x", extra: 1 } },
  { name: "plan_execute", args: { plan_id: "../../etc/passwd" } },
  { name: "plan_execute", args: { plan_id: "__proto__" } },
  { name: "plan_status", args: { run_id: "no-such-run" } },
  { name: "plan_approve", args: { run_id: "no-such-run" } },
])("$name with $args is refused in words", async ({ name, args }) => {
  await using session = await connect();
  const refused = await session.client.callTool({ name, arguments: args }).then(
    ({ isError, content }) => ({ isError, text: JSON.stringify(content) }),
    (error: Error) => ({ isError: true, text: error.message }),
  );
  expect(refused.isError).toBe(true);
  expect(refused.text.length).toBeGreaterThan(20);
});

test("a token is needed where there is one, and hosts and origins are checked where there is none", async () => {
  const planloom = new Planloom({ tools: [weather] });
  await using open = await serveMcpHttp(planloom);
  const post = (url: string, headers: Record<string, string>) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    }).then(({ status }) => status);
  expect(await post(open.url, { origin: "https://evil.example" })).toBe(403);
  await using closed = await serveMcpHttp(planloom, { token: "s3cret" });
  expect(await post(closed.url, {})).toBe(401);
  expect(await post(closed.url, { authorization: "Bearer guess" })).toBe(401);
  expect(await post(closed.url, { authorization: "Bearer s3cret" })).toBe(200);
  await expect(serveMcpHttp(planloom, { host: "0.0.0.0" })).rejects.toMatchObject({ code: "PLANLOOM_OPTION" });
  await planloom.close();
});

test("runs of another tenant in the same journal are not found", async () => {
  const journal = memoryJournal();
  await using acme = await connect({ server: { tenant: "acme" }, instance: { journal } });
  const { run_id } = await acme.call("plan_create_and_execute", { goal: mailGoal });
  expect(await acme.call("plan_status", { run_id })).toMatchObject({ status: "waiting_approval" });
  await using other = await connect({ server: { tenant: "umbrella", approveByCall: true }, instance: { journal } });
  for (const [name, args] of [
    ["plan_status", {}],
    ["plan_approve", { answer: "approve" }],
    ["plan_approve", { answer: "approve", call_id: "send_mail" }],
  ] as const) {
    const refused = await other.call(name, { run_id, ...args });
    expect(refused).toMatchObject({ isError: true, code: "RUNTIME_RUN_NOT_FOUND" });
    expect(JSON.stringify(refused)).not.toContain("ann@example.com");
  }
  expect(await journal.getAnswers(run_id)).toEqual([]);
});
