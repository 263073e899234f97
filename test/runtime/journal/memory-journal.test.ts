import { defineTool, memoryJournal, resume, run, toolExecutor } from "@planloom/runtime";
import { expect, test } from "vitest";
import { journalContract } from "../../contract/journal.ts";
import { owner, storedRun } from "../../contract/journal-subject.ts";

journalContract("memory", async () => {
  const journal = memoryJournal({ events: true });
  return { journal, another: async () => journal, dispose: () => journal.close() };
});

const executors = [toolExecutor([defineTool({ id: "one", description: "", execute: () => 1 })])];
const plan = (more: { approval?: "required" } = {}) => ({
  planned_tasks: [{ task_id: "a", execution_type: "tool" as const, tool_id: "one", ...more }],
});

test("of ended runs the last ones stay, with all that are open", async () => {
  const journal = memoryJournal({ maxEndedRuns: 3 });
  const given = { executors, journal };
  await run(plan({ approval: "required" }), { ...given, runId: "waits" });
  for (let at = 0; at < 6; at++) await run(plan(), { ...given, runId: `r${at}`, cache: { resources: ["one"] } });
  expect((await journal.listRuns()).map(({ run_id }) => run_id).sort()).toEqual(["r3", "r4", "r5", "waits"]);
  // What is resumed ends last.
  await resume("r3", given);
  await run(plan(), { ...given, runId: "r6" });
  expect((await journal.listRuns()).map(({ run_id }) => run_id).sort()).toEqual(["r3", "r5", "r6", "waits"]);
  await expect(journal.getRun("r0")).rejects.toMatchObject({
    code: "RUNTIME_RUN_NOT_FOUND",
    message: expect.stringContaining("It keeps 3 ended runs (maxEndedRuns) and has forgotten 4."),
  });
  expect(await journal.purgeCache?.({ runId: "r0", dryRun: true })).toBe(0);
});

test("without options a thousand ended runs stay, and all of them where they are asked for", async () => {
  for (const [options, expected] of [
    [{}, 1_000],
    [{ maxEndedRuns: Number.POSITIVE_INFINITY }, 1_003],
  ] as const) {
    const journal = memoryJournal(options);
    for (let at = 0; at < 1_003; at++) {
      await journal.createRun(storedRun(`r${at}`), owner("o"));
      await journal.endRun(`r${at}`, owner("o"), "completed");
    }
    expect(await journal.listRuns({ limit: Number.POSITIVE_INFINITY })).toHaveLength(expected);
  }
  for (const wrong of [-1, 1.5, Number.NaN, "5"]) {
    const invalid = expect.objectContaining({ code: "RUNTIME_INVALID_OPTION" });
    expect(() => memoryJournal({ maxEndedRuns: wrong as number })).toThrow(invalid);
  }
});
