import { hash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

/**
 * SHA-256 of a JSON value, as 64 hex digits. The order of keys does not matter.
 * @throws PlanError INVALID for what JSON cannot carry.
 */
export function hashValue(value: unknown): string {
  return hashText(canonicalJson(value));
}

export function hashText(text: string): string {
  return hash("sha256", text, "hex");
}
