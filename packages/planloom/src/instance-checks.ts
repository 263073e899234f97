import { checksOf, type OptionChecks } from "@planloom/plan";
import { runtimeChecks } from "@planloom/runtime";
import { checkOptions } from "./check-options.ts";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import { dispatchChecks, groupingChecks } from "./grouping/dispatch-options.ts";
import type { InstanceBudgets, InstanceLimits } from "./instance-limits.ts";
import { memoryOptionChecks } from "./memory/memory-options.ts";
import { type PlanloomOptions, runDefaults, unkeptDefaults } from "./planloom-options.ts";
import { plannerSettingChecks } from "./planner-settings.ts";

const { run, budgets, sharedBudgets, scope, tenant } = runtimeChecks;

const budgetChecks = { ...budgets, ...sharedBudgets } as const satisfies OptionChecks<InstanceBudgets>;

const limitChecks = {
  ...scope,
  budgets: { options: budgetChecks },
  tenants: { each: tenant },
  eachTenant: { options: tenant },
  limitScope: ["instance", "journal"],
} as const satisfies OptionChecks<InstanceLimits>;

/** The checks of the options of a `Planloom`. */
export const planloomChecks = {
  ...checksOf(run, [...runDefaults, ...unkeptDefaults]),
  ...limitChecks,
  controller: { method: "processPhase1", expected: "a BehaviorController" },
  model: { method: "generate", expected: "a model (openaiModel(…), or an object with `generate`)" },
  tools: "list",
  agents: "list",
  llms: "list",
  workflows: "list",
  executors: "list",
  journal: "own",
  now: { either: ["time", "function"] },
  timeZone: "text",
  planner: { options: plannerSettingChecks },
  memory: { either: ["boolean", { options: memoryOptionChecks }] },
  optimizer: { options: groupingChecks },
  dispatch: { options: dispatchChecks },
  telemetry: { method: "executor", expected: "what `openTelemetry` of @planloom/otel makes" },
  logger: { method: "info", expected: "a logger with `debug`, `info`, `warn` and `error`, as `pino` makes one" },
  onListenerError: "function",
} as const satisfies OptionChecks<PlanloomOptions>;

/**
 * Checks the options of a `Planloom`: without types a misspelt `approval` would leave every gate open.
 * @throws PlanloomError OPTION for an option that is unknown or of a wrong type
 */
export function checkPlanloomOptions(options: PlanloomOptions): void {
  const isGiven = typeof options === "object" && options !== null;
  if (isGiven && "modelOptions" in options) {
    const message = "Unknown option `modelOptions` of Planloom: pass `model: openaiModel({ … })`.";
    throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "modelOptions" } });
  }
  if (isGiven && "mcpServers" in options) {
    const hint = "pass `(await connectMcpServers({ mcpServers })).executor` of @planloom/mcp among `executors`";
    throw new PlanloomError(PlanloomErrorCode.OPTION, `Unknown option \`mcpServers\` of Planloom: ${hint}.`, {
      details: { option: "mcpServers" },
    });
  }
  checkOptions("Planloom", options, planloomChecks);
}
