import { type ServeAgentOptions, serveAgent } from "@planloom/a2a";
import { defineTool, memoryJournal, Planloom } from "planloom";
import { expect, test, vi } from "vitest";
import { pushReceiver } from "./push-receiver.ts";

/** An agent whose only tool waits until it is let go. */
async function agentOf(push: readonly string[] | undefined, options: ServeAgentOptions = {}) {
  const gate = Promise.withResolvers<void>();
  const tool = defineTool({
    id: "count_stock",
    description: "Count the stock",
    readOnly: true,
    async execute() {
      await gate.promise;
      return { boxes: 12 };
    },
  });
  const planloom = new Planloom({ tools: [tool], journal: memoryJournal() });
  const server = await serveAgent(planloom, { ...options, ...(push !== undefined && { push }) });
  // biome-ignore lint/suspicious/noExplicitAny: what comes over the wire; expectations check it
  const call = async (method: string, params: object, version = "1.0"): Promise<any> => {
    const headers = { "content-type": "application/json", "a2a-version": version };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return (await fetch(`${server.url}/a2a`, { method: "POST", headers, body })).json();
  };
  const plan = { planned_tasks: [{ task_id: "count", tool_id: "count_stock" }] };
  const message = () => ({ messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ data: { plan } }] });
  return {
    ...{ server, call, message, planloom, letGo: () => gate.resolve() },
    /** Begins a task, and gives its id. */
    async begin(config?: object): Promise<string> {
      const configuration = { returnImmediately: true, ...(config && { taskPushNotificationConfig: config }) };
      const { result } = await call("SendMessage", { message: message(), configuration });
      return result.task.id;
    },
    ends: (id: string) =>
      vi.waitFor(async () => {
        const { result } = await call("GetTask", { id });
        expect(result.status.state).toBe("TASK_STATE_COMPLETED");
        return result;
      }),
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await server.close();
      await planloom.close();
    },
  };
}

test("what happens in a task is pushed in order, with the token and the authentication that the client gave", async () => {
  await using receiver = await pushReceiver();
  await using agent = await agentOf([receiver.origin]);
  const authentication = { scheme: "Bearer", credentials: "for-the-receiver" };
  const taskId = await agent.begin({ url: `${receiver.origin}/here?x=1`, token: "known", authentication });
  agent.letGo();
  await vi.waitFor(() => expect(receiver.states.at(-1)).toBe("TASK_STATE_COMPLETED"));
  expect(receiver.pushes.every(({ path }) => path === "/here?x=1")).toBe(true);
  expect(receiver.pushes[0]!.headers).toMatchObject({
    authorization: "Bearer for-the-receiver",
    "x-a2a-notification-token": "known",
    "content-type": "application/a2a+json",
  });
  const artifacts = receiver.pushes.flatMap(({ body }) => body.artifactUpdate ?? []);
  expect(artifacts).toMatchObject([{ taskId, artifact: { parts: [{ data: { boxes: 12 } }] } }]);
  expect(receiver.states.filter((state) => state === "TASK_STATE_COMPLETED")).toHaveLength(1);
});

test("a client that registered over A2A 0.3 is pushed the task in the words of 0.3", async () => {
  await using receiver = await pushReceiver();
  await using agent = await agentOf([receiver.origin]);
  const id = await agent.begin();
  const params = { taskId: id, pushNotificationConfig: { url: receiver.origin, token: "t" } };
  await agent.call("tasks/pushNotificationConfig/set", params, "0.3");
  agent.letGo();
  await vi.waitFor(() => expect(receiver.pushes.at(-1)?.body).toMatchObject({ id, status: { state: "completed" } }));
});

