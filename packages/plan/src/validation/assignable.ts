import type { JsonSchema } from "../json.ts";
import { nodeAtPath } from "./schema-at-path.ts";
import { type FlatSchema, flatten, type JsonType, ownTypes, type SchemaNode, typeText } from "./schema-node.ts";

export type Assignability = "compatible" | "incompatible" | "unknown";

/** The verdict and, where it is negative inside an array or object, why. */
export interface Comparison {
  readonly verdict: Assignability;
  /** `property "id" is missing`, `items: string expected, got number`. */
  readonly reason?: string;
}

const compatible: Comparison = { verdict: "compatible" };
const unknown: Comparison = { verdict: "unknown" };
const incompatible: Comparison = { verdict: "incompatible" };
const maxDepth = 24;
const remembered = new WeakMap<FlatSchema, WeakMap<FlatSchema, Comparison>>();

/**
 * Whether a value of `sourceSchema` can be handed to a parameter of `targetSchema`. `incompatible` only when no value
 * of the source can fit: unions fit if any branch does, integers and numbers interchange, enum and const count as
 * their base type unless both sides list values. `unknown` where a schema does not say; it never blocks.
 */
export function assignable(sourceSchema: JsonSchema, targetSchema: JsonSchema): Assignability {
  return compareNodes({ schema: sourceSchema, root: sourceSchema }, { schema: targetSchema, root: targetSchema })
    .verdict;
}

export function compareNodes(source: SchemaNode, target: SchemaNode): Comparison {
  return compare(source, target, { depth: 0, steps: 5000 });
}

interface Budget {
  depth: number;
  steps: number;
}

function compare(source: SchemaNode, target: SchemaNode, budget: Budget): Comparison {
  const from = flatten(source);
  const to = flatten(target);
  const known = remembered.get(from)?.get(to);
  if (known) return known;
  if (budget.depth >= maxDepth || --budget.steps < 0) return unknown;
  budget.depth++;
  const result = decide(source, from, target, to, budget);
  budget.depth--;
  // A verdict reached where depth or steps ran out would depend on the way there.
  if (budget.steps > 0 && budget.depth === 0) remember(from, to, result);
  return result;
}

function remember(from: FlatSchema, to: FlatSchema, result: Comparison): void {
  let row = remembered.get(from);
  if (!row) {
    row = new WeakMap();
    remembered.set(from, row);
  }
  row.set(to, result);
}

function decide(source: SchemaNode, from: FlatSchema, target: SchemaNode, to: FlatSchema, budget: Budget): Comparison {
  if (to.never) return incompatible;
  if (from.never) return unknown;
  const own = compareOwn(source, from, target, to, budget);
  if (own.verdict === "incompatible") return own;
  let result = own;
  for (const union of to.unions) {
    const each = best(union.map((branch) => compareToBranch(source, from, branch, budget)));
    if (each.verdict === "incompatible") return incompatible;
    if (each.verdict === "unknown") result = unknown;
  }
  for (const union of from.unions) {
    // Already matched branch by branch above when the target is a union too.
    if (to.unions.length > 0) continue;
    const each = best(union.map((branch) => compare(branch, target, budget)));
    if (each.verdict === "incompatible") return each.reason ? each : incompatible;
    if (ownTypes(from) === undefined) result = each;
  }
  return to.opaque || from.opaque ? unknown : result;
}

/** A source union is opened before each target branch is tried: any pair that fits will do. */
function compareToBranch(source: SchemaNode, from: FlatSchema, branch: SchemaNode, budget: Budget): Comparison {
  if (from.unions.length === 0) return compare(source, branch, budget);
  return best(from.unions.flatMap((union) => union.map((each) => compare(each, branch, budget))));
}

function best(results: readonly Comparison[]): Comparison {
  return (
    results.find((result) => result.verdict === "compatible") ??
    results.find((result) => result.verdict === "unknown") ??
    results.find((result) => result.reason !== undefined) ??
    incompatible
  );
}

