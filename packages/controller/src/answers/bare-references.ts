import { IssueCode, isRecord, type PlanIssue } from "@planloom/plan";

const source = String.raw`(t\d{1,3})((?:\.(?:[A-Za-z_][\w-]*|\*)|\[(?:\d+|\*)\])*)`;
/** `t1.id`, `$t1.id`, `{t1.id}`, `{{t1.id}}`, `<t1.id>`: all of a value. */
const whole = new RegExp(String.raw`^(?:\$|\$?\{\{?\s*|<)?${source}(?:\s*\}\}?|>)?$`);
/** `{t1.id}` and `{{t1.id}}` within a text. */
const within = new RegExp(String.raw`(?<!\$)(?:\$\{\{|\{\{?)\s*${source}\s*\}\}?`, "g");
/** `${5000}`: no task is called by a number with nothing after it. */
const numberInSigns = /^\$\{\s*(-?\d{1,15}(?:\.\d{1,15})?)\s*\}$/;

/**
 * The tasks of an answer with references to earlier tasks that were written without `${` and `}` (`t1.id`, `{{t1.id}}`) as references, and numbers that were written
 * with them (`${5000}`) as numbers. Models write them so where a text is
 * wanted, which any text satisfies. What the request itself says stays a text. Each is said, as a warning.
 * @param request what was asked for, in words. @default nothing is known to be said
 */
export function withMarkedReferences(
  listed: readonly unknown[],
  request = "",
): { readonly listed: readonly unknown[]; readonly issues: readonly PlanIssue[] } {
  const issues: PlanIssue[] = [];
  const earlier = new Set<string>();
  const tasks = listed.map((each) => {
    if (!isRecord(each) || typeof each.task_id !== "string") return each;
    const { task_id } = each;
    const read: string[] = [];
    const marked = isRecord(each.arguments) ? inValue(each.arguments, earlier, request, read) : each.arguments;
    earlier.add(task_id);
    if (read.length === 0) return each;
    const message = `Task ${JSON.stringify(task_id)} writes ${[...new Set(read)].join(", ")} in other signs, which is read as what it means.`;
    issues.push({ code: IssueCode.UNRESOLVED, severity: "warning", message, task_id });
    return { ...each, arguments: marked };
  });
  return issues.length === 0 ? { listed, issues } : { listed: tasks, issues };
}

function inValue(value: unknown, earlier: ReadonlySet<string>, request: string, read: string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => inValue(each, earlier, request, read));
  if (isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inValue(each, earlier, request, read)]));
  }
  if (typeof value !== "string") return value;
  const text = value.trim();
  const [, number] = numberInSigns.exec(text) ?? [];
  if (number !== undefined) {
    read.push(number);
    return Number(number);
  }
  if (earlier.size === 0) return value;
  const referenceTo = (id: string, path: string): string => {
    const reference = `\${${id}${path.replaceAll("[*]", ".*")}}`;
    read.push(reference);
    return reference;
  };
  const [all, id = "", path = ""] = whole.exec(text) ?? [];
  if (all !== undefined) {
    return all === `\${${id}${path}}` || !earlier.has(id) || request.includes(text) ? value : referenceTo(id, path);
  }
  return value.replaceAll(within, (written, of: string, at: string) =>
    earlier.has(of) && !request.includes(written) ? referenceTo(of, at) : written,
  );
}
