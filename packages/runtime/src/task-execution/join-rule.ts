import type { PlannerTask } from "@planloom/plan";
import { JoinRule } from "../core/joins.ts";

const rules = { all: JoinRule.ALL, any: JoinRule.ANY, none_failed: JoinRule.NONE_FAILED } as const;

/** The core's number for the `join` of a task. */
export function joinRuleOf({ join = "all" }: Pick<PlannerTask, "join">): number {
  return rules[join];
}

/** The rules of all tasks; undefined where every task needs all of its dependencies. */
export function joinRules(tasks: readonly PlannerTask[]): Uint8Array | undefined {
  if (!tasks.some(({ join }) => join !== undefined && join !== "all")) return undefined;
  return Uint8Array.from(tasks, joinRuleOf);
}
