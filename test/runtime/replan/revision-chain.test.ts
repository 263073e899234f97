import { planHashes } from "@planloom/plan";
import {
  approve,
  fork,
  type Journal,
  memoryJournal,
  type Replan,
  type ResumeOptions,
  type RunOptions,
  replay,
  resume,
  run,
  verifyRun,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { echo, fails, tools, useInstead } from "../../support/replans.ts";
import { planOf } from "../../support/run-plans.ts";

describe("the revision chain", () => {
  type Given = RunOptions & Pick<ResumeOptions, "journal">;
  const options = (journal: Journal, more: Partial<RunOptions> = {}): Given => ({
    executors: tools({ a: fails, b: echo, c: echo, d: echo, spare: () => ({ n: 5 }) }),
    runId: "r1",
    replanPolicy: {},
    replan: useInstead("spare"),
    ...more,
    journal,
  });
  const plan = planOf(
    { x: [], a: ["x"], b: [], c: [], d: ["a", "c"] },
    { x: { tool_id: "c" }, b: { arguments: { n: "${a.n}" } } },
  );

  test("verify, replay, resume and fork go by the plan as it was and is", async () => {
    const journal = memoryJournal();
    const result = await run(plan, options(journal));
    expect(result.end_reason).toBe("completed");
    const stored = await journal.getRun("r1");
    expect(stored.plan.planned_tasks.map(({ task_id }) => task_id)).toEqual(["x", "a_2", "b", "c", "d"]);
    expect(stored.first_plan?.planned_tasks.map(({ task_id }) => task_id)).toEqual(["x", "a", "b", "c", "d"]);
    expect(stored.revisions).toMatchObject([{ causes: [{ task_id: "a", cause: "failure" }] }]);
    expect(planHashes(stored.plan)).toEqual(planHashes(result.plan));
    expect(await verifyRun(journal, "r1")).toMatchObject({ ok: true, problems: [] });
    expect(await replay("r1", { journal })).toMatchObject({ replayed: 5, unfinished: [] });
    expect((await journal.listRuns())[0]).toMatchObject({ tasks: 5, completed: 5, failed: 0 });
    const again = await resume("r1", options(journal));
    expect(again.results.every(({ recorded }) => recorded === true)).toBe(true);
    expect(again.replanned).toBe(true);
    const forked = await fork("r1", "a_2", { ...options(journal), runId: "r2" });
    expect(forked.results.filter(({ recorded }) => recorded !== true).map(({ task_id }) => task_id)).toEqual([
      "a_2",
      "b",
      "d",
    ]);
    expect(await verifyRun(journal, "r2")).toMatchObject({ ok: true });
  });

  test("a run that is cut off goes on with its revised plan, and counts its replans", async () => {
    const journal = memoryJournal();
    const controller = new AbortController();
    const first = await run(
      plan,
      options(journal, {
        signal: controller.signal,
        onEvent: (event) => {
          if (event.type === "patch-apply") controller.abort();
        },
      }),
    );
    expect(first.end_reason).toBe("cancelled");
    expect(first.plan.planned_tasks[1]?.task_id).toBe("a_2");
    const { runId: _, ...rest } = options(journal, { replanPolicy: { maxReplans: 1 } });
    const second = await resume("r1", rest);
    expect(second.end_reason).toBe("completed");
    expect(second.revisions).toHaveLength(1);
    expect(await verifyRun(journal, "r1")).toMatchObject({ ok: true, problems: [] });
  });

  test("the policy is kept with the run", async () => {
    const journal = memoryJournal();
    await run(plan, options(journal, { replan: async () => undefined, replanPolicy: { maxReplans: 2 } }));
    const resumed = await resume("r1", { executors: options(journal).executors, journal, replan: useInstead("spare") });
    expect(resumed).toMatchObject({ end_reason: "completed", replanned: true });
  });

  test("approval is asked only for what changed", async () => {
    const journal = memoryJournal();
    const gated = planOf(
      { x: [], a: [], b: ["a"], free: [] },
      { x: { tool_id: "c", approval: "required" }, b: { approval: "required" }, free: { tool_id: "c" } },
    );
    const given = options(journal, { replanPolicy: { approval: "required" } });
    const waiting = (result: Awaited<ReturnType<typeof run>>) =>
      result.results.filter(({ status }) => status === "waiting_approval").map(({ task_id }) => task_id);
    const first = await run(gated, given);
    expect(waiting(first)).toEqual(["x", "a_2"]);
    expect(first.end_reason).toBe("waiting_approval");
    await approve("r1", "x", { journal });
    await approve("r1", "a_2", { journal });
    const { runId: _, ...rest } = given;
    const second = await resume("r1", rest);
    expect(waiting(second)).toEqual(["b"]);
    await approve("r1", "b", { journal });
    expect((await resume("r1", rest)).end_reason).toBe("completed");
  });

  test("a revision that cannot be kept ends the run before anything new starts", async () => {
    const journal = memoryJournal();
    const started: string[] = [];
    const racing: Replan = async (region, context) => {
      const patch = await useInstead("spare")(region, context);
      // Somebody else takes the run over meanwhile.
      const { addRevision } = journal;
      journal.addRevision = async (id, revision, owner) => {
        await addRevision(id, { ...revision, patch: { ...revision.patch, patch_id: "theirs" } }, owner);
        return addRevision(id, revision, owner);
      };
      return patch;
    };
    const onEvent: RunOptions["onEvent"] = (event) => {
      if (event.type === "task-start") started.push(event.taskId);
    };
    await expect(run(plan, options(journal, { replan: racing, onEvent }))).rejects.toMatchObject({
      code: "RUNTIME_REVISION_CONFLICT",
      details: { expected: "", actual: "theirs" },
    });
    expect(started).not.toContain("a_2");
  });
});