test("configurations are set, read, listed and deleted, and what was deleted is not pushed to", async () => {
  await using receiver = await pushReceiver();
  await using agent = await agentOf([receiver.origin]);
  const taskId = await agent.begin();
  const set = (id: string) =>
    agent.call("CreateTaskPushNotificationConfig", { taskId, id, url: `${receiver.origin}/${id}`, token: id });
  expect((await set("one")).result).toMatchObject({ taskId, id: "one", token: "one" });
  await set("two");
  expect((await agent.call("GetTaskPushNotificationConfig", { taskId, id: "two" })).result.id).toBe("two");
  await agent.call("DeleteTaskPushNotificationConfig", { taskId, id: "one" });
  const { result } = await agent.call("ListTaskPushNotificationConfigs", { taskId });
  expect(result.configs.map(({ id }: { id: string }) => id)).toEqual(["two"]);
  expect((await agent.call("GetTaskPushNotificationConfig", { taskId, id: "one" })).error.code).toBe(-32_001);
  agent.letGo();
  await vi.waitFor(() => expect(receiver.states.at(-1)).toBe("TASK_STATE_COMPLETED"));
  expect(new Set(receiver.pushes.map(({ path }) => path))).toEqual(new Set(["/two"]));
});

test("what waits to be pushed goes nowhere once its configuration is deleted, and elsewhere where that is replaced", async () => {
  await using receiver = await pushReceiver(() => 500);
  await using other = await pushReceiver();
  await using agent = await agentOf([receiver.origin, other.origin]);
  const deleted = await agent.begin({ id: "gone", url: receiver.origin });
  const replaced = await agent.begin({ id: "moved", url: receiver.origin });
  // Each is refused once, and tried again after half a second of real time.
  await vi.waitFor(() => expect(receiver.pushes).toHaveLength(2));
  await agent.call("DeleteTaskPushNotificationConfig", { taskId: deleted, id: "gone" });
  await agent.call("CreateTaskPushNotificationConfig", { taskId: replaced, id: "moved", url: other.origin });
  agent.letGo();
  await vi.waitFor(() => expect(other.states.at(-1)).toBe("TASK_STATE_COMPLETED"), 5_000);
  expect(receiver.pushes).toHaveLength(2);
  expect(other.pushes.every(({ body }) => !JSON.stringify(body).includes(deleted))).toBe(true);
});

test("addresses that a client has no business with are refused, and the task of such a message is not begun", async () => {
  await using agent = await agentOf(["public", "http://crew.internal:9000"]);
  const taskId = await agent.begin();
  const refused = [
    "http://127.0.0.1:1/",
    "https://127.0.0.1/",
    "https://10.0.0.8/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[fd00::1]/",
    "https://[64:ff9b::a00:1]/",
    "https://user:secret@example.com/",
    "http://example.com/",
    "http://crew.internal:9001/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "nonsense",
    "",
  ];
  for (const url of refused) {
    const { error } = await agent.call("CreateTaskPushNotificationConfig", { taskId, url });
    expect([url, error?.code]).toEqual([url, -32_602]);
  }
  const config = { taskPushNotificationConfig: { url: "http://127.0.0.1:1/" } };
  const before = (await (await agent.planloom.journal()).listRuns({ limit: 100 })).length;
  const sent = await agent.call("SendMessage", { message: agent.message(), configuration: config });
  expect(sent.error.code).toBe(-32_602);
  expect(await (await agent.planloom.journal()).listRuns({ limit: 100 })).toHaveLength(before);
  for (const [url, fits] of [
    ["http://crew.internal:9000/any/path", true],
    ["https://example.com/hook", true],
    ["https://93.184.216.34/", true],
  ] as const) {
    const { result } = await agent.call("CreateTaskPushNotificationConfig", { taskId, url });
    expect([url, result !== undefined]).toEqual([url, fits]);
  }
  const token = "line\r\nx-injected: 1";
  const injected = await agent.call("CreateTaskPushNotificationConfig", { taskId, url: "https://example.com/", token });
  expect(injected.error.code).toBe(-32_602);
});

test("a name of the internet that leads to this machine is not pushed to", async () => {
  await using receiver = await pushReceiver();
  await using agent = await agentOf(["public"]);
  const port = new URL(receiver.origin).port;
  // Resolves to a loopback address, as a name server of an attacker may have it.
  const id = await agent.begin({ url: `https://localhost:${port}/` });
  agent.letGo();
  await agent.ends(id);
  await vi.waitFor(async () => {
    const { result } = await agent.call("ListTaskPushNotificationConfigs", { taskId: id });
    expect(result.configs ?? []).toEqual([]);
  });
  expect(receiver.pushes).toEqual([]);
});

