import { approve, defineTool, memoryJournal, resume, run, toolExecutor, waitingFor } from "@planloom/runtime";
import { expect, test } from "vitest";

test("of two calls of one id a yes answers the one that was shown, and none where it is not said which", async () => {
  const calls: unknown[] = [];
  const act = defineTool({ id: "act", description: "", execute: ({ n }) => void calls.push(n) });
  const gated = (task_id: string, n: string) => ({
    task_id,
    tool_id: "act",
    approval: "required" as const,
    arguments: { n },
  });
  // A Planloom refuses such a plan; a run of an earlier version may have it.
  const plan = {
    planned_tasks: [
      { task_id: "l", for_each: { items: [1], tasks: [gated("in", "within")] } },
      gated("l[0]/in", "beside"),
    ],
  };
  const journal = memoryJournal();
  const options = { executors: [toolExecutor([act])], journal };
  expect(await run(plan, { ...options, runId: "r" })).toMatchObject({ end_reason: "waiting_approval" });
  const asked = await waitingFor("r", { journal });
  expect(asked.map(({ id }) => id)).toEqual(["l[0]/in", "l[0]/in"]);
  await expect(approve("r", "l[0]/in", { journal })).rejects.toMatchObject({
    code: "RUNTIME_INVALID_ANSWER",
    message: expect.stringContaining("`contentHash`"),
  });
  const { content_hash } = asked.find(({ input }) => input?.n === "beside")!;
  await approve("r", "l[0]/in", { journal, contentHash: content_hash });
  expect(await resume("r", options)).toMatchObject({ end_reason: "waiting_approval" });
  expect(calls).toEqual(["beside"]);
});
