// A user's server that is bundled into one file: it answers requests and shows the page. It asserts its own results.
import { equal, match } from "node:assert/strict";
import { planServer } from "@planloom/mcp-server";
import { serve } from "@planloom/server";
import { createClient } from "@planloom/server/client";
import { defineTool, memoryJournal, Planloom } from "planloom";

const orders = defineTool({ id: "orders_list", description: "List the orders", readOnly: true, execute: () => [1, 2] });

async function main(): Promise<void> {
  const planloom = new Planloom({ tools: [orders], journal: memoryJournal({ events: true }) });
  await using server = await serve(planloom, { port: 0 });
  const client = createClient({ url: server.url });
  const { run_id } = await client.createRun({ plan: { planned_tasks: [{ task_id: "a", tool_id: "orders_list" }] } });
  const types: string[] = [];
  for await (const { type } of client.runEvents(run_id)) types.push(type);
  equal(types.at(-1), "run-end");
  const page = await fetch(server.url, { headers: { accept: "text/html" } });
  match(await page.text(), /<title>Planloom/);
  match(await client.metrics(), /planloom_runs_ended_total/);
  equal(typeof planServer, "function");
  process.stdout.write("served, listened and showed the page\n");
}

void main();
