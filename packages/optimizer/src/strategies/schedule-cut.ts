import type { PlanView } from "@planloom/plan";
import { keepBest } from "../clustering/keep-best.ts";
import { transferCosts } from "../clustering/transfer-cost.ts";
import { type ExecutionEnvironment, hasTransfers } from "../environment.ts";
import type { Partition } from "../partition.ts";
import { cutSchedule } from "../scheduling/cut-schedule.ts";
import { type Ordering, taskSchedule } from "../scheduling/task-schedule.ts";
import type { RuleStrategy } from "../strategy.ts";

/** No more executors than this are scheduled for one by one; wider plans are cut as if there were no more. */
const MOST_EXECUTORS = 256;

/**
 * Schedules the single tasks by a rule of the field, then cuts every executor's sequence into subgraphs (`cutSchedule`),
 * each time the overhead would be paid again. Two schedules are tried, one that counts the overhead as the cost of going
 * to another executor and one that does not, and for each two ways of cutting: where a consumer would wait at all, and
 * where it would wait longer than a dispatch costs; under pipelined dispatch, where no consumer waits for the rest of a subgraph, a third one. Each is dispatched by priority or in the order of its starts, and where outputs take time to
 * travel on the executors of the schedule as well; the best is kept. Without overhead the result never ends after the list schedule, on up to 256 executors. O((n + m) log n + n min(executors, 256)).
 */
function scheduleCut(ordering: Ordering, title: string): RuleStrategy {
  return {
    name: `schedule-cut-${ordering}`,
    version: "3",
    description: `tasks are scheduled by ${title}, and each executor's share is cut where another executor waits`,
    regards: ["executors", "overhead", "transfers"],
    deterministic: true,
    largest: 32_768,
    propose(view, environment) {
      return keepBest(view, environment, cuts(view, environment, ordering));
    },
  };
}

function* cuts(view: PlanView, environment: ExecutionEnvironment, ordering: Ordering): Iterable<Partition> {
  const executors = Math.max(1, Math.min(environment.executors, view.n, MOST_EXECUTORS));
  const transfer = transferCosts(view, environment);
  const plain = transfer.map((cost) => cost - environment.overheadMs);
  for (const costs of environment.overheadMs > 0 ? [transfer, plain] : [plain]) {
    const schedule = taskSchedule({ view, executors, transfer: costs }, ordering);
    if (environment.semantics === "pipelined") {
      const { order, placement: _, ...parts } = cutSchedule(view, schedule);
      yield parts;
      yield { ...parts, order };
    }
    for (const patience of environment.overheadMs > 0 ? [0, environment.overheadMs] : [0]) {
      const { order, placement, ...parts } = cutSchedule(view, schedule, patience);
      yield parts;
      if (environment.semantics !== "streaming") yield { ...parts, order };
      if (hasTransfers(environment) && environment.classes === undefined) yield { ...parts, order, placement };
    }
  }
}

export const scheduleCutHeft = scheduleCut("heft", "HEFT");
export const scheduleCutCpop = scheduleCut("cpop", "CPoP");
export const scheduleCutMcp = scheduleCut("mcp", "MCP");
export const scheduleCutEtf = scheduleCut("etf", "ETF");
export const scheduleCutDls = scheduleCut("dls", "DLS");
export const scheduleCutPeft = scheduleCut("peft", "PEFT");
