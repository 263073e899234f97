// A user's program that is bundled into one file: it plans, reads YAML and JSON5, makes a graph, runs with a journal, and dispatches to
// processes that run the same file. It asserts its own results.
import { deepStrictEqual, equal, match } from "node:assert/strict";
import { defineTool, Planloom, SqliteJournal } from "planloom";
import { ManualOptimizer } from "planloom/optimizer";
import { parsePlanText, planGraph } from "planloom/plan";
import { childProcessDispatcher, run, toolExecutor } from "planloom/runtime";

const orders = defineTool({
  id: "orders_list",
  description: "List the orders of a day",
  input: { type: "object", properties: { date: { type: "string", format: "date" } }, required: ["date"] },
  output: { type: "object", properties: { orders: { type: "array", items: { type: "string" } } } },
  readOnly: true,
  execute: ({ date }) => ({ orders: [`order of ${String(date)}`], pid: process.pid }),
});

/** What the worker processes load from this very file. */
export const executors = [toolExecutor([orders])];

const yaml = `
task_id: from-yaml
planned_tasks:
  - { task_id: first, execution_type: tool, tool_id: orders_list, arguments: { date: "2025-03-03" } }
  - { task_id: second, execution_type: tool, tool_id: orders_list, arguments: { date: "2025-03-04" }, dependencies: [first] }
`;
const kirha = `<plan>[{toolName: 'orders_list', arguments: {date: '2025-03-05'},}]</plan>`;

async function main(file: string): Promise<void> {
  await using planloom = new Planloom({ tools: [orders], journal: "journal.sqlite" });
  const planned = await planloom.plan("List the orders of the day 3 March 2025");
  equal(JSON.stringify(planned.planned_tasks[0]?.arguments), '{"date":"2025-03-03"}');
  equal((await planloom.run(planned, { runId: "planned" })).end_reason, "completed");

  const plan = parsePlanText(yaml, { format: "yaml" });
  deepStrictEqual(
    planGraph(plan).mapEdges((_edge, _attributes, source, target) => [source, target]),
    [["first", "second"]],
  );
  deepStrictEqual(parsePlanText(kirha).planned_tasks[0]?.arguments, { date: "2025-03-05" });
  const wrong = plan.planned_tasks.map((task) => ({ ...task, arguments: { date: "someday" } }));
  match(JSON.stringify(planloom.validate({ ...plan, planned_tasks: wrong })), /date/);

  const { subgraphs } = new ManualOptimizer().optimize(plan);
  await using dispatcher = childProcessDispatcher({ module: file, worker: file });
  const result = await run(plan, { executors, semantics: "atomic", subgraphs, dispatcher });
  equal(result.end_reason, "completed", JSON.stringify(result.results));
  const pids = result.results.map(({ output }) => (output as { pid: number }).pid);
  equal(pids.length, 2);
  equal(pids.includes(process.pid), false);

  const journal = await SqliteJournal.open("journal.sqlite");
  equal((await journal.getRun("planned")).status, "completed");
  await journal.close();
  process.stdout.write("planned, read, ran, journaled and dispatched\n");
}

const [, file = "", module] = process.argv;
// Neither is awaited: the file may be CommonJS, and a worker loads it again while it begins.
if (module === file) void import("planloom/worker");
else void main(file);
