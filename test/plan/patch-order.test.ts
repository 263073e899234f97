import { draftPatch, effectiveDependencies, findCycle, IssueCode, PlanPatch, type TaskData } from "@planloom/plan";
import { expect, test } from "vitest";
import { examinePatch } from "../../packages/plan/src/patch/verify-patch.ts";
import { cases } from "../support/cases.ts";
import { mulberry32 } from "../support/layered-dag.ts";
import { randomRunningPlan } from "../support/patch-attacks.ts";
import { planOf, task } from "../support/plans.ts";

const tool = (id: string, more: object = {}) =>
  task({ task_id: id, execution_type: "tool", tool_id: `use_${id}`, ...more });
const cycleOf = (plan: TaskData, patch: unknown): readonly string[] =>
  examinePatch(plan, patch)
    .issues.filter(({ code }) => code === IssueCode.CYCLE)
    .map(({ actual }) => actual ?? "");

test.for([
  {
    name: "one task in the place of two with another between them",
    replacements: [
      { task_id: "a", replaced_by: ["ac"], output_from: "ac" },
      { task_id: "c", replaced_by: ["ac"], output_from: "ac" },
    ],
    tasks: [tool("ac", { main_task_id: "a", dependencies: ["b"] })],
    cycle: "b -> ac -> b",
  },
  {
    name: "new tasks that wait for each other",
    replacements: [{ task_id: "b", replaced_by: ["b1", "b2"], output_from: "b2" }],
    tasks: [
      tool("b1", { main_task_id: "b", dependencies: ["a", "b2"] }),
      tool("b2", { main_task_id: "b", dependencies: ["a", "b1"] }),
    ],
    cycle: "b1 -> b2 -> b1",
  },
  {
    name: "a reader that is to read itself",
    replacements: [
      { task_id: "a", replaced_by: [], output_from: "b" },
      { task_id: "c", replaced_by: ["d"], output_from: "d" },
    ],
    tasks: [tool("d", { main_task_id: "c", dependencies: ["b"] })],
    cycle: "b -> b",
  },
])("a cycle is named: $name", ({ replacements, tasks, cycle }) => {
  const plan = planOf([
    tool("a"),
    tool("b", { arguments: { x: "${a.v}" } }),
    tool("c", { arguments: { x: "${b.v}" } }),
  ]);
  const patch = PlanPatch.parse({ plan_id: plan.task_id, replacements, tasks });
  const turned = cycle.split(" -> ").slice(1);
  const rotations = turned.map((_, at) => [...turned.slice(at), ...turned.slice(0, at), turned[at]].join(" -> "));
  expect(rotations).toContain(cycleOf(plan, patch)[0]);
});

test("a patch makes a cycle when a search of the whole plan after it finds one, and only then", () => {
  let cyclic = 0;
  let ordered = 0;
  for (let seed = 0; seed < cases(3_000); seed++) {
    const random = mulberry32(seed);
    const running = randomRunningPlan(seed, 12);
    const plan = {
      ...running,
      planned_tasks: running.planned_tasks.map((each) => ({ ...each, status: "pending" as const })),
    };
    const ids = plan.planned_tasks.map(({ task_id }) => task_id);
    const some = () => ids[Math.floor(random() * ids.length)]!;
    const region = [...new Set([some(), some(), some()])];
    const joined = { tool_id: "joined", execution_type: "tool" as const, arguments: { n: seed }, replaces: region };
    const { patch } = draftPatch(plan, { tasks: [joined] });
    if (patch === undefined) continue;
    const heirs = random() < 0.3 ? [...ids, null] : [];
    const replacements = patch.replacements.map((each) => {
      const heir = heirs[Math.floor(random() * heirs.length)];
      return heir === undefined ? each : { ...each, output_from: heir };
    });
    const { issues, after } = examinePatch(plan, { ...patch, replacements });
    if (after === undefined) continue;
    const tasks = after.plan.planned_tasks;
    const found = findCycle(
      tasks.map(({ task_id }) => task_id),
      effectiveDependencies(after.plan),
    );
    expect(
      issues.some(({ code }) => code === IssueCode.CYCLE),
      `seed ${seed}`,
    ).toBe(found !== undefined);
    if (found === undefined) ordered++;
    else cyclic++;
  }
  expect(Math.min(cyclic, ordered)).toBeGreaterThan(cases(100));
});
