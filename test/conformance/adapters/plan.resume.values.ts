import { mcpCli } from "@planloom/compat";
import { defineTool, memoryJournal } from "planloom";
import { resume, run, toolExecutor } from "planloom/runtime";

const adapter: ConformanceAdapter<{ readonly resultChars: number }> = async ({ resultChars }, { signal }) => {
  const second = { index: "2", title: "B", tool: "b", args: { text: "${long}" }, depends_on: ["1"] };
  const first = { index: "1", title: "A", tool: "a", args: {}, depends_on: [], result_variable: "long" };
  const journal = memoryJournal();
  let restored: unknown;
  const rules = (answer: (input: Record<string, unknown>) => unknown) => {
    const a = defineTool({ id: "a", description: "Long", execute: () => "x".repeat(resultChars) });
    const b = defineTool({ id: "b", description: "Reads", execute: answer });
    return { executors: [toolExecutor([a, b])], journal, signal };
  };
  const plan = mcpCli.read({ id: "p", title: "", steps: [first, second] });
  const failing = rules(() => {
    throw new Error("no");
  });
  const { run_id } = await run(plan, failing);
  await resume(
    run_id,
    rules(({ text }) => {
      restored = text;
    }),
  );
  return { restoredChars: typeof restored === "string" ? restored.length : undefined };
};
export default adapter;
