import { deepStrictEqual } from "node:assert/strict";
import { approve, defineTool, Planloom, waitingFor } from "planloom";
import { DocumentJournal } from "./document-journal.ts";
import { memoryStore } from "./memory-store.ts";

// A run waits for a person, and another program continues it: all that it knows is in the store.
const store = memoryStore();
const calls: string[] = [];
const look = defineTool({ id: "look", description: "Looks", readOnly: true, execute: () => calls.push("look") });
const pay = defineTool({ id: "pay", description: "Pays", execute: () => calls.push("pay") });
const plan = {
  planned_tasks: [
    { task_id: "look", tool_id: "look" },
    { task_id: "pay", tool_id: "pay", approval: "required" as const, dependencies: ["look"] },
  ],
};

await using first = new Planloom({ tools: [look, pay], journal: new DocumentJournal("documents", store) });
const { end_reason } = await first.run(plan, { runId: "order-47" });
deepStrictEqual([end_reason, calls], ["waiting_approval", ["look"]]);

const journal = new DocumentJournal("documents", store);
await using second = new Planloom({ tools: [look, pay], journal });
const [asked] = await waitingFor("order-47", { journal });
await approve("order-47", asked!.id, { journal, by: "Ada" });
const result = await second.resume("order-47");
deepStrictEqual([result.end_reason, calls], ["completed", ["look", "pay"]]);
console.log(
  (await journal.listRuns()).map(({ run_id, status, completed }) => `${run_id}: ${status}, ${completed} tasks`),
);
