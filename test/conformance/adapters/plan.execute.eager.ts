import { dialects, type KirhaStep } from "@planloom/plan";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly steps: readonly KirhaStep[];
  readonly tools: Record<string, StubTool>;
}

/** `n` is what the steps ask of one another; the tools of the case give nothing. Times to the next 50 ms. */
const adapter: ConformanceAdapter<Input> = async ({ steps, tools }, { signal, stubTools }) => {
  const withOutput = Object.entries(tools).map(([name, tool]) => [name, { returns: { n: 1 }, ...tool }]);
  const stubs = stubTools(Object.fromEntries(withOutput));
  await run(dialects.kirha.read(steps), {
    executors: [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))],
    signal,
  });
  const last = stubs.calls.at(-1)?.startedMs ?? 0;
  const end = Math.max(...stubs.calls.map(({ endedMs }) => endedMs));
  const [afterStartsAtMs, totalMs] = [last, end].map((ms) => Math.round(ms / 50) * 50);
  return { documented: { afterStartsAtMs, totalMs } };
};
export default adapter;
