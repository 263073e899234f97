import { hashValue } from "@planloom/plan";

/** Whether two values are the same JSON, whatever the order of keys. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  return hashValue(left) === hashValue(right);
}
