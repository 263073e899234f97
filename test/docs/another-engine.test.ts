import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Dispatcher, defineTool, memoryJournal, type RunOptions, run, toolExecutor } from "@planloom/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// The worked example of docs/distributed.md ("Another engine") is executed as it stands there, over an engine in memory.

const repository = join(import.meta.dirname, "../..");

interface Engine {
  start(id: string, job: string): Promise<void>;
  wait(id: string): Promise<string>;
  cancel(id: string): Promise<void>;
}
interface Example {
  engineDispatcher(engine: Engine): Dispatcher;
  executeJob(job: string, executors: RunOptions["executors"]): Promise<string>;
}

/** The code block of the section. */
function exampleText(): string {
  const page = readFileSync(join(repository, "docs/distributed.md"), "utf8");
  const section = page.slice(page.indexOf("## Another engine"));
  return /```ts\n([\s\S]*?)```/.exec(section)?.[1] ?? "";
}

describe("a dispatcher of another engine, as docs/distributed.md shows it", () => {
  let folder: string;
  let example: Example;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "planloom-example-"));
    const file = join(folder, "another-engine.ts");
    // Outside the repository nothing has this name.
    const runtime = pathToFileURL(join(repository, "packages/runtime/src/index.ts")).href;
    await writeFile(file, exampleText().replaceAll('"planloom/runtime"', JSON.stringify(runtime)));
    example = (await import(pathToFileURL(file).href)) as Example;
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const begun: string[] = [];
  const step = defineTool({
    id: "step",
    description: "",
    input: { type: "object" },
    execute: (input) => {
      const { id, from = [] } = input as { id: string; from?: readonly number[] };
      begun.push(id);
      return { value: from.reduce((sum, next) => sum + next, 1) };
    },
  });
  const executors = [toolExecutor([step])];
  const task = (id: string, dependencies: readonly string[] = []) => ({
    task_id: id,
    execution_type: "tool" as const,
    tool_id: "step",
    arguments: { id, from: dependencies.map((each) => `\${${each}.value}`) },
  });
  const tasks = [task("a"), task("b", ["a"]), task("c", ["a"]), task("d", ["b", "c"])];
  const subgraphs = [
    { subgraph_id: "S1", tasks: tasks.slice(0, 1), dependencies: [] },
    { subgraph_id: "S2", tasks: [tasks[1]!], dependencies: ["S1"] },
    { subgraph_id: "S3", tasks: tasks.slice(2), dependencies: ["S1", "S2"] },
  ] as never;

  /** Jobs by their ids, each begun once. */
  const memoryEngine = () => {
    const jobs = new Map<string, Promise<string>>();
    const cancelled: string[] = [];
    const engine: Engine = {
      async start(id, job) {
        if (!jobs.has(id)) jobs.set(id, example.executeJob(job, executors));
      },
      wait: (id) => jobs.get(id)!,
      async cancel(id) {
        cancelled.push(id);
      },
    };
    return { engine, jobs, cancelled };
  };

  test("has at most 150 lines", () => {
    const lines = exampleText().trimEnd().split("\n").length;
    expect(lines).toBeGreaterThan(20);
    expect(lines).toBeLessThanOrEqual(150);
  });

  test("executes each subgraph as one job, and outputs travel between them", async () => {
    begun.length = 0;
    const { engine, jobs } = memoryEngine();
    const dispatcher = example.engineDispatcher(engine);
    const journal = memoryJournal();
    const given = { executors, journal, runId: "r", semantics: "atomic" as const, subgraphs, dispatcher };
    const result = await run({ planned_tasks: tasks }, given);
    expect(result.end_reason).toBe("completed");
    expect(result.output_data).toMatchObject({ d: { value: 5 } });
    expect([...jobs.keys()]).toEqual(["r~S1~1", "r~S2~1", "r~S3~2"]);
    expect(begun).toEqual(["a", "b", "c", "d"]);
    expect((await journal.getTasks("r")).map(({ status }) => status)).toEqual(new Array(4).fill("completed"));
  });

  test("cancels the job of a run that is cancelled, and is refused where calls have to be asked for", async () => {
    const stop = new AbortController();
    const { engine, cancelled } = memoryEngine();
    const silent: Engine = {
      ...engine,
      start: async () => void queueMicrotask(() => stop.abort()),
      wait: () => new Promise<string>(() => {}),
    };
    const dispatcher = example.engineDispatcher(silent);
    const options = { executors, semantics: "atomic" as const, subgraphs, dispatcher };
    const result = await run({ planned_tasks: tasks }, { ...options, runId: "r", signal: stop.signal });
    expect(result.end_reason).toBe("cancelled");
    expect(cancelled).toEqual(["r~S1~1"]);
    const budgeted = run({ planned_tasks: tasks }, { ...options, budgets: { run: { calls: 1 } } });
    await expect(budgeted).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
  });
});
