import { type Journal, memoryJournal, run, SharedLimits, TaskFailure } from "@planloom/runtime";
import fc from "fast-check";
import { expect } from "vitest";
import { planOf, tools } from "./run-plans.ts";

const limit = fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY);
const tenantKeys = ["a", "b", "c"] as const;
const toolIds = ["x", "y"] as const;

const randomRun = fc.record({
  /** Which of the instances runs it, modulo their number. */
  instance: fc.nat(2),
  tenant: fc.constantFrom(...tenantKeys),
  concurrency: fc.integer({ min: 1, max: 5 }),
  /** Turns of the event loop until the run is cancelled. */
  cancelAfter: fc.option(fc.nat(20), { nil: undefined }),
  journaled: fc.boolean(),
  beginAfter: fc.nat(6),
  tasks: fc.array(
    fc.record({
      tool: fc.constantFrom(...toolIds),
      /** Turns that a call takes. */
      turns: fc.nat(4),
      after: fc.option(fc.nat(5), { nil: undefined }),
      fails: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

const turns = async (n: number) => {
  for (let turn = 0; turn < n; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** What the limits are kept in: one object, or several that have a journal in common. */
interface Instances {
  readonly count: number;
  /** @default none: the limits are this object's own */
  readonly journal?: () => Journal;
  /** What is checked once the instances are closed. */
  readonly afterwards?: (journal: Journal) => Promise<void>;
}

/** A property of random runs under random limits: no limit is ever exceeded, every run ends, and nothing is kept. */
export function limitsAreKept({ count, journal: openJournal, afterwards }: Instances) {
  return fc.asyncProperty(
    fc.record({
      all: limit,
      x: limit,
      a: limit,
      each: limit,
      maxRuns: limit,
      calls: fc.option(fc.integer({ min: 0, max: 12 })),
    }),
    fc.array(randomRun, { minLength: 1, maxLength: 7 }),
    async (limits, runs) => {
      const now = new Map<string, number>();
      const most = new Map<string, number>();
      const add = (key: string, by: number) => {
        now.set(key, (now.get(key) ?? 0) + by);
        most.set(key, Math.max(most.get(key) ?? 0, now.get(key)!));
      };
      let made = 0;
      const handler = (tool: string) => async (input: Record<string, unknown>, context: { signal: AbortSignal }) => {
        made++;
        const keys = ["all", tool, String(input.tenant), `${input.tenant}/${tool}`];
        for (const key of keys) add(key, 1);
        for (let turn = 0; turn < Number(input.turns) && !context.signal.aborted; turn++) await turns(1);
        for (const key of keys) add(key, -1);
        if (input.fails) throw new TaskFailure("TASK_FAILED", "as asked", { retryable: false });
      };
      const executors = [tools({ x: handler("x"), y: handler("y") })];
      const together = openJournal?.();
      const instances = Array.from(
        { length: count },
        () =>
          new SharedLimits({
            ...(together !== undefined && { journal: together }),
            concurrency: limits.all,
            maxRuns: limits.maxRuns,
            limits: { resources: { x: limits.x } },
            tenants: { a: { concurrency: limits.a } },
            eachTenant: { limits: { resources: { y: limits.each } } },
            ...(limits.calls !== null && { budgets: { total: { calls: limits.calls } } }),
          }),
      );
      const ended = runs.map(async ({ instance, tenant, concurrency, cancelAfter, journaled, beginAfter, tasks }) => {
        const controller = new AbortController();
        const plan = planOf(
          Object.fromEntries(
            tasks.map(({ after }, at) => [`t${at}`, after === undefined || after >= at ? [] : [`t${after}`]]),
          ),
          Object.fromEntries(
            tasks.map(({ tool, turns, fails }, at) => [
              `t${at}`,
              { tool_id: tool, arguments: { tenant, turns, fails, at } },
            ]),
          ),
        );
        await turns(beginAfter);
        const journal = journaled ? memoryJournal() : undefined;
        const shared = instances[instance % count]!;
        const running = run(plan, { executors, shared, tenant, concurrency, journal, signal: controller.signal });
        if (cancelAfter !== undefined) void turns(cancelAfter).then(() => controller.abort());
        return running;
      });
      const reasons = (await Promise.all(ended)).map(({ end_reason }) => end_reason);
      expect(reasons).not.toContain("stalled");
      expect(most.get("all") ?? 0).toBeLessThanOrEqual(limits.all);
      expect(most.get("x") ?? 0).toBeLessThanOrEqual(limits.x);
      expect(most.get("a") ?? 0).toBeLessThanOrEqual(limits.a);
      for (const key of ["b", "c"]) expect(most.get(`${key}/y`) ?? 0).toBeLessThanOrEqual(limits.each);
      expect(made).toBeLessThanOrEqual(limits.calls ?? Number.POSITIVE_INFINITY);
      for (const shared of instances) {
        expect(shared.load()).toEqual({ calls: 0, queuedCalls: 0, runs: 0, queuedRuns: 0 });
        expect(shared.tenants).toEqual([]);
        await shared.close();
      }
      if (together !== undefined) await afterwards?.(together);
    },
  );
}
