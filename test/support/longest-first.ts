import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that wait for other processes or for the clock, or that compute for more than some seconds; the longest at the front. */
export const longestFiles = [
  "test/postgres/dispatch-trials.test.ts",
  "test/postgres/limits-over-runs.test.ts",
  "test/postgres/dispatch-deaths.test.ts",
  "test/postgres/dispatch.test.ts",
  "test/postgres/dispatch-faults.test.ts",
  "test/cli/bench.test.ts",
  "test/server/page.test.ts",
  "test/server/refusals.test.ts",
  "test/postgres/large-outputs.test.ts",
  "test/cli/dev-cluster.test.ts",
  "test/cli/freight.test.ts",
  "test/runtime/hung-workers.test.ts",
  "test/planloom/processes/limit-processes.test.ts",
  "test/simulation/simulation.test.ts",
  "test/cli/process-endings.test.ts",
  "test/runtime/dispatch-workers.test.ts",
  "test/cli/serve.test.ts",
  "test/cli/on.test.ts",
  "test/cli/workers.test.ts",
  "test/plan/schema-budget.test.ts",
  "test/planloom/processes/killed-schedulers.test.ts",
  "test/runtime/loop/plan-execute-faults.test.ts",
  "test/planloom/callbacks.test.ts",
  "test/planloom/callbacks-doors.test.ts",
  "test/cli/trust.test.ts",
  "test/cli/shared-limits.test.ts",
  "test/postgres/other-formats.test.ts",
  "test/mcp/connect.test.ts",
  "test/mcp/stdio.test.ts",
  "test/embedded/exact-names.test.ts",
  "test/simulation/limits/limits-simulation.test.ts",
  "test/runtime/dispatch-order.test.ts",
  "test/server/bad-input.test.ts",
  "test/examples/server.test.ts",
  "test/cli/runs.test.ts",
  "test/optimizer/strategies.test.ts",
  "test/optimizer/strategy-laws.test.ts",
  "test/runtime/journal/damaged-files.test.ts",
  "test/bench/report-in-browser.test.ts",
] as const;

/**
 * Files that take long begin first, so that no worker is left with one of them when the others have ended. Vitest knows how long files took from
 * the run before; in a fresh clone, as in CI, it would go by their sizes, and some of the slowest files are short.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longestFiles.findIndex((file) => moduleId.endsWith(file));
      return at < 0 ? longestFiles.length : at;
    };
    return sorted.toSorted((left, right) => rank(left) - rank(right));
  }
}
