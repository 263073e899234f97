import { dialects } from "@planloom/plan";
import { flatToolId, McpCliPlan, stepDependencies } from "@planloom/plan/internals";
import { checkMcpCliStep } from "./check-step.ts";
import { computeBatches } from "./compute-batches.ts";
import { renderDag } from "./render-dag.ts";
import { writeMcpCliDryRun, writeMcpCliRun } from "./results.ts";
import { mcpCliStoreFiles } from "./store-files.ts";
import { errorTextOf, extractToolResult, isErrorResult } from "./tool-result.ts";
import { mergeVariables, resolveVariables } from "./variables.ts";

/** mcp-cli's dialect, and what its planning package did with plans, results and variables. */
export const mcpCli = {
  ...dialects.mcpCli,
  /** A plan file, as a zod schema. */
  planSchema: McpCliPlan,
  /** The picture of a plan (`render_plan_dag`). */
  renderDag,
  /** Which steps it would run together (`_compute_batches`). */
  computeBatches,
  /** A run's results as it reports them (`PlanExecutionResult`), and what its state file would hold. */
  writeRun: writeMcpCliRun,
  writeDryRun: writeMcpCliDryRun,
  /** The value, the failure and the message in what an MCP tool gave. */
  extractResult: extractToolResult,
  isErrorResult,
  errorText: errorTextOf,
  resolveVariables,
  mergeVariables,
  /** Dependencies as they are stored: indices as text, from 1. */
  storedDependencies: (dependsOn: readonly (readonly (string | number)[] | undefined)[]): string[][] =>
    stepDependencies(dependsOn.map((depends_on) => (depends_on ? { depends_on: [...depends_on] } : {}))),
  checkStep: checkMcpCliStep,
  /** The name under which a tool of a server is called: `server__tool`. */
  functionName: flatToolId,
  storeFiles: mcpCliStoreFiles,
};
