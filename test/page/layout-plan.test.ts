import fc from "fast-check";
import { expect, test } from "vitest";
import { layerGraph } from "../../packages/page/app/layout/layer-graph.ts";
import { layoutPlan, type PlanShape, taskHeight, taskWidth } from "../../packages/page/app/layout/layout-plan.ts";
import { cpuTimer } from "../support/cpu-time.ts";
import { pageDataOf } from "../support/page-data.ts";

/** Edges lead from lower to higher numbers; groups are runs of numbers, so that their quotient has no cycle. */
const shape = fc
  .record({
    count: fc.integer({ min: 1, max: 60 }),
    pairs: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 150 }),
    perGroup: fc.integer({ min: 0, max: 9 }),
  })
  .map(({ count, pairs, perGroup }): PlanShape => {
    const edges = pairs.map(([a, b]) => [a % count, b % count].sort((x, y) => x - y)).filter(([a, b]) => a !== b);
    const groups = perGroup === 0 ? undefined : Array.from({ length: count }, (_, task) => Math.floor(task / perGroup));
    return {
      count,
      from: edges.map(([from]) => from!),
      to: edges.map(([, to]) => to!),
      groupOf: groups,
      groupCount: groups === undefined ? 0 : Math.ceil(count / perGroup),
    };
  });

test("every edge leads to a later layer", () => {
  fc.assert(
    fc.property(shape, ({ count, from, to }) => {
      const layer = layerGraph(count, { from, to });
      for (let edge = 0; edge < from.length; edge += 1) expect(layer[from[edge]!]!).toBeLessThan(layer[to[edge]!]!);
    }),
  );
});

test("tasks never overlap, dependents are to the right, and a group's tasks are inside of its area", () => {
  fc.assert(
    fc.property(shape, (plan) => {
      const { x, y, groups, width, height } = layoutPlan(plan);
      for (let task = 0; task < plan.count; task += 1) {
        expect(x[task]! >= 0 && y[task]! >= 0).toBe(true);
        expect(x[task]! + taskWidth <= width + 0.5 && y[task]! + taskHeight <= height + 0.5).toBe(true);
        for (let other = 0; other < task; other += 1) {
          const apart =
            Math.abs(x[task]! - x[other]!) >= taskWidth - 0.1 || Math.abs(y[task]! - y[other]!) >= taskHeight - 0.1;
          expect(apart).toBe(true);
        }
        const area = groups[plan.groupOf?.[task] ?? -1];
        if (area === undefined) continue;
        expect(x[task]! >= area.x && x[task]! + taskWidth <= area.x + area.width).toBe(true);
        expect(y[task]! >= area.y && y[task]! + taskHeight <= area.y + area.height + 0.1).toBe(true);
      }
      for (let edge = 0; edge < plan.from.length; edge += 1) {
        expect(x[plan.from[edge]!]! + taskWidth).toBeLessThanOrEqual(x[plan.to[edge]!]! + 0.1);
      }
    }),
  );
});

test("areas of groups never overlap", () => {
  fc.assert(
    fc.property(shape, (plan) => {
      const { groups } = layoutPlan(plan);
      for (const [at, a] of groups.entries()) {
        for (const b of groups.slice(0, at)) {
          const apart =
            a.x + a.width <= b.x + 0.1 ||
            b.x + b.width <= a.x + 0.1 ||
            a.y + a.height <= b.y + 0.1 ||
            b.y + b.height <= a.y + 0.1;
          expect(apart).toBe(true);
        }
      }
    }),
  );
});

test("a chain is a straight line", () => {
  const { x, y } = layoutPlan({ count: 5, from: [0, 1, 2, 3], to: [1, 2, 3, 4] });
  expect(new Set(y).size).toBe(1);
  expect([...x]).toEqual([...x].sort((a, b) => a - b));
});

test("10,000 tasks take less than two seconds", () => {
  const { tasks, edges } = pageDataOf(10_000).plan;
  const cpuMs = cpuTimer();
  layoutPlan({ count: tasks.length, ...edges });
  expect(cpuMs()).toBeLessThan(2_000);
});
