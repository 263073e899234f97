import { isRecord } from "../json.ts";
import { valueText } from "../validation/value-text.ts";
import type { CallUsage } from "./executor.ts";

/** The most tokens, or the most of the user's unit of money, that one report may claim; no call uses as much. */
export const largestUsage = 1e12;
const units = ["inputTokens", "outputTokens", "cachedInputTokens", "reasoningTokens", "cost"] as const;

/** Reported usage after it was checked: the amounts that can be counted, and what is wrong with the others. */
export interface CheckedUsage {
  /** Never negative, never above `largestUsage`; any other amount counts as 0. */
  readonly usage: CallUsage;
  /** The first fault, as a sentence. Absent where every amount can be counted. */
  readonly fault?: string;
}

/**
 * Checks the usage that an executor, a model or an endpoint reports for a call. All usage is checked here before it is counted: a negative
 * amount would give a budget back what others have spent, and NaN would switch it off.
 */
export function checkUsage(reported: unknown): CheckedUsage {
  if (reported === undefined || reported === null) return { usage: {} };
  if (!isRecord(reported)) return { usage: {}, fault: `Expected usage to be an object, got ${valueText(reported)}.` };
  let fault: string | undefined;
  const usage: { -readonly [Unit in keyof CallUsage]: CallUsage[Unit] } = {};
  for (const unit of units) {
    const value = reported[unit];
    if (value === undefined || value === null) continue;
    if (typeof value === "number" && value >= 0 && value <= largestUsage) usage[unit] = value;
    else fault ??= `Expected \`${unit}\` of usage to be a number from 0 to ${largestUsage}, got ${amountText(value)}.`;
  }
  if (reported.estimated === true) usage.estimated = true;
  return fault === undefined ? { usage } : { usage, fault };
}

function amountText(value: unknown): string {
  return typeof value === "number" ? String(value) : valueText(value);
}
