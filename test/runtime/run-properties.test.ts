import {
  defineTool,
  memoryJournal,
  type RunEvent,
  type RunOptions,
  resume,
  run,
  toolExecutor,
} from "@planloom/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { planOf } from "../support/run-plans.ts";

interface RandomPlan {
  readonly edges: Readonly<Record<string, string[]>>;
  readonly failing: readonly string[];
  readonly concurrency: number;
}

const randomPlan: fc.Arbitrary<RandomPlan> = fc.integer({ min: 1, max: 14 }).chain((n) =>
  fc
    .record({
      pairs: fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 28 }),
      failing: fc.array(fc.nat(n - 1), { maxLength: 2 }),
      concurrency: fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY),
      shuffle: fc.shuffledSubarray(
        Array.from({ length: n }, (_, i) => i),
        { minLength: n },
      ),
    })
    .map(({ pairs, failing, concurrency, shuffle }) => {
      const edges: Record<string, string[]> = {};
      for (const task of shuffle) edges[`t${task}`] = [];
      for (const [from, to] of pairs) if (from < to) edges[`t${to}`]?.push(`t${from}`);
      return { edges, failing: failing.map((task) => `t${task}`), concurrency };
    }),
);

/** Executors whose every call waits until the scheduler lets it go on, in an order of its choice. */
function scheduled(scheduler: fc.Scheduler, failing: ReadonlySet<string>, ids: readonly string[], calls: string[]) {
  const make = (id: string) =>
    defineTool({
      id,
      description: "",
      async execute(input: Record<string, unknown>) {
        calls.push(id);
        await scheduler.schedule(Promise.resolve(), id);
        if (failing.has(id)) throw new Error(`${id} fails`);
        return { id, input };
      },
    });
  return [toolExecutor(ids.map(make))];
}

async function settle<T>(scheduler: fc.Scheduler, work: Promise<T>): Promise<T> {
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  while (!done) {
    if (scheduler.count() > 0) await scheduler.waitOne();
    else await new Promise((resolve) => setImmediate(resolve));
  }
  return ended;
}

function descendants(edges: Readonly<Record<string, string[]>>, origins: readonly string[]): Set<string> {
  const found = new Set<string>();
  const queue = [...origins];
  for (const task of queue) {
    for (const [next, dependencies] of Object.entries(edges)) {
      if (dependencies.includes(task) && !found.has(next)) {
        found.add(next);
        queue.push(next);
      }
    }
  }
  return found;
}

const started = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "task-start" ? [event.taskId] : []));

test("under any order of completions: no task starts before its dependencies, a failure takes exactly its descendants, limits hold", async () => {
  await fc.assert(
    fc.asyncProperty(randomPlan, fc.scheduler(), async ({ edges, failing, concurrency }, scheduler) => {
      const events: RunEvent[] = [];
      const broken: string[] = [];
      const running = new Set<string>();
      const completed = new Set<string>();
      const onEvent = (event: RunEvent) => {
        events.push(event);
        if (event.type === "task-start") {
          // A listener's errors are ignored by the run, so what it sees is judged afterwards.
          if (!edges[event.taskId]?.every((dependency) => completed.has(dependency)))
            broken.push(`${event.taskId} is early`);
          running.add(event.taskId);
          if (running.size > concurrency) broken.push(`${running.size} run at once`);
        } else if (event.type === "task-end") {
          running.delete(event.taskId);
          completed.add(event.taskId);
        } else if (event.type === "task-error") running.delete(event.taskId);
      };
      const ids = Object.keys(edges);
      const executors = scheduled(scheduler, new Set(failing), ids, []);
      const result = await settle(scheduler, run(planOf(edges), { executors, concurrency, onEvent }));

      expect(broken).toEqual([]);
      const skipped = descendants(edges, failing);
      for (const { task_id, status, skipped_because } of result.results) {
        const expected = skipped.has(task_id) ? "skipped" : failing.includes(task_id) ? "failed" : "completed";
        expect([task_id, status]).toEqual([task_id, expected]);
        if (skipped_because !== undefined) expect(descendants(edges, [skipped_because]).has(task_id)).toBe(true);
      }
      expect(result.results.map(({ task_id }) => task_id)).toEqual(ids);
      expect(new Set(started(events)).size).toBe(started(events).length);
      expect(result.end_reason).toBe(failing.length > 0 ? "failed" : "completed");
      expect(result.certificate.ratio).toBeGreaterThanOrEqual(1 - 1e-9);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    }),
    { numRuns: cases(150) },
  );
});

test("cancelling at any moment and resuming gives what an undisturbed run gives, and runs nothing completed again", async () => {
  await fc.assert(
    fc.asyncProperty(
      randomPlan,
      fc.nat(20),
      fc.scheduler(),
      fc.scheduler(),
      async ({ edges, concurrency }, after, first, second) => {
        const ids = Object.keys(edges);
        const plan = planOf(
          edges,
          Object.fromEntries(ids.map((id) => [id, { arguments: { from: edges[id]?.map((d) => `\${${d}.id}`) } }])),
        );
        const journal = memoryJournal();
        const controller = new AbortController();
        let events = 0;
        const onEvent = () => {
          if (++events > after) controller.abort(new Error("enough"));
        };
        const options = (scheduler: fc.Scheduler, calls: string[]): RunOptions => ({
          executors: scheduled(scheduler, new Set(), ids, calls),
          concurrency,
        });
        await settle(
          first,
          run(plan, { ...options(first, []), journal, runId: "r", signal: controller.signal, onEvent }),
        );
        const before = new Set((await journal.getTasks("r")).map(({ task_id }) => task_id));
        const calls: string[] = [];
        const result = await settle(second, resume("r", { ...options(second, calls), journal }));
        expect(new Set(calls)).toEqual(new Set(ids.filter((id) => !before.has(id))));
        expect(calls).toHaveLength(new Set(calls).size);
        for (const { task_id, output } of result.results)
          expect(output).toEqual({ id: task_id, input: { from: edges[task_id] } });
      },
    ),
    { numRuns: cases(80) },
  );
});
