import { isRecord, parseTemplate, type ReferenceLookup, resolveReference, wholeReference } from "@planloom/plan";
import { evaluateExpression, expressionLimits } from "../expressions/evaluate-expression.ts";
import { withReferences } from "./prepare-step.ts";

/** Milliseconds that a condition may take, loading JSONata included. */
export const conditionTimeoutMs = expressionLimits.timeoutMs * 2;

/** What a condition gives, or the promise of it where an expression has to be evaluated. */
export type AskedCondition = { readonly value: unknown } | { readonly evaluated: Promise<unknown> };

interface ConditionOptions {
  /** The field that has the condition, for messages. @default "`when.condition`" */
  readonly name?: string;
  /** What the expression may name beside references. @default nothing */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** @throws TaskFailure REFERENCE; what is evaluated rejects with TaskFailure CONVERTOR */
export function askCondition(
  condition: string,
  lookup: ReferenceLookup,
  { name = "`when.condition`", input: given }: ConditionOptions = {},
): AskedCondition {
  const { source, input, value } = withReferences(() => readCondition(condition, lookup));
  if (source === undefined) return { value };
  return { evaluated: evaluateExpression(source, { ...given, ...input }, { name }) };
}

interface ReadCondition {
  /** The JSONata expression over `input`; absent where the condition is one reference, whose value is `value`. */
  readonly source?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly value?: unknown;
}

/**
 * Each reference becomes a field of the expression's input, so that a value is never read as part of the expression.
 * @throws PlanError REFERENCE_ABSENT, REFERENCE_SYNTAX
 */
function readCondition(condition: string, lookup: ReferenceLookup): ReadCondition {
  const { parts } = parseTemplate(condition);
  const [only] = parts;
  if (parts.length === 1 && typeof only === "object") return { value: resolveReference(only, lookup) };
  const values: [string, unknown][] = [];
  const source = parts.map((part) => {
    if (typeof part === "string") return part;
    const name = `r${values.length}`;
    values.push([name, resolveReference(part, lookup)]);
    // The root of the input, wherever in the expression it is asked for.
    return `($$.${name})`;
  });
  return { source: source.join(""), input: Object.fromEntries(values) };
}

/** Why a condition is false that asks for nothing but a branch of a decision (`${route.refund}`); undefined for any other. */
export function otherBranch(condition: string, lookup: ReferenceLookup): string | undefined {
  const reference = wholeReference(condition);
  const [segment] = reference?.path ?? [];
  if (reference === undefined || reference.path.length !== 1 || segment === undefined || !("key" in segment))
    return undefined;
  const source = lookup(reference.name);
  const decision = source.found && isRecord(source.value) ? source.value : {};
  const { chosen } = decision;
  // What a task with `choose` gives, and hardly anything else.
  const isDecision = typeof chosen === "string" && Object.hasOwn(decision, chosen) && decision[chosen] === true;
  return isDecision ? `Task "${reference.name}" chose the branch "${chosen}" and not "${segment.key}".` : undefined;
}
