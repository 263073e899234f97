// What telemetry costs: `pnpm bench:telemetry [TASKS] [ROUNDS] [--json]`, also the rows of `pnpm bench:runtime`. Instances with and without it take turns in one process, first where the
// program has no OpenTelemetry SDK (at most 3 % is asked), then with the real one exporting to nowhere. Processor time of a round is compared with that of its pair.
import { openTelemetry } from "@planloom/otel";
import { defineTool, memoryJournal, Planloom, TaskData } from "planloom";
import { memorySdk } from "../support/otel-sdk.ts";

const numbers = process.argv.slice(2).filter((word) => word !== "--json");
const tasks = Number(numbers[0] ?? 10_000);
const rounds = Number(numbers[1] ?? 15);
const work = defineTool({ id: "work", description: "Nothing", readOnly: true, execute: async () => null });
const plan = TaskData.parse({
  task_id: "wide",
  planned_tasks: Array.from({ length: tasks }, (_, number) => ({
    task_id: `t${number}`,
    execution_type: "tool",
    tool_id: "work",
    dependencies: number < 100 ? [] : [`t${number - 100}`],
  })),
});

function instance(telemetry: ReturnType<typeof openTelemetry> | undefined): Planloom {
  const journal = memoryJournal({ maxEndedRuns: 1 });
  return new Planloom({ tools: [work], journal, concurrency: 64, ...(telemetry && { telemetry }) });
}

/** Processor milliseconds of one run. */
async function measure(planloom: Planloom): Promise<number> {
  const before = process.cpuUsage();
  const { end_reason } = await planloom.run(plan);
  const { user, system } = process.cpuUsage(before);
  if (end_reason !== "completed") throw new Error(`Expected the run to complete, it ended as ${end_reason}.`);
  return (user + system) / 1_000;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function compare(telemetry_with: string) {
  const without = instance(undefined);
  const telemetry = instance(openTelemetry());
  const bare: number[] = [];
  const ratios: number[] = [];
  for (let round = -3; round < rounds; round++) {
    // Each goes first in every other round.
    const first = round % 2 === 0 ? without : telemetry;
    const second = first === without ? telemetry : without;
    const [a, b] = [await measure(first), await measure(second)];
    const [off, on] = first === without ? [a, b] : [b, a];
    if (round < 0) continue;
    bare.push(off);
    ratios.push(on / off);
  }
  await without.close();
  await telemetry.close();
  return {
    telemetry_with,
    cpu_us_without: Math.round((median(bare) * 10_000) / tasks) / 10,
    more_percent: Math.round((median(ratios) - 1) * 1_000) / 10,
    pairs: rounds,
    tasks,
  };
}

const rows = [await compare("no SDK is set")];
const sdk = memorySdk();
rows.push(await compare("SDK, kept in memory"));
await sdk.shutdown();
if (process.argv.includes("--json")) console.log(JSON.stringify(rows));
else
  for (const { telemetry_with, cpu_us_without, more_percent } of rows)
    console.log(
      `${telemetry_with.padEnd(24)} ${cpu_us_without} µs a task without, ${more_percent >= 0 ? "+" : ""}${more_percent} % with (median of ${rounds} pairs of ${tasks} tasks)`,
    );
