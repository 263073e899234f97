import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defineTool, type Journal, memoryJournal, resume, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const size = 40_000;
const textOf = (id: string) => id.padEnd(size, ".");
let made: string[];
let seen: Map<string, unknown>;
let failing: string;
const executors = [
  toolExecutor([
    defineTool({
      id: "write",
      description: "",
      execute: (input) => {
        const { id } = input as { id: string };
        if (id === failing) throw new Error("It fails for now.");
        made.push(id);
        seen.set(id, input);
        return { text: textOf(id), small: id };
      },
    }),
  ]),
];
/** 20 tasks one after another; every fifth reads the first two and the one before. */
const tasks = Array.from({ length: 20 }, (_, at) => ({
  task_id: `t${at}`,
  execution_type: "tool" as const,
  tool_id: "write",
  dependencies: at === 0 ? [] : [`t${at - 1}`],
  arguments: {
    id: `t${at}`,
    ...(at % 5 === 4 && { both: ["${t0.text}", "${t1.text}"], text: `${"${t0.small}"} and \${t${at - 1}.small}` }),
  },
}));
const plan = { planned_tasks: tasks };

let folder: string;
let file: string;
let journal: SqliteJournal;
let reads: string[];
/** The journal, counting what is read back. */
let counting: Journal;
beforeEach(async () => {
  made = [];
  seen = new Map();
  failing = "";
  reads = [];
  folder = await mkdtemp(join(tmpdir(), "planloom-large-"));
  file = join(folder, "j.sqlite");
  journal = await SqliteJournal.open(file);
  counting = new Proxy<Journal>(journal, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (name === "getOutput") reads.push(String(given[1]));
        return Reflect.apply(value, target, given);
      };
    },
  });
});
afterEach(async () => {
  await journal.close();
  await rm(folder, { recursive: true });
});

const little = { outputMemoryBytes: 3 * size };

test("a run whose outputs fit is as it always was: nothing leaves memory", async () => {
  const kept = await run(plan, { executors, journal: counting, runId: "r" });
  const inMemory = await run(plan, { executors, journal: memoryJournal(), runId: "r" });
  expect(reads).toEqual([]);
  expect(kept.output_data).toEqual(inMemory.output_data);
  expect(kept).not.toHaveProperty("stored_outputs");
  expect(kept.results.map(({ output, input }) => ({ output, input }))).toEqual(
    inMemory.results.map(({ output, input }) => ({ output, input })),
  );
});

