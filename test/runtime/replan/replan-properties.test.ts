import { applyPatch, draftPatch, type PlannerTaskInput, planHashes, TaskData } from "@planloom/plan";
import {
  defineTool,
  memoryJournal,
  type Replan,
  type RunEvent,
  replay,
  resume,
  run,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../../support/cases.ts";
import { mulberry32 } from "../../support/layered-dag.ts";
import { brokenInvariants } from "../../support/patch-checker.ts";

/** Fails for calls whose `fate` is below `limit`; takes a few turns of the loop. */
const executors = (limit: number) => [
  toolExecutor([
    defineTool({
      id: "work",
      description: "",
      async execute({ fate, turns }: Record<string, unknown>) {
        for (let turn = 0; turn < Number(turns); turn++) await new Promise(setImmediate);
        if (Number(fate) < limit) throw new Error("fate");
        return { value: Number(fate) };
      },
    }),
  ]),
];

function randomPlan(seed: number): TaskData {
  const random = mulberry32(seed);
  const pick = (n: number) => Math.floor(random() * n);
  const n = 2 + pick(12);
  const planned_tasks = Array.from({ length: n }, (_, task): PlannerTaskInput => {
    const dependencies: string[] = [];
    const values: Record<string, unknown> = { fate: random(), turns: pick(6), own: task };
    for (let edge = pick(3); edge > 0 && task > 0; edge--) {
      const source = pick(task);
      if (random() < 0.5) dependencies.push(`t${source}`);
      else values[`from${edge}`] = `\${t${source}.value}`;
    }
    return {
      task_id: `t${task}`,
      execution_type: "tool",
      tool_id: "work",
      dependencies: [...new Set(dependencies)],
      arguments: values,
      ...(random() < 0.1 && { mark_replan: true }),
    };
  });
  return TaskData.parse({ task_id: "plan", planned_tasks });
}

/** Replaces by one, by two or by none, after a while; sometimes gives nothing, or throws. */
function randomReplan(seed: number): Replan {
  const random = mulberry32(seed);
  return async (region) => {
    for (let turn = Math.floor(random() * 8); turn > 0; turn--) await new Promise(setImmediate);
    if (random() < 0.1) throw new Error("no idea");
    const chosen = [...region.marked, ...region.optional.filter(() => random() < 0.3)];
    if (chosen.length === 0) return undefined;
    const drop: string[] = [];
    const consumed = (id: string) =>
      region.plan.planned_tasks.some((task) => JSON.stringify(task.arguments).includes(`{${id}.`));
    const tasks = chosen.flatMap((id) => {
      const old = region.plan.planned_tasks.find(({ task_id }) => task_id === id)!;
      if (random() < 0.15 && !consumed(id)) {
        drop.push(id);
        return [];
      }
      const values = { ...old.arguments, fate: random(), turns: Math.floor(random() * 6), salt: random() };
      const { main_task_id: _, ...rest } = old;
      const last = { ...rest, arguments: values, replaces: [id] };
      if (random() < 0.6) return [last];
      const first = { task_id: `${id}_before`, execution_type: "tool" as const, tool_id: "work" };
      return [
        { ...first, arguments: { fate: random(), turns: 1, salt: random() }, replaces: [id] },
        { ...last, dependencies: [...old.dependencies, `${id}_before`] },
      ];
    });
    return draftPatch(region.plan, { tasks, drop }).patch;
  };
}

/** Rejects instead of hanging, so that a run that never ends is a counterexample like others. */
function ending<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    // Real time: nothing waits for it unless the test fails.
    timer = setTimeout(() => reject(new Error("The run does not end.")), 4_000);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** No task starts before all it then waited for is done, or starts twice but for a new attempt. */
function checkOrder(events: readonly RunEvent[]): void {
  const started = new Set<string>();
  const ended = new Set<string>();
  for (const event of events) {
    if (event.type === "task-start") {
      expect(started.has(event.taskId), `${event.taskId} starts twice`).toBe(false);
      started.add(event.taskId);
    }
    if (event.type === "task-end" || event.type === "task-error") ended.add(event.taskId);
    if (event.type === "patch-apply") {
      for (const { task_id } of [...event.replaced, ...event.renewed]) {
        expect(started.has(task_id) && !ended.has(task_id), `${task_id} ran when it was replaced`).toBe(false);
      }
      for (const { task_id } of event.added) expect(started.has(task_id)).toBe(false);
    }
  }
}

test("whatever fails and whatever is proposed, the run ends, its records hold, and a resumed run repeats nothing", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(1e9),
      fc.record({
        scope: fc.constantFrom("task", "remaining"),
        every: fc.constantFrom(undefined, 1, 3),
        maxReplans: fc.integer({ min: 0, max: 6 }),
        recursive: fc.boolean(),
      }),
      fc.record({ concurrency: fc.integer({ min: 1, max: 4 }), atOnce: fc.integer({ min: 1, max: 3 }) }),
      async (seed, policy, { concurrency, atOnce }) => {
        const journal = memoryJournal();
        const plan = randomPlan(seed);
        const events: RunEvent[] = [];
        const options = {
          executors: executors(0.3),
          journal,
          concurrency,
          limits: { resources: { work: atOnce } },
          replanPolicy: { ...policy, on: ["failure", "marked"] as const },
          replan: randomReplan(seed),
          onEvent: (event: RunEvent) => void events.push(event),
        };
        const result = await ending(run(plan, { ...options, runId: "r" }));
        checkOrder(events);
        const stored = await journal.getRun("r");
        expect(stored.plan.planned_tasks.map(({ task_id }) => task_id)).toEqual(
          result.plan.planned_tasks.map(({ task_id }) => task_id),
        );
        expect([...planHashes(stored.plan)]).toEqual([...planHashes(result.plan)]);
        const report = await verifyRun(journal, "r");
        expect(report.problems).toEqual([]);
        expect((await replay("r", { journal })).divergence).toBeUndefined();
        expect(result.revisions?.length ?? 0).toBeLessThanOrEqual(policy.maxReplans);
        for (const { status } of result.results) expect(["completed", "failed", "skipped"]).toContain(status);
        const done = result.results.filter(({ status }) => status === "completed").map(({ task_id }) => task_id);
        events.length = 0;
        await ending(resume("r", { ...options, executors: executors(0), replanPolicy: { on: [] } }));
        const again = events.flatMap((event) => (event.type === "task-start" ? [event.taskId] : []));
        expect(again.filter((id) => done.includes(id))).toEqual([]);
        expect((await verifyRun(journal, "r")).problems).toEqual([]);
      },
    ),
    { numRuns: cases(100) },
  );
}, 600_000);

test("each revision of a run breaks nothing, as a slow checker sees it", async () => {
  for (let seed = 0; seed < 60; seed++) {
    const plan = randomPlan(seed);
    const replan = randomReplan(seed);
    const faults: string[] = [];
    await run(plan, {
      executors: executors(0.4),
      replanPolicy: { maxReplans: 5 },
      replan: async (region, context) => {
        const patch = await replan(region, context);
        if (patch === undefined || region.verify(patch).some(({ severity }) => severity === "error")) return patch;
        faults.push(...brokenInvariants(region.plan, patch, applyPatch(region.plan, patch, { inputs: "any" })));
        return patch;
      },
    });
    expect(faults).toEqual([]);
  }
}, 600_000);