/** What the schemas say themselves, unions left out. */
function compareOwn(
  source: SchemaNode,
  from: FlatSchema,
  target: SchemaNode,
  to: FlatSchema,
  budget: Budget,
): Comparison {
  const wanted = ownTypes(to);
  if (!wanted) return compatible;
  const given = ownTypes(from);
  if (!given) return from.unions.length > 0 ? compatible : unknown;
  const shared = [...given].filter((type) => accepts(wanted, type));
  if (shared.length === 0) return incompatible;
  const verdicts = shared.map((type) => {
    if (type === "object") return compareObjects(source, from, target, to, budget);
    if (type === "array") return compareArrays(from, to, budget);
    return compareScalars(from, to);
  });
  return best(verdicts);
}

function accepts(wanted: ReadonlySet<JsonType>, type: JsonType): boolean {
  if (wanted.has(type)) return true;
  return (type === "integer" && wanted.has("number")) || (type === "number" && wanted.has("integer"));
}

function compareScalars(from: FlatSchema, to: FlatSchema): Comparison {
  if (to.values) {
    if (!from.values) return unknown;
    const shared = from.values.some((value) => to.values?.includes(value));
    return shared
      ? compatible
      : { verdict: "incompatible", reason: `none of its values is one of ${listed(to.values)}` };
  }
  return from.format !== undefined && to.format !== undefined && from.format !== to.format ? unknown : compatible;
}

function compareObjects(
  source: SchemaNode,
  from: FlatSchema,
  target: SchemaNode,
  to: FlatSchema,
  budget: Budget,
): Comparison {
  let result = compatible;
  for (const key of to.required) {
    if (to.properties.has(key)) continue;
    const at = nodeAtPath(source, [{ key }]);
    if (at.found === "no") return { verdict: "incompatible", reason: `property "${key}" is missing` };
    if (at.found === "unknown") result = unknown;
  }
  for (const [key, property] of to.properties) {
    const at = nodeAtPath(source, [{ key }]);
    if (at.found === "no" && to.required.has(key)) {
      return { verdict: "incompatible", reason: `property "${key}" is missing` };
    }
    if (at.found === "unknown") result = unknown;
    if (at.found !== "yes") continue;
    const member = compare(at.node, property, budget);
    if (member.verdict === "incompatible" && (to.required.has(key) || from.required.has(key))) {
      return {
        verdict: "incompatible",
        reason: `property "${key}": ${member.reason ?? `${typeText(property)} expected, got ${typeText(at.node)}`}`,
      };
    }
    if (member.verdict !== "compatible") result = unknown;
  }
  if (to.additional === false && nodeAtPath(target, [{ key: "" }]).found === "no") {
    for (const key of from.required) {
      if (to.properties.has(key) || to.required.has(key)) continue;
      return { verdict: "incompatible", reason: `property "${key}" is not allowed` };
    }
  }
  return result;
}

function compareArrays(from: FlatSchema, to: FlatSchema, budget: Budget): Comparison {
  const positions = Math.max(from.prefixItems.length, to.prefixItems.length) + 1;
  let result = compatible;
  for (let position = 0; position < positions; position++) {
    const given = from.prefixItems[position] ?? from.items;
    const wanted = to.prefixItems[position] ?? to.items;
    if (wanted === undefined || given === false) continue;
    if (given === undefined) {
      result = unknown;
      continue;
    }
    if (wanted === false) {
      if (position < from.prefixItems.length) return { verdict: "incompatible", reason: `${position} items at most` };
      continue;
    }
    const item = compare(given, wanted, budget);
    if (item.verdict === "incompatible") {
      return {
        verdict: "incompatible",
        reason: `items: ${item.reason ?? `${typeText(wanted)} expected, got ${typeText(given)}`}`,
      };
    }
    if (item.verdict === "unknown") result = unknown;
  }
  return result;
}

function listed(values: readonly unknown[]): string {
  return values
    .slice(0, 10)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(", ");
}
