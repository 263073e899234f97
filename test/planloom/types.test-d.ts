// What the types of `planloom` promise to those who write TypeScript. Nothing here is executed: `pnpm typecheck` checks it.
import {
  defineAgent,
  defineConfig,
  defineExecutor,
  defineTool,
  type EndReason,
  type Executor,
  type PlanIssue,
  Planloom,
  type PlanloomEvent,
  type PlanloomOptions,
  type PlanloomRunResult,
  PlannerTask,
  type RunResult,
  TaskData,
  type TaskResult,
} from "planloom";
import type { StreamGap } from "planloom/events";
import type { ExecutionContext, JsonSchema, PlannerTaskInput, TaskDataInput } from "planloom/plan";
import { agentExecutor, type RunPowers, run, toolExecutor } from "planloom/runtime";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";

const zodTool = defineTool({
  id: "lookup",
  description: "Looks a city up",
  input: z.object({ city: z.string(), limit: z.coerce.number().default(10), day: z.iso.date().optional() }),
  output: z.object({ rows: z.array(z.string()) }),
  execute(input, context) {
    // What the schema gives after parsing: the default is filled in, the optional field may be missing.
    expectTypeOf(input).toEqualTypeOf<{ city: string; limit: number; day?: string | undefined }>();
    expectTypeOf(context).toEqualTypeOf<ExecutionContext>();
    expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
    return { rows: [input.city] };
  },
});

describe("defineTool", () => {
  test("a transforming schema hands over what it transforms to", () => {
    defineTool({
      id: "t",
      description: "",
      input: z.object({ at: z.string().transform((text) => new Date(text)) }),
      execute: ({ at }) => expectTypeOf(at).toEqualTypeOf<Date>(),
    });
  });

  test("a JSON Schema that is written out gives an object of its properties", () => {
    defineTool({
      id: "t",
      description: "",
      input: {
        type: "object",
        properties: { city: { type: "string" }, limit: { type: "integer" } },
        required: ["city"],
      },
      execute: (input) => expectTypeOf(input).toEqualTypeOf<{ city: string; limit?: number }>(),
    });
  });

  test("a JSON Schema whose content is not known, or none, gives an object of unknown values", () => {
    const schema: JsonSchema = { type: "object" };
    defineTool({
      id: "t",
      description: "",
      input: schema,
      execute: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>(),
    });
    defineTool({
      id: "t",
      description: "",
      execute: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>(),
    });
  });

  test("tools of every schema go into one list", () => {
    const plain = defineTool({ id: "plain", description: "", execute: () => 1 });
    expectTypeOf(toolExecutor([zodTool, plain])).toEqualTypeOf<Executor>();
    expectTypeOf(defineConfig({ tools: [zodTool, plain] }).tools).toEqualTypeOf<PlanloomOptions["tools"]>();
  });

  test("what is missing or misspelt is refused", () => {
    // @ts-expect-error: there is nothing to call.
    defineTool({ id: "t", description: "" });
    // @ts-expect-error: it is called `readOnly`.
    defineTool({ id: "t", description: "", readonly: true, execute: () => 1 });
    // @ts-expect-error: `execute` is given a city, not a town.
    defineTool({ id: "t", description: "", input: z.object({ city: z.string() }), execute: ({ town }) => town });
  });
});

describe("run", () => {
  const plan: TaskDataInput = { planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "lookup" }] };

  test("gives results whose outputs must be looked at before they are used, never `any`", () => {
    const result = run(TaskData.parse(plan), { executors: [toolExecutor([zodTool])] });
    expectTypeOf(result).toEqualTypeOf<Promise<RunResult>>();
    expectTypeOf(new Planloom({ tools: [zodTool] }).run(plan)).toEqualTypeOf<Promise<PlanloomRunResult>>();
    expectTypeOf<RunResult["results"]>().toEqualTypeOf<readonly TaskResult[]>();
    expectTypeOf<RunResult["output_data"]>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
    expectTypeOf<TaskResult["output"]>().toBeUnknown();
    expectTypeOf<RunResult["end_reason"]>().toEqualTypeOf<EndReason>();
  });

  test("a schema of the tool reads its output with a type", () => {
    const rows = z.object({ rows: z.array(z.string()) });
    const read = (result: RunResult) => rows.parse(result.output_data.a).rows;
    expectTypeOf(read).returns.toEqualTypeOf<string[]>();
  });

  test("knows its options", () => {
    const planloom = new Planloom();
    // @ts-expect-error: misspelt.
    void planloom.run(plan, { concurency: 2 });
    // @ts-expect-error: a count of attempts, not a text.
    void planloom.run(plan, { concurrency: "2" });
    // @ts-expect-error: without executors there is nobody to execute.
    void run(TaskData.parse(plan), {});
  });
});

