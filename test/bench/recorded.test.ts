import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { loadWorkloads, machineStrategies, runBench } from "@planloom/bench";
import { perTask, portfolio } from "@planloom/optimizer";
import { expect, test } from "vitest";
import { benchPlans, freightGoals } from "./recorded/jobs.ts";

const file = fileURLToPath(new URL("recorded/workloads.json", import.meta.url));
const { workloads, defective } = await loadWorkloads(file);

test("twenty runs are recorded, with durations and sizes and nothing of what they were about", async () => {
  expect(defective).toEqual([]);
  expect(workloads).toHaveLength(20);
  expect(freightGoals.length + benchPlans().length).toBe(20);
  for (const { view } of workloads) {
    expect(view.work.every((ms) => ms > 0)).toBe(true);
    expect(view.outBytes.some((bytes) => bytes > 0)).toBe(true);
  }
  const texts = new Set((await readFile(file, "utf8")).match(/"[^"]*"/g));
  const shape =
    /^"(t\d+|c\d+|run-\d+|format|plan-workload\/1|name|recorded runs|family|recorded|instances|tasks|id|type|runtime|deps|outputBytes)"$/;
  expect([...texts].filter((text) => !shape.test(text))).toEqual([]);
});

test("what the plans of the benches depend on is what was recorded", () => {
  const recorded = workloads.slice(freightGoals.length);
  for (const [at, { planned_tasks, title }] of benchPlans().entries()) {
    const { view } = recorded[at]!;
    const edges = (planned_tasks as { dependencies: string[] }[]).map(({ dependencies }) => dependencies.length);
    const own = Array.from({ length: view.n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
    expect(own, title).toEqual(edges);
  }
});

test("a run of waits took at least as long as its tasks waited", () => {
  for (const [at, { planned_tasks }] of benchPlans().entries()) {
    const { work } = workloads[freightGoals.length + at]!.view;
    const asked = (planned_tasks as { arguments: { ms: number } }[]).map(({ arguments: { ms } }) => ms);
    // Timers may fire a millisecond early.
    asked.forEach((ms, v) => {
      expect(work[v]).toBeGreaterThanOrEqual(ms - 1);
    });
  }
});

test("the bench measures on them: the portfolio is never slower than one dispatch a task, whoever places it", async () => {
  const small = workloads.filter(({ view }) => view.n <= 60);
  const strategies = [portfolio, perTask, machineStrategies.get("heft")!];
  const rows = await runBench({ workloads: small, strategies, environments: [{ executors: 4 }] });
  expect(rows).toHaveLength(3 * small.length);
  const of = (name: string) => new Map(rows.filter((row) => row.strategy === name).map((row) => [row.workload, row]));
  const [best, single] = [of("portfolio"), of("per-task")];
  for (const [workload, row] of best) expect(row.makespanMs).toBeLessThanOrEqual(single.get(workload)!.makespanMs);
});