test.each<[string, () => unknown, string]>([
  [
    "throws",
    () => {
      throw new Error("boom");
    },
    "RUNTIME_JOURNAL_READ",
  ],
  ["rejects", () => Promise.reject(new Error("boom")), "RUNTIME_JOURNAL_READ"],
  ["never settles", () => new Promise(() => {}), "RUNTIME_JOURNAL_TIMEOUT"],
])("an output that cannot be read back since `getOutput` %s: the error names it", async (_, getOutput, code) => {
  const faulty = new Proxy<Journal>(journal, {
    get(target, name) {
      if (name === "getOutput") return getOutput;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const options = { executors, journal: faulty, runId: "r", journalTimeoutMs: 200, ...little };
  const ended = await run(plan, options).catch((error: unknown) => ({ rejects: error }));
  const error = "rejects" in ended ? ended.rejects : ended.results.find(({ status }) => status === "failed")?.error;
  expect(error).toMatchObject({ code, message: expect.stringContaining("`getOutput`") });
});

describe("a run whose outputs take more memory than they may", () => {
  test("gives each task its input, reads back only what has left, and names what the result does not hold", async () => {
    const result = await run(plan, { executors, journal: counting, runId: "r", ...little });
    expect(result.end_reason).toBe("completed");
    expect(reads).toEqual(expect.arrayContaining(["t0", "t1"]));
    expect(reads.filter((id) => !["t0", "t1", "t3", "t8", "t13", "t18"].includes(id))).toEqual([]);
    for (const at of [4, 9, 14, 19]) {
      const both = [textOf("t0"), textOf("t1")];
      expect(seen.get(`t${at}`)).toEqual({ id: `t${at}`, both, text: `t0 and t${at - 1}` });
    }
    expect(result.stored_outputs).toEqual(tasks.map(({ task_id }) => task_id));
    expect(result.output_data).toEqual({});
    expect(result.results[3]).toMatchObject({ status: "completed", output_bytes: expect.any(Number) });
    expect(result.results[3]).not.toHaveProperty("output");
    expect(await journal.getOutput("r", "t3")).toEqual({ text: textOf("t3"), small: "t3" });
  });

  test.for([
    ["all", 20, ["t19"]],
    ["sinks", 1, ["t19"]],
    ["none", 0, []],
  ] as const)("outputs: %s", async ([outputs, count, sinks]) => {
    const result = await run(plan, { executors, journal, runId: "r", outputs, ...little });
    expect(result.results.filter(({ output }) => output !== undefined)).toHaveLength(count);
    expect(Object.keys(result.output_data)).toEqual(sinks);
    expect(result.stored_outputs ?? []).toHaveLength(20 - count);
    if (count > 0) expect(result.output_data.t19).toEqual({ text: textOf("t19"), small: "t19" });
  });

  test("is resumed without reading what nobody needs", async () => {
    failing = "t14";
    expect((await run(plan, { executors, journal, runId: "r" })).end_reason).toBe("failed");
    failing = "";
    made = [];
    const result = await resume("r", { executors, journal: counting, ...little });
    expect(result.end_reason).toBe("completed");
    expect(made).toEqual(["t14", "t15", "t16", "t17", "t18", "t19"]);
    expect(seen.get("t14")).toMatchObject({ both: [textOf("t0"), textOf("t1")], text: "t0 and t13" });
    expect(reads).toEqual(expect.arrayContaining(["t0", "t1", "t13"]));
    expect(reads.filter((id) => !["t0", "t1", "t13", "t18"].includes(id))).toEqual([]);
  });

  test("ends with the journal's code where an output that is needed is not what was written", async () => {
    const damaged = new DatabaseSync(file);
    const options = { executors, journal, runId: "r", ...little };
    const damaging = run(plan, {
      ...options,
      onEvent: (event) => {
        if (event.type !== "task-end" || event.taskId !== "t7") return;
        damaged.exec("UPDATE blobs SET value = replace(value, 't0.', 'tX.')");
      },
    });
    await expect(damaging).rejects.toMatchObject({ code: "RUNTIME_JOURNAL_CORRUPT", message: /output of task "t0"/ });
    damaged.close();
    expect(made).not.toContain("t9");
  });
});

test("a small resumed run has its large outputs in the result, too", async () => {
  await run(plan, { executors, journal, runId: "r", signal: AbortSignal.abort() });
  const done = await resume("r", { executors, journal });
  expect(done.output_data.t19).toEqual({ text: textOf("t19"), small: "t19" });
  const again = await resume("r", { executors, journal });
  expect(again.results.map(({ output }) => output)).toEqual(done.results.map(({ output }) => output));
  expect(again).not.toHaveProperty("stored_outputs");
});

test("a replanner and subgraphs that go whole are given all outputs", async () => {
  failing = "t14";
  await run(plan, { executors, journal, runId: "r" });
  failing = "";
  const replan = async () => undefined;
  const result = await resume("r", { executors, journal, replanPolicy: { on: ["failure"] }, replan, ...little });
  expect(result.results.map(({ output }) => output)).toEqual(
    tasks.map(({ task_id }) => ({ text: textOf(task_id), small: task_id })),
  );
});

test.for([
  ["outputs", "some"],
  ["outputMemoryBytes", -1],
])("%s of %s is refused", async ([option, value]) => {
  const options = { executors, journal, [String(option)]: value };
  await expect(run(plan, options)).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION", details: { option } });
});
