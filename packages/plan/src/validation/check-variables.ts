import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";
import { maxArgumentDepth } from "../references/reference.ts";
import { valueText } from "./value-text.ts";

/** Variables go into arguments, which may be nested so deep and hold no cycle; as there, the object of all is a level. Linear in the variables. */
export function variableDepthIssues(variables: Readonly<Record<string, unknown>>): PlanIssue[] {
  return Object.entries(variables).flatMap(([name, value]): PlanIssue[] => {
    if (!isTooDeep(value)) return [];
    const message = `Expected the plan variable ${valueText(name, 130)} nested at most ${maxArgumentDepth - 1} levels deep, got a deeper one (or a cycle). Flatten it.`;
    return [{ code: IssueCode.SCHEMA, severity: "error", message, argument_path: `variables.${name}` }];
  });
}

function isTooDeep(value: unknown): boolean {
  /** Levels below each object; infinitely many while it is looked at, so that a cycle has no end. */
  const heights = new Map<object, number>();
  const heightOf = (current: object, depth: number): number => {
    const known = heights.get(current);
    if (known !== undefined) return known;
    if (depth >= maxArgumentDepth) return Number.POSITIVE_INFINITY;
    heights.set(current, Number.POSITIVE_INFINITY);
    let height = 1;
    for (const member of membersOf(current))
      if (typeof member === "object" && member !== null) height = Math.max(height, 1 + heightOf(member, depth + 1));
    heights.set(current, height);
    return height;
  };
  return typeof value === "object" && value !== null && heightOf(value, 0) >= maxArgumentDepth;
}

const membersOf = (value: object): readonly unknown[] =>
  Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
