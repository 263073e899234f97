import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  approve,
  defineTool,
  deny,
  memoryJournal,
  resume,
  SqliteJournal,
  supplyOutput,
  toolExecutor,
  waitingFor,
} from "@planloom/runtime";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { diedPaying, outsideWorld, payments } from "../support/cut-off-payments.ts";

describe("a process that is killed during a call", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "planloom-unknown-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const child = `
import { appendFileSync } from "node:fs";
import { defineTool, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
const [, file, log, durability] = process.argv;
const journal = await SqliteJournal.open(file, { durability });
// Real time: the process is killed long before.
const execute = () => { appendFileSync(log, "paid\\n"); return new Promise((resolve) => setTimeout(resolve, 60_000)); };
const tool = defineTool({ id: "pay", description: "", execute });
await run({ planned_tasks: [{ task_id: "pay", execution_type: "tool", tool_id: "pay" }] }, { runId: "r", journal, executors: [toolExecutor([tool])] });`;

  test.for(["full", "sync"])("durability %s: it is asked about", async (durability) => {
    const [file, log] = [join(folder, `${durability}.sqlite`), join(folder, `${durability}.log`)];
    const process1 = spawn(process.execPath, ["--input-type=module", "-e", child, file, log, durability], {
      stdio: "inherit",
      cwd: join(import.meta.dirname, "../../packages/runtime"),
    });
    await vi.waitUntil(() => existsSync(log) && readFileSync(log, "utf8") !== "", 60_000);
    process1.kill("SIGKILL");
    await once(process1, "exit");
    const journal = await SqliteJournal.open(file);
    let again = 0;
    const executors = [toolExecutor([defineTool({ id: "pay", description: "", execute: () => ++again })])];
    expect((await resume("r", { executors, journal })).end_reason).toBe("waiting_approval");
    expect(again).toBe(0);
    await approve("r", "pay", { journal });
    expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
    expect(again).toBe(1);
    expect(readFileSync(log, "utf8")).toBe("paid\n");
    await journal.close();
  });
});

describe("an answer about a call that was cut off", () => {
  test("is refused before the run was resumed, with the truth: the call was begun", async () => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    await diedPaying(journal, outside);
    expect(await waitingFor("r", { journal })).toEqual([]);
    const refusal = {
      code: "RUNTIME_NOT_YET_ASKED",
      message: expect.stringMatching(/^The call of "pay" by task "pay" .* was begun at .*resume the run first/),
      details: { begun_at: expect.any(String) },
    };
    for (const id of ["pay", "pay#begun"]) {
      await expect(deny("r", id, { journal })).rejects.toMatchObject(refusal);
      await expect(approve("r", id, { journal })).rejects.toMatchObject(refusal);
      await expect(supplyOutput("r", id, 1, { journal })).rejects.toMatchObject(refusal);
    }
    // What was not begun still has no input.
    await expect(approve("r", "after", { journal })).rejects.toThrow("its input does not exist yet");
  });

  test("cannot edit the input, and does not undo what somebody said it gave", async () => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    await diedPaying(journal, outside);
    const executors = payments(outside);
    await resume("r", { journal, executors });
    await expect(approve("r", "pay#begun", { journal, input: { a: 1 } })).rejects.toMatchObject({
      code: "RUNTIME_INVALID_ANSWER",
      message: expect.stringContaining("given its result (`supplyOutput`); its input cannot be edited"),
    });
    await supplyOutput("r", "pay", { paid: "once" }, { journal, by: "Ada" });
    await expect(approve("r", "pay#begun", { journal, by: "Bob" })).rejects.toMatchObject({
      code: "RUNTIME_ALREADY_ANSWERED",
      details: { by: "Ada", output: { paid: "once" } },
    });
    await expect(supplyOutput("r", "pay", "other", { journal })).rejects.toMatchObject({
      code: "RUNTIME_ALREADY_ANSWERED",
    });
    const result = await resume("r", { journal, executors });
    expect(result.results.find(({ task_id }) => task_id === "pay")?.output).toEqual({ paid: "once" });
    expect(outside.done.filter((call) => call === "pay pay")).toHaveLength(1);
  });

  test("is final as a no, and the error names who said it", async () => {
    const [journal, outside] = [memoryJournal(), outsideWorld()];
    await diedPaying(journal, outside);
    const executors = payments(outside);
    await resume("r", { journal, executors });
    await deny("r", "pay", { journal, by: "Eve", note: "not now" });
    await expect(supplyOutput("r", "pay", 1, { journal })).rejects.toMatchObject({ code: "RUNTIME_ALREADY_DENIED" });
    const result = await resume("r", { journal, executors });
    expect(result.results.find(({ task_id }) => task_id === "pay")?.error?.message).toMatch(
      /Eve said no to making it again: not now\.$/,
    );
  });
});
