import { isRecord } from "@planloom/plan";
import type { DraftedCall, Task } from "./drafted-plan.ts";

export const plainText = (value: unknown) => String(value).trim().toLowerCase();

/** The texts and numbers that tasks are given. */
export const leavesIn = (tasks: readonly Task[]) => tasks.flatMap((task) => leavesOf(task.arguments));

/** The texts and numbers of a value. */
export function leavesOf(value: unknown): (string | number)[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  if (isRecord(value)) return Object.values(value).flatMap(leavesOf);
  return typeof value === "string" || typeof value === "number" ? [value] : [];
}

/** What a call is given under names that another resource has too. */
export function carriedOver({ task }: DraftedCall, names: readonly string[]): Record<string, unknown> {
  const given = isRecord(task.arguments) ? task.arguments : {};
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}
