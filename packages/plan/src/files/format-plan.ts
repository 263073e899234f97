import { checkOptions } from "../check-options.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import type { TaskData } from "../records/task-data.ts";
import type { PlanFormat } from "./parse-plan-text.ts";
import { formatYaml } from "./yaml.ts";

/**
 * The plan as a document that `parsePlanText` reads back, with a newline at its end.
 * @throws PlanError INVALID when the plan holds what JSON cannot carry (a cycle, a bigint); TOO_LARGE for YAML over 4 MiB, which
 *   JSON can carry; OPTION.
 */
export function formatPlan(plan: TaskData, options: { readonly format?: PlanFormat } = {}): string {
  checkOptions("`formatPlan`", options, { format: ["json", "yaml"] });
  try {
    const json = JSON.stringify(plan, null, 2);
    return options.format === "yaml" ? formatYaml(json) : `${json}\n`;
  } catch (cause) {
    if (cause instanceof PlanError) throw cause;
    const why = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new PlanError(
      PlanErrorCode.INVALID,
      `Expected a plan of JSON values, got one that cannot be written: ${why}.`,
      {
        details: { issues: [{ path: "", message: why }] },
        cause,
      },
    );
  }
}
