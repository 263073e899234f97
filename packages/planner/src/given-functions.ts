import { randomUUID } from "node:crypto";
import { callNow, newId as randomId } from "@planloom/plan";

/** The id of one planning. @throws PlanError CALLBACK where the caller's function throws or gives no id */
export function newSearchIdOf(newSearchId: (() => string) | undefined): string {
  return newSearchId === undefined ? randomUUID() : callNow("newSearchId", newSearchId, "an id (a text)", isId);
}

interface PlanFunctions {
  readonly newId: () => string;
  readonly now: () => Date;
}

/** Clock and ids of new plans, the caller's where given. What they give throws PlanError CALLBACK if it is not an id or not a date. */
export function planFunctions({ newId, now }: Partial<PlanFunctions>): PlanFunctions {
  return {
    newId: newId === undefined ? randomId : () => callNow("newId", newId, "an id (a text)", isId),
    now: now === undefined ? () => new Date() : () => callNow("now", now, "a Date", isDate),
  };
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isDate(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}