test("a push that fails is sent again and no event is lost; one that is refused, or led elsewhere, ends the pushing", async () => {
  await using flaky = await pushReceiver((at) => (at === 0 ? 503 : 200));
  await using refusing = await pushReceiver(() => 401);
  await using leading = await pushReceiver(() => 302);
  await using agent = await agentOf([flaky, refusing, leading].map(({ origin }) => origin));
  const taskId = await agent.begin();
  for (const { origin } of [flaky, refusing, leading]) {
    await agent.call("CreateTaskPushNotificationConfig", { taskId, url: origin });
  }
  agent.letGo();
  await vi.waitFor(() => expect(flaky.states.at(-1)).toBe("TASK_STATE_COMPLETED"), 5_000);
  expect(flaky.pushes[1]!.body).toEqual(flaky.pushes[0]!.body);
  expect(refusing.pushes).toHaveLength(1);
  expect(leading.pushes.map(({ path }) => path)).toEqual(["/"]);
  const { result } = await agent.call("ListTaskPushNotificationConfigs", { taskId });
  expect(result.configs.map(({ url }: { url: string }) => url)).toEqual([flaky.origin]);
});

test("a receiver that never answers keeps neither the task nor the end of the server waiting", async () => {
  await using silent = await pushReceiver(() => undefined);
  const agent = await agentOf([silent.origin]);
  const id = await agent.begin({ url: silent.origin });
  agent.letGo();
  await agent.ends(id);
  const before = performance.now();
  await agent[Symbol.asyncDispose]();
  expect(performance.now() - before).toBeLessThan(2_000);
});

// Real time: a request to a receiver that never answers ends after five seconds.
test("many receivers that never answer hold up the pushes to another for one request, and not for all of their attempts", async () => {
  await using silent = await pushReceiver(() => undefined);
  await using receiver = await pushReceiver();
  await using agent = await agentOf([silent.origin, receiver.origin]);
  const ids = await Promise.all([1, 2, 3, 4].map(() => agent.begin()));
  const silently = ids.flatMap((taskId) => Array.from({ length: 10 }, () => ({ taskId, url: silent.origin })));
  for (const config of silently) await agent.call("CreateTaskPushNotificationConfig", config);
  agent.letGo();
  await vi.waitFor(() => expect(silent.pushes).toHaveLength(32), 5_000);
  await agent.begin({ url: receiver.origin });
  await vi.waitFor(() => expect(receiver.pushes.length).toBeGreaterThan(0), 12_000);
}, 20_000);

test("without `push` the card offers none and a configuration is refused; a wrong origin is an option error", async () => {
  await using agent = await agentOf(undefined);
  const card: unknown = await (await fetch(`${agent.server.url}/.well-known/agent-card.json`)).json();
  expect(card).not.toMatchObject({ capabilities: { pushNotifications: true } });
  const taskId = await agent.begin();
  const { error } = await agent.call("CreateTaskPushNotificationConfig", { taskId, url: "https://example.com/" });
  expect(error.code).toBe(-32_003);
  for (const push of [["example.com"], ["https://example.com/path"], ["Public"], "public"]) {
    await expect(serveAgent(agent.planloom, { push: push as string[] })).rejects.toMatchObject({ code: "A2A_OPTION" });
  }
});

test("a client that hangs up in the middle of its stream finds the task completed, and is pushed its end", async () => {
  await using receiver = await pushReceiver();
  await using agent = await agentOf([receiver.origin]);
  const hangUp = new AbortController();
  const configuration = { taskPushNotificationConfig: { url: receiver.origin } };
  const params = { message: agent.message(), configuration };
  const response = await fetch(`${agent.server.url}/a2a`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params }),
    signal: hangUp.signal,
  });
  const first = await response.body!.getReader().read();
  const [line = ""] = new TextDecoder().decode(first.value).split("\n");
  const { id } = JSON.parse(line.replace(/^data: /, "")).result.task;
  hangUp.abort();
  await vi.waitFor(() => expect(receiver.states.length).toBeGreaterThan(0));
  agent.letGo();
  expect(await agent.ends(id)).toMatchObject({ artifacts: [{ parts: [{ data: { boxes: 12 } }] }] });
  await vi.waitFor(() => expect(receiver.states.at(-1)).toBe("TASK_STATE_COMPLETED"));
});
