import { type PlannerTaskInput, TaskData, validatePlan } from "@planloom/plan";
import { defineTool, memoryJournal, replay, run, toolExecutor, verifyRun } from "@planloom/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";

const call = defineTool({
  id: "call",
  description: "",
  readOnly: true,
  execute: ({ fails }) => {
    if (fails === true) throw new Error("no");
    return { value: 1, yes: true };
  },
});

/** What one task of a plan is; numbers choose among the tasks before it. */
const drawn = fc.record({
  decides: fc.boolean(),
  answer: fc.constantFrom("true", "false"),
  join: fc.constantFrom(undefined, "all" as const, "any" as const, "none_failed" as const),
  branch: fc.option(fc.record({ of: fc.nat(), name: fc.constantFrom("a", "b"), optional: fc.boolean() })),
  condition: fc.option(fc.constantFrom("true", "1 = 2"), { freq: 5 }),
  reads: fc.array(fc.record({ of: fc.nat(), optional: fc.boolean() }), { maxLength: 3 }),
  after: fc.array(fc.nat(), { maxLength: 2 }),
  fails: fc.boolean(),
});

function planOf(all: readonly (typeof drawn extends fc.Arbitrary<infer Task> ? Task : never)[]): TaskData {
  const tasks: PlannerTaskInput[] = [];
  const decisions: string[] = [];
  const calls: string[] = [];
  const among = (ids: readonly string[], number: number) => (ids.length === 0 ? undefined : ids[number % ids.length]);
  for (const [number, { decides, answer, join, branch, condition, reads, after, fails }] of all.entries()) {
    const task_id = `t${number}`;
    const decision = branch && among(decisions, branch.of);
    const asked = decision && `\${${decision}.${branch.name}${branch.optional ? "?} = true" : "}"}`;
    const sources = reads.flatMap(({ of, optional }) => {
      const source = among(calls, of);
      return source === undefined ? [] : [`\${${source}.value${optional ? "?" : ""}}`];
    });
    const when = asked ?? condition ?? undefined;
    const dependencies = after.flatMap((of) => among([...calls, ...decisions], of) ?? []);
    const common = {
      task_id,
      dependencies,
      ...(join && { join }),
      ...(when !== undefined && { when: { condition: when } }),
    };
    tasks.push(
      decides
        ? { ...common, choose: { branches: [{ name: "a", condition: answer }], else: "b" } }
        : { ...common, tool_id: "call", arguments: { sources, fails: fails && number % 3 === 0 } },
    );
    (decides ? decisions : calls).push(task_id);
  }
  return TaskData.parse({ planned_tasks: tasks });
}

test("what validation accepts reads nothing that was skipped, and is verified and replayed as it ran", async () => {
  let ran = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { minLength: 3, maxLength: 9 }), async (all) => {
      const plan = planOf(all);
      if (validatePlan(plan).some(({ severity }) => severity === "error")) return;
      ran++;
      const journal = memoryJournal();
      const { results, run_id } = await run(plan, {
        executors: [toolExecutor([call])],
        journal,
        retry: { max_attempts: 1 },
      });
      expect(
        results.filter(({ error }) => error?.code === "TASK_REFERENCE" || error?.code === "TASK_CONDITION"),
      ).toEqual([]);
      expect((await verifyRun(journal, run_id)).problems).toEqual([]);
      expect((await replay(run_id, { journal })).divergence).toBeUndefined();
    }),
    { numRuns: cases(300) },
  );
  expect(ran).toBeGreaterThan(20);
});
