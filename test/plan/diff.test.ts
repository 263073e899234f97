import { applyPatch, diffPlans, draftPatch, planHashes, renderDiff, renderDiffMermaid } from "@planloom/plan";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { randomPatch, randomRunningPlan } from "../support/patch-attacks.ts";
import { plan as anyPlan, planOf, task } from "../support/plans.ts";

const first = planOf([
  task({ task_id: "fetch", description: "Fetch", estimate_data: { duration_ms: 100, cost: 1 } }),
  task({
    task_id: "parse",
    description: "Parse",
    tool_id: "old",
    arguments: { rows: "${fetch.rows}", deep: { limit: 5 } },
    estimate_data: { duration_ms: 300, cost: 2 },
  }),
  task({ task_id: "audit", description: "Audit", dependencies: ["fetch"] }),
  task({ task_id: "report", description: "Report", arguments: { text: "${parse.text}" }, dependencies: ["audit"] }),
]);

test("a revision: changed, added, removed, rewired, and what followed only in name is not mentioned", () => {
  const { patch } = draftPatch(first, {
    tasks: [
      {
        task_id: "parse",
        description: "Parse",
        tool_id: "new",
        arguments: { rows: "${fetch.rows}", deep: { limit: 7 } },
        replaces: ["parse"],
        estimate_data: { duration_ms: 50, cost: 3 },
      },
    ],
    drop: ["audit"],
  });
  const second = applyPatch(first, patch!);
  const diff = diffPlans(first, second);
  expect(diff).toMatchObject({
    equal: false,
    added: [],
    removed: [{ task_id: "audit", description: "Audit" }],
    renewed: [],
    changed: [
      {
        task_id: "parse_2",
        was: "parse",
        changes: [
          { path: "tool_id", before: "old", after: "new" },
          { path: "arguments.deep.limit", before: 5, after: 7 },
          { path: "estimate_data.duration_ms", before: 300, after: 50 },
          { path: "estimate_data.cost", before: 2, after: 3 },
        ],
      },
    ],
    rewired: [{ task_id: "report", waits_for: ["fetch"], no_longer: ["audit"] }],
    before: { tasks: 4, cost: 3, critical_path_ms: 2100 },
    after: { tasks: 3, cost: 4, critical_path_ms: 1150 },
  });
  expect(renderDiff(diff)).toBe(
    [
      "- audit  Audit",
      "~ parse → parse_2",
      '    tool_id: "old" → "new"',
      "    arguments.deep.limit: 5 → 7",
      "    estimate_data.duration_ms: 300 → 50",
      "    estimate_data.cost: 2 → 3",
      "> report  waits for fetch, no longer for audit",
      "4 → 3 tasks, longest path 2100 → 1150 ms, work 2400 → 1150 ms, cost 3 → 4",
      "",
    ].join("\n"),
  );
  const one = planOf([task({ task_id: "a" })]);
  expect(renderDiff(diffPlans(one, one))).toContain("1 task, longest path");
  const drawn = renderDiffMermaid(first, second);
  expect(drawn).toContain("class t1 changed");
  expect(drawn).toContain("class r0 removed");
  expect(drawn).toContain("t0 --> t1");
});

test("one task that became two is removed and added, with its lineage", () => {
  const tasks = ["a", "b"].map((task_id) => ({ task_id, tool_id: task_id, replaces: ["parse"] }));
  const { patch } = draftPatch(first, { tasks: [tasks[0]!, { ...tasks[1]!, dependencies: ["a"] }] });
  const diff = diffPlans(first, applyPatch(first, patch!));
  expect(diff.removed.map(({ task_id }) => task_id)).toEqual(["parse"]);
  expect(diff.added).toMatchObject([
    { task_id: "a", lineage: "parse" },
    { task_id: "b", lineage: "parse" },
  ]);
});