describe("records", () => {
  test("what is written may leave out what has a default; what is read has it", () => {
    expectTypeOf<{ task_id: string }>().toExtend<PlannerTaskInput>();
    expectTypeOf(PlannerTask.parse({}).dependencies).toEqualTypeOf<string[]>();
    expectTypeOf<TaskData["planned_tasks"]>().toEqualTypeOf<PlannerTask[]>();
    expectTypeOf<PlannerTask["execution_type"]>().toEqualTypeOf<"" | "agent" | "tool" | "llm" | "dsl">();
    expectTypeOf<TaskData>().toExtend<TaskDataInput>();
    expectTypeOf(new Planloom().validate).returns.toEqualTypeOf<PlanIssue[]>();
  });
});

describe("events", () => {
  const planloom = new Planloom();

  test("`on` narrows the event to the type that is listened for", () => {
    planloom.on("task-end", (event) => {
      expectTypeOf(event.type).toEqualTypeOf<"task-end">();
      expectTypeOf(event.taskId).toEqualTypeOf<string>();
      expectTypeOf(event.output).toBeUnknown();
      // @ts-expect-error: that is of a task that failed.
      event.error;
    });
    planloom.on("task-error", ({ error }) => expectTypeOf(error.code).toExtend<string>());
    expectTypeOf(planloom.on("run-end", () => {})).toEqualTypeOf<Planloom>();
    // @ts-expect-error: there is no such event.
    planloom.on("task-ended", () => {});
  });

  test("what `off` takes is what `on` took", () => {
    const listener = ({ taskId }: Extract<PlanloomEvent, { type: "task-start" }>) => taskId;
    planloom.on("task-start", listener).off("task-start", listener);
    // @ts-expect-error: a run's end has no task.
    planloom.on("run-end", listener);
  });

  test("a stream gives the same events, and the gaps between them", async () => {
    const stream = planloom.stream("goal");
    expectTypeOf(stream.result).toEqualTypeOf<Promise<PlanloomRunResult>>();
    for await (const event of stream) {
      expectTypeOf(event).toEqualTypeOf<PlanloomEvent | StreamGap>();
      if (event.type === "stream-gap") expectTypeOf(event.dropped).toEqualTypeOf<number>();
    }
  });
});

describe("other definitions", () => {
  test("an agent is sent to or is a model, never both", () => {
    const agent = defineAgent({
      id: "a",
      description: "",
      send: async ({ question }) => ({ success: true, data: { answer: question } }),
    });
    expectTypeOf(agentExecutor([agent])).toEqualTypeOf<Executor>();
    // @ts-expect-error: nobody is there to answer.
    defineAgent({ id: "a", description: "" });
  });

  test("a checkpoint gives what was made, as JSON", async () => {
    const { checkpoint } = {} as RunPowers;
    expectTypeOf(await checkpoint("a", () => ({ id: 1, tags: ["x"] }))).toEqualTypeOf<{ id: number; tags: string[] }>();
    expectTypeOf(await checkpoint("b", async () => ({ at: new Date() }))).toEqualTypeOf<{ at: string }>();
  });

  test("an executor keeps what it has beyond the port", () => {
    const executor = defineExecutor({
      kind: "tool",
      resources: () => [],
      execute: async ({ input_data }) => input_data,
      calls: 0,
    });
    expectTypeOf(executor.kind).toEqualTypeOf<"tool">();
    // @ts-expect-error: there is no such kind.
    defineExecutor({ kind: "robot", resources: () => [], execute: async () => 1 });
  });
});
