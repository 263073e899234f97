import { isRecord, type Resource } from "@planloom/plan";
import { requiredOf } from "./schema-outline.ts";

/**
 * A step's answer without the nulls that a strict schema makes a model write for optional properties; those of required ones stay, so
 * that validation sees them.
 */
export function withoutNulls(data: unknown, resources: readonly Resource[]): unknown {
  if (!isRecord(data) || !isRecord(data.input_data)) return data;
  const required = new Set(requiredOf(resources.find(({ id }) => id === data.uid)?.input_schema));
  const kept = Object.entries(data.input_data).filter(([name, value]) => value !== null || required.has(name));
  return { ...data, input_data: Object.fromEntries(kept) };
}
