import { IssueCode, type PlanIssue } from "../issue.ts";
import type { JsonSchema } from "../json.ts";
import type { Step } from "../ports/executor.ts";
import type { Resource } from "../ports/resource.ts";
import type { FoundSecret } from "../references/secret-object.ts";
import { brokenSchema } from "./broken-schema.ts";
import { issueAt, literalIssues, unknownArgument } from "./literal-issues.ts";
import { resourceTyping } from "./resource-typing.ts";
import { nodeAtPath } from "./schema-at-path.ts";
import { flatten } from "./schema-node.ts";
import { valueText } from "./value-text.ts";

/** What `validateValue` knows of a value. */
export interface ValueOptions {
  /** Where a `{"$secret": …}` of the value is read as a text. @default wherever there is one */
  readonly secrets?: readonly FoundSecret[] | undefined;
  /** What the value is, for messages, such as "the output". @default "the arguments" */
  readonly what?: string | undefined;
}

/**
 * What is wrong with a value under a JSON Schema (2020-12 or draft-07, formats included). Compiled once per schema
 * object. Codes: `missing_argument`, `unknown_argument`, `invalid_argument`; `resource_schema` for a schema that cannot
 * be read. Texts are literal: references count as text. Never throws.
 */
export function validateValue(value: unknown, schema: JsonSchema, { secrets, what }: ValueOptions = {}): PlanIssue[] {
  const place = { path: [], ...(what !== undefined && { what }) };
  try {
    const broken = brokenSchema(schema);
    if (broken) return [issueAt(place, IssueCode.RESOURCE_SCHEMA, `the schema cannot be read: ${broken}`, {})];
    return literalIssues(value, { schema, root: schema }, place, secrets);
  } catch (error) {
    const reason = error instanceof Error ? error.message : valueText(error);
    return [issueAt(place, IssueCode.INVALID_ARGUMENT, `expected plain JSON; the value cannot be read: ${reason}`, {})];
  }
}

/**
 * Stage 2's answer against the resource it chose: its id, and `input_data` against the input schema. Arguments that the
 * schema neither names nor forbids are warnings. Never throws.
 * @param options.secrets where a `{"$secret": …}` of `input_data` is read as a text. @default wherever there is one
 */
export function validateStep(
  step: Step,
  resource: Resource,
  { secrets }: { readonly secrets?: readonly FoundSecret[] } = {},
): PlanIssue[] {
  const issues: PlanIssue[] = [];
  if (step.uid !== resource.id) {
    const message = `Expected a step for ${resource.kind} ${valueText(resource.id, 130)}, got one for ${valueText(step.uid, 130)}.`;
    const [expected, actual] = [resource.id, String(step.uid)];
    issues.push({
      code: IssueCode.INVALID_ARGUMENT,
      severity: "error",
      message,
      argument_path: "uid",
      expected,
      actual,
    });
  }
  const { broken, input } = resourceTyping(resource);
  if (broken) {
    const message = `The schema of ${resource.kind} ${valueText(resource.id, 130)} cannot be read: ${broken}.`;
    return [...issues, { code: IssueCode.RESOURCE_SCHEMA, severity: "error", message, resource_id: resource.id }];
  }
  if (!input) return issues;
  issues.push(...validateValue(step.input_data, input.schema, { secrets }));
  if (flatten(input).additional === false) return issues;
  for (const key of Object.keys(step.input_data ?? {})) {
    if (nodeAtPath(input, [{ key }]).found === "no")
      issues.push(unknownArgument({ path: [] }, key, input, step.input_data, undefined));
  }
  return issues;
}
