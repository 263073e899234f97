import { kirha } from "@planloom/compat";
import { collectReferences, type KirhaStep } from "@planloom/plan";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly steps: readonly KirhaStep[];
  readonly tools: Record<string, StubTool>;
}

/** A tool of the case that gives nothing gives what the steps ask of it. */
const adapter: ConformanceAdapter<Input> = async ({ steps, tools }, { signal, stubTools }) => {
  const plan = kirha.read(steps);
  const asked = collectReferences(plan.planned_tasks.map((task) => task.arguments)).map(({ reference }) => reference);
  const outputs = steps.map(({ stepId, toolName }) => {
    const paths = asked.filter(({ name }) => name === stepId).map(({ path }) => path);
    const nested = paths.map((path) =>
      path.reduceRight<unknown>((value, part) => ({ [Object.values(part)[0]]: value }), 1),
    );
    return [toolName, { returns: Object.assign({}, ...nested), ...tools[toolName] }];
  });
  const stubs = stubTools(Object.fromEntries(outputs));
  await run(plan, { executors: [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))], signal });
  const afterStartsAtMs = stubs.calls.at(-1)?.nominalStartMs;
  const totalMs = Math.max(...stubs.calls.map(({ nominalEndMs }) => nominalEndMs));
  return { documented: { afterStartsAtMs, totalMs } };
};
export default adapter;
