import { defineTool, memoryJournal, run, toolExecutor } from "@planloom/runtime";
import { expect, test } from "vitest";

const executors = [
  toolExecutor([
    defineTool({ id: "big", description: "", readOnly: true, execute: () => "x".repeat(10_000_000) }),
    defineTool({ id: "take", description: "", readOnly: true, execute: () => 1 }),
  ]),
];
const call = (task_id: string, tool_id: string, value: unknown = 1) =>
  ({ task_id, execution_type: "tool", tool_id, arguments: { value } }) as const;
const times = (count: number) => Array.from({ length: count }, () => "${a}");

test.for([
  { name: "a list", value: times(100), max_bytes: 67_108_864 },
  { name: "lists of lists", value: [times(3), times(3), times(3)], max_bytes: 67_108_864 },
  { name: "a text", value: times(8).join(""), max_bytes: 67_108_864 },
  { name: "a text that is longer than texts can be", value: times(100).join(""), max_bytes: 67_108_864 },
  // Each of them is within the limit, and all of them are more than a process has memory for.
  { name: "many texts", value: Array.from({ length: 2_000 }, () => "${a}${a}"), max_bytes: 67_108_864 },
])("an input into which outputs are put is refused where it is too large: $name", async ({ value, max_bytes }) => {
  const plan = { planned_tasks: [call("a", "big"), call("b", "take", value)] };
  const { results } = await run(plan, { executors, journal: memoryJournal() });
  const failed = results.find(({ task_id }) => task_id === "b");
  expect(failed).toMatchObject({ status: "failed", error: { code: "TASK_INPUT_TOO_LARGE", details: { max_bytes } } });
});

test("where outputs may have less, so may inputs: eight times as much as an output, and at least 1 MiB", async () => {
  const first = defineTool({ id: "first", description: "", readOnly: true, execute: () => "x".repeat(150_000) });
  const seen: number[] = [];
  const echo = defineTool({
    id: "echo",
    description: "",
    readOnly: true,
    execute: ({ value }: { value: string }) => {
      seen.push(value.length);
      return value;
    },
  });
  // Outputs that double grow as far as that, and no text is built beyond it.
  const doubled = (task_id: string, of: string, count = 2) => call(task_id, "echo", `\${${of}}`.repeat(count));
  const plan = { planned_tasks: [call("a", "first"), doubled("b", "a"), doubled("c", "a", 6), doubled("d", "a", 8)] };
  const tools = [toolExecutor([first, echo])];
  const { results } = await run(plan, { executors: tools, maxOutputBytes: 300_010, retry: { max_attempts: 1 } });
  expect(results.map(({ error }) => error?.code)).toEqual([
    undefined,
    undefined,
    "TASK_OUTPUT_TOO_LARGE",
    "TASK_OUTPUT_TOO_LARGE",
  ]);
  expect(seen.sort()).toEqual([1_200_000, 300_000, 900_000].sort());
  const small = await run(plan, { executors: tools, maxOutputBytes: 150_002 });
  const { error } = small.results.find(({ task_id }) => task_id === "d")!;
  expect(error).toMatchObject({ code: "TASK_OUTPUT_TOO_LARGE" });
  const wide = { planned_tasks: [call("a", "first"), doubled("e", "a", 9)] };
  const refused = await run(wide, { executors: tools, maxOutputBytes: 150_002 });
  expect(refused.results[1]).toMatchObject({
    error: { code: "TASK_INPUT_TOO_LARGE", details: { max_bytes: 1_200_016 } },
  });
});

test("an input may have as much as the outputs of the run", async () => {
  const plan = { planned_tasks: [call("a", "big"), call("b", "take", times(8))] };
  const { status } = (await run(plan, { executors, maxOutputBytes: 100_000_000 })).plan;
  expect(status).toBe("done");
});

test("an input of Stage 2 is refused where it is too large", async () => {
  const value = Array.from({ length: 100 }, () => "x".repeat(10_000_000));
  const bind = async () => ({ uid: "take", input_data: { value } });
  const { results } = await run({ planned_tasks: [call("b", "take")] }, { executors, bind, journal: memoryJournal() });
  expect(results).toMatchObject([{ status: "failed", error: { code: "TASK_INPUT_TOO_LARGE" } }]);
});
