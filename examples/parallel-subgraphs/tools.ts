import { setTimeout as wait } from "node:timers/promises";
import { defineTool, type Executor } from "planloom";
import { toolExecutor } from "planloom/runtime";

/** How long every tool works, in milliseconds. */
export const workMs = 150;

const fetchSales = defineTool({
  id: "fetch_sales",
  description: "Sales of one region",
  readOnly: true,
  estimate: { duration_ms: workMs },
  async execute({ region }: Record<string, unknown>, { signal }) {
    await wait(workMs, undefined, { signal });
    const sales: Record<string, number[]> = { north: [3, 4], south: [5, 1], west: [2, 2] };
    return { region, amounts: sales[String(region)] ?? [], worker: process.pid };
  },
});

const sumUp = defineTool({
  id: "sum_up",
  description: "The total of some amounts",
  readOnly: true,
  estimate: { duration_ms: workMs },
  async execute({ amounts }: Record<string, unknown>, { signal }) {
    await wait(workMs, undefined, { signal });
    const total = (amounts as number[]).reduce((sum, amount) => sum + amount, 0);
    return { total, worker: process.pid };
  },
});

const rank = defineTool({
  id: "rank",
  description: "Regions, best first",
  readOnly: true,
  estimate: { duration_ms: workMs },
  async execute({ totals }: Record<string, unknown>, { signal }) {
    await wait(workMs, undefined, { signal });
    const entries = Object.entries(totals as Record<string, { total: number }>);
    return entries.sort(([, a], [, b]) => b.total - a.total).map(([region, { total }]) => `${region}: ${total}`);
  },
});

/** What every worker process can execute; `childProcessDispatcher` loads this module in each of them. */
export const executors: readonly Executor[] = [toolExecutor([fetchSales, sumUp, rank])];
