import { isRecord } from "@planloom/plan";
import type { Step } from "./plans-data.ts";

/** A step with its values cleaned and every dependency, also those that only references show. */
export interface NormalStep {
  readonly tool: string;
  readonly args: ReadonlyMap<string, unknown>;
  readonly sources: ReadonlySet<number>;
  readonly accept: ReadonlyMap<string, readonly unknown[]>;
}

export interface Reference {
  readonly step: number;
  readonly path: string;
}

export function normalise(steps: readonly Step[]): NormalStep[] {
  return steps.map((step, at) => {
    const args = new Map(Object.entries(step.args));
    const said = [...step.dependsOn, ...[...args.values()].flatMap((value) => referencesIn(value).map((r) => r.step))];
    return {
      tool: step.tool,
      args,
      sources: new Set(said.filter((source) => source >= 0 && source < steps.length && source !== at)),
      accept: new Map(Object.entries(step.accept ?? {})),
    };
  });
}

export function referencesIn(value: unknown): Reference[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isRecord(value)) return [];
  const own = referenceOf(value);
  return own === undefined ? Object.values(value).flatMap(referencesIn) : [own];
}

export function referenceOf(value: unknown): Reference | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, "$ref")) return undefined;
  const inner = isRecord(value.$ref) ? value.$ref : {};
  const path = typeof inner.path === "string" ? inner.path : "";
  return { step: typeof inner.step === "number" ? inner.step : -1, path: path.replace(/^\$?\.?/, "") };
}

const numeral = /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/;

/**
 * A text that is equal for equal values: numbers and numerals alike, a reference as the tool it comes from.
 * @param loose text without case, spaces and punctuation
 */
export function canonical(value: unknown, plan: readonly NormalStep[], loose: boolean): string {
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, plan, loose)).join(",")}]`;
  if (isRecord(value)) {
    const own = referenceOf(value);
    if (own !== undefined) return `ref:${plan[own.step]?.tool ?? "?"}`;
    if (Object.hasOwn(value, "$template")) {
      const parts = Array.isArray(value.$refs) ? value.$refs : [];
      const words = loose ? "" : String(value.$template);
      return `tpl:${words}${parts.map((each) => canonical(each, plan, loose)).join(",")}`;
    }
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${key}:${canonical(value[key], plan, loose)}`).join(",")}}`;
  }
  if (typeof value === "number") return `n${value}`;
  if (typeof value === "boolean") return `b${value}`;
  if (typeof value !== "string") return String(value);
  if (numeral.test(value) && !/^\s*0\d/.test(value)) return `n${Number(value)}`;
  if (/^(?:true|false)$/i.test(value.trim())) return `b${value.trim().toLowerCase()}`;
  return `s${loose ? squashed(value) || value : value.trim()}`;
}

function squashed(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s\p{P}\p{S}]+/gu, "");
}

/** One of the accepted values; objects hold lists of accepted values a key. */
export function isAccepted(value: unknown, accepted: readonly unknown[], plan: readonly NormalStep[]): boolean {
  return accepted.some((each) => {
    if (each === "" && value !== "") return false;
    if (Array.isArray(each)) {
      return (
        Array.isArray(value) &&
        value.length === each.length &&
        value.every((part, at) => isAccepted(part, [each[at]], plan))
      );
    }
    if (!isRecord(each)) return canonical(value, plan, true) === canonical(each, [], true);
    if (!isRecord(value)) return false;
    const known = Object.entries(value).every(
      ([key, part]) => Object.hasOwn(each, key) && isAccepted(part, [each[key]].flat(), plan),
    );
    const mayLack = (part: unknown) => Array.isArray(part) && part.includes("");
    return known && Object.entries(each).every(([key, part]) => Object.hasOwn(value, key) || mayLack(part));
  });
}

export function mayBeLeftOut(step: NormalStep, name: string): boolean {
  return step.accept.get(name)?.includes("") === true;
}
