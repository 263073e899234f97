import { connectMcpServers } from "@planloom/mcp";
import { memoryJournal, resume, run } from "@planloom/runtime";
import { expect, test } from "vitest";
import { planOf } from "../support/run-plans.ts";
import { startHttpServer } from "./fixtures/http-server.ts";
import { stdioToolbox } from "./support.ts";

const plan = planOf(
  { a: [], b: ["a"] },
  { a: { tool_id: "box/keys", arguments: { fail: 3 } }, b: { tool_id: "box/keys" } },
);
const retry = { max_attempts: 2, initial_delay_ms: 0 };

async function keysSeen(server: Parameters<typeof connectMcpServers>[0]): Promise<unknown> {
  await using connection = await connectMcpServers(server);
  const journal = memoryJournal();
  const executors = [connection.executor];
  // Two attempts fail and the run with them; of the resumed run the third fails and the fourth does not.
  const first = await run(plan, { executors, journal, retry, runId: "r" });
  expect(first.end_reason).toBe("failed");
  const second = await resume("r", { executors, journal, retry });
  expect(second.end_reason).toBe("completed");
  return second.results[1]?.output;
}

const keys = ["r/a", "r/a", "r/a", "r/a", "r/b"];

test("over stdio: one key for all attempts of a task, resumed ones too, and another for another task", async () => {
  expect(await keysSeen({ mcpServers: { box: stdioToolbox() } })).toEqual({ keys });
});

test("over HTTP likewise", async () => {
  const server = await startHttpServer();
  try {
    expect(await keysSeen({ mcpServers: { box: { url: server.url } } })).toEqual({ keys });
  } finally {
    await server.close();
  }
});
