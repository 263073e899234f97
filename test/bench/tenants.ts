/** Runs of several tenants against one limit: no call too many, nobody starved, and what it costs beside limits of each run. */
import assert from "node:assert/strict";
import { cpus } from "node:os";
import { defineTool, Planloom, type PlanloomOptions, TaskData } from "planloom";

const runs = 1_000;
const tasks = 10;
const limit = 16;
const tenants = ["a", "b", "c"] as const;
const pairs = Number(process.argv[2] ?? 9);
const plan = TaskData.parse({
  planned_tasks: Array.from({ length: tasks }, (_, at) => ({
    task_id: `t${at}`,
    execution_type: "tool",
    tool_id: "work",
    arguments: { at },
  })),
});

interface Measured {
  /** Of the processor, so that other work on the machine counts little. */
  readonly ms: number;
  readonly most: number;
  /** Calls that each tenant had made when the first of them had made all of its own. */
  readonly whenFirstEnded: readonly number[];
}

/** @param shared whether the limit is of all runs together, or of each */
async function measure(shared: boolean): Promise<Measured> {
  let now = 0;
  let most = 0;
  const made = new Map<string, number>(tenants.map((tenant) => [tenant, 0]));
  let whenFirstEnded: readonly number[] | undefined;
  // Of 1,000 runs one tenant begins 334, which is when the first can have made all of its calls.
  const perTenant = Math.floor(runs / tenants.length) * tasks;
  const work = defineTool({
    id: "work",
    description:
      "Does nothing, for a few turns of the microtask queue: more would measure what a limit is for, and not what it costs.",
    input: { type: "object" },
    readOnly: true,
    async execute(_, { runId }) {
      now++;
      most = Math.max(most, now);
      for (let turn = 0; turn < 8; turn++) await null;
      now--;
      const tenant = runId.slice(0, 1);
      const calls = made.get(tenant)! + 1;
      made.set(tenant, calls);
      if (calls === perTenant) whenFirstEnded ??= [...made.values()];
    },
  });
  const ofInstance: PlanloomOptions = shared ? { limits: { resources: { work: limit } } } : {};
  const ofRun = shared ? {} : { limits: { resources: { work: limit } } };
  await using planloom = new Planloom({ tools: [work], ...ofInstance });
  globalThis.gc?.();
  const began = process.cpuUsage();
  const results = await Promise.all(
    Array.from({ length: runs }, (_, at) => {
      // Tenant a comes with all of its runs first, then b, then c.
      const tenant = tenants[Math.floor((at * tenants.length) / runs)]!;
      return planloom.run(plan, { runId: `${tenant}${at}`, ...(shared && { tenant }), ...ofRun });
    }),
  );
  const { user, system } = process.cpuUsage(began);
  const ms = (user + system) / 1_000;
  assert.ok(results.every(({ end_reason }) => end_reason === "completed"));
  return { ms, most, whenFirstEnded: whenFirstEnded! };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

await measure(false);
await measure(true);
const ratios: number[] = [];
const own: number[] = [];
const together: number[] = [];
let last: Measured | undefined;
for (let pair = 0; pair < pairs; pair++) {
  const order = pair % 2 === 0 ? [false, true] : [true, false];
  const measured = new Map<boolean, Measured>();
  for (const shared of order) measured.set(shared, await measure(shared));
  last = measured.get(true)!;
  assert.ok(last.most <= limit, `${last.most} calls at once, ${limit} allowed`);
  own.push(measured.get(false)!.ms);
  together.push(last.ms);
  ratios.push(last.ms / measured.get(false)!.ms);
}
const { most, whenFirstEnded } = last!;
const each = (ms: number) => `${((ms * 1_000) / runs / tasks).toFixed(1)} µs`;
console.log(`Node ${process.version}, ${cpus()[0]?.model ?? "unknown processor"}; ${pairs} pairs, medians`);
console.log(
  `${runs.toLocaleString("en")} runs of ${tasks} tasks, ${tenants.length} tenants, limit ${limit} on one tool`,
);
console.log(`limit of each run:            ${median(own).toFixed(0)} ms, ${each(median(own))} a task`);
console.log(`limit of all runs together:   ${median(together).toFixed(0)} ms, ${each(median(together))} a task`);
console.log(`overhead:                     ${((median(ratios) - 1) * 100).toFixed(1)} %`);
console.log(`most calls at once:           ${most} of ${limit}`);
const least = Math.min(...whenFirstEnded);
const fairness = least / Math.max(...whenFirstEnded);
console.log(
  `calls of each tenant when the first was done: ${whenFirstEnded.join(", ")}; lowest to highest ${fairness.toFixed(3)}`,
);
assert.ok(fairness > 0.95, "a tenant was starved");
