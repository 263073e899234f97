import { serveAgent } from "@planloom/a2a";
import { defineTool, memoryJournal, Planloom } from "planloom";
import { expect, test } from "vitest";
import { strangeIds } from "../server/raw-requests.ts";

const wait = defineTool({ id: "list_orders", description: "List the orders", readOnly: true, execute: () => ["one"] });

async function agentOf() {
  const planloom = new Planloom({ tools: [wait], journal: memoryJournal() });
  const agent = await serveAgent(planloom, {});
  const post = async (body: string) => {
    const response = await fetch(new URL("/a2a", agent.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    // biome-ignore lint/suspicious/noExplicitAny: what came over the wire; expectations check it
    return { status: response.status, body: (await response.json()) as any };
  };
  return {
    planloom,
    post,
    call: (method: string, params: object) => post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })),
    async [Symbol.asyncDispose]() {
      await agent.close();
      await planloom.close();
    },
  };
}

test("ids of no task, and runs that another door began, are not found over A2A, and are not cancelled", async () => {
  await using session = await agentOf();
  const foreign = await session.planloom.run({ planned_tasks: [{ task_id: "a", tool_id: "list_orders" }] });
  for (const method of ["tasks/get", "tasks/cancel"]) {
    for (const id of [...strangeIds.map(([, each]) => each), foreign.run_id]) {
      const { body } = await session.call(method, { id });
      expect(body.result, `${method} ${id}`).toBeUndefined();
      expect(body.error.code, `${method} ${id}`).toBe(-32_001);
      expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:\d/);
    }
  }
  expect((await session.planloom.runStatus(foreign.run_id)).status).toBe("completed");
});

test("a plan of a million tasks is refused over A2A by its size, before it is read", async () => {
  await using session = await agentOf();
  const tasks = '{"task_id":"task"},'.repeat(1_000_000);
  const { status, body } = await session.post(`{"plan":{"planned_tasks":[${tasks.slice(0, -1)}]}}`);
  expect(status).toBe(413);
  expect(body.code).toBe("SERVER_BODY_TOO_LARGE");
});
