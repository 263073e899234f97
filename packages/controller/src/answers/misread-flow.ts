import { IssueCode, isRecord, type PlanIssue } from "@planloom/plan";
import { describeValue } from "@planloom/plan/internals";

const waitFields = ["wait_minutes", "wait_until", "wait_event"] as const;

/** What the fields of an answer for lists, conditions and waits take. */
const takes: Readonly<Record<string, { readonly expected: string; readonly is: (value: unknown) => boolean }>> = {
  wait_minutes: { expected: "a number", is: (value) => minutesOf(value) !== undefined },
  wait_until: { expected: "a time as a text", is: isText },
  wait_event: { expected: "a name as a text", is: isText },
  when: { expected: "a condition as a text", is: (value) => isText(value) || isRecord(value) || value === true },
  until: { expected: "a condition as a text", is: (value) => isText(value) || isRecord(value) },
  each: { expected: "a reference to a list", is: (value) => isText(value) || isRecord(value) || Array.isArray(value) },
};

/** A number of minutes, also where a model writes it as a text. */
export function minutesOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

/**
 * What a task of an answer says of lists, conditions and waits that cannot be read. Left out, it would be another plan: a call that is made at once and not in an
 * hour.
 */
export function misreadFlow(answered: Readonly<Record<string, unknown>>): PlanIssue[] {
  const about = typeof answered.task_id === "string" ? { task_id: answered.task_id } : {};
  const issue = (message: string, argument_path: string): PlanIssue => {
    return { code: IssueCode.SCHEMA, severity: "error", message, ...about, argument_path };
  };
  const isSaid = (field: string) => answered[field] !== undefined && answered[field] !== null && answered[field] !== "";
  const wrong = Object.entries(takes).flatMap(([field, { expected, is }]) => {
    if (!isSaid(field) || is(answered[field])) return [];
    return [issue(`Expected \`${field}\` to be ${expected}, got ${describeValue(answered[field])}.`, field)];
  });
  const [first, second] = waitFields.filter(isSaid);
  if (first === undefined || second === undefined) return wrong;
  const message = `Expected a task to wait for one thing, got \`${first}\` and \`${second}\`. Write a task for each of them.`;
  return [...wrong, issue(message, second)];
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