test("a plan does not differ from itself", () => {
  fc.assert(
    fc.property(anyPlan(), (plan) => {
      const copy = structuredClone(plan);
      expect(diffPlans(plan, copy)).toMatchObject({ equal: true });
      expect(renderDiff(diffPlans(plan, copy))).toMatch(/^No task differs\.\n/);
    }),
    { numRuns: cases(50) },
  );
});

test("what a patch leaves alone is not in the diff; what is in it changed its hash, its id or its neighbours", () => {
  let seen = 0;
  for (let seed = 0; seed < cases(200); seed++) {
    const plan = randomRunningPlan(seed);
    const patch = randomPatch(plan, seed + 7);
    if (patch === undefined) continue;
    let after: typeof plan;
    try {
      after = applyPatch(plan, patch);
    } catch {
      continue;
    }
    seen++;
    const diff = diffPlans(plan, after);
    const [before, now] = [planHashes(plan), planHashes(after)];
    for (const { task_id, was = task_id } of [...diff.changed, ...diff.rewired]) {
      expect(now.get(task_id)?.content_hash).not.toBe(before.get(was)?.content_hash);
    }
    const ids = new Set(patch.replacements.map((each) => each.task_id));
    for (const { was, task_id } of diff.changed) expect(ids.has(was ?? task_id)).toBe(true);
    for (const each of diff.removed) expect(ids.has(each.task_id)).toBe(true);
  }
  expect(seen).toBeGreaterThan(cases(30));
});

test("texts of a plan cannot steer a terminal or a diagram", () => {
  const bad = planOf([task({ task_id: "a", description: '\u001b[31m"]; click' })]);
  const diff = diffPlans(planOf([task({ task_id: "b" })]), bad);
  expect(renderDiff(diff)).not.toContain("\u001b");
  expect(renderDiffMermaid(planOf([task({ task_id: "b" })]), bad)).not.toContain('"];');
});

test("outputs that another task gives are said, and a task under another id gives the same", () => {
  const given = { ...first, outputs: { text: "report", rows: "parse", old: "audit" } };
  const { patch } = draftPatch(given, {
    tasks: [{ task_id: "parse", execution_type: "tool", tool_id: "new", replaces: ["parse"] }],
  });
  const revised = applyPatch(given, patch!);
  expect(revised.outputs).toMatchObject({ rows: "parse_2" });
  const outputs = { text: "fetch", rows: "parse_2", more: "audit" };
  const diff = diffPlans(given, { ...revised, outputs });
  expect(diff.outputs).toEqual([
    { name: "text", was: "report", is: "fetch" },
    { name: "old", was: "audit" },
    { name: "more", is: "audit" },
  ]);
  expect(renderDiff(diff)).toContain("~ output text: report → fetch\n~ output old: audit → nothing\n");
  expect(diffPlans(given, given)).not.toHaveProperty("outputs");
  expect(renderDiff(diffPlans(first, given))).toMatch(/^No task differs\.\n~ output text: nothing → report/);
});

test("times of tasks that a list has for each element are not asked, at any depth", () => {
  const listed = (time: string, limit: number) =>
    planOf([
      task({
        task_id: "each",
        for_each: {
          items: [1],
          tasks: [
            task({
              task_id: "inner",
              creation_time: time,
              last_update_time: time,
              for_each: {
                items: [1],
                tasks: [task({ task_id: "call", arguments: { limit }, creation_time: time, last_update_time: time })],
              },
            }),
          ],
        },
      }),
    ]);
  const one = listed("2026-11-30T09:00:00.000Z", 1);
  expect(diffPlans(one, listed("2026-11-30T10:00:00.000Z", 1)).equal).toBe(true);
  const path = "for_each.tasks[0].for_each.tasks[0].arguments.limit";
  expect(diffPlans(one, listed("2026-11-30T10:00:00.000Z", 2)).changed).toEqual([
    { task_id: "each", changes: [{ path, before: 1, after: 2 }] },
  ]);
});
