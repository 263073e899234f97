import { IssueCode, isRecord, type PlanIssue, type Resource } from "@planloom/plan";
import { outlineOf, propertiesOf, requiredOf } from "./schema-outline.ts";

type Answered = Readonly<Record<string, unknown>>;

/** `${search_boats('Nora')}`, `${search_boats(name="Nora").id}`: the tool, its one value and perhaps a field of what comes back. */
const nestedCall = /^\$\{([\w./-]+)\(\s*(?:([\w-]+)\s*[:=]\s*)?(["'])(.*)\3\s*\)((?:\.[\w-]+|\[\d+\])*)\}$/;

/**
 * The tasks of an answer, where calls that are written in the place of a value are tasks of their own. Models write `${search_boats('Nora')}` where an id is wanted. A call is read where its tool is
 * listed and requires one text. Each call is reported as a warning.
 */
export function withNestedCalls(
  listed: readonly unknown[],
  resources: ReadonlyMap<string, Resource>,
): { readonly listed: readonly unknown[]; readonly issues: readonly PlanIssue[] } {
  const issues: PlanIssue[] = [];
  const taken = new Set(listed.flatMap((each) => (isRecord(each) ? [String(each.task_id)] : [])));
  const tasks = listed.flatMap((each): unknown[] => {
    if (!isRecord(each) || !isRecord(each.arguments)) return [each];
    const before: Answered[] = [];
    const values = Object.entries(each.arguments).map(([name, value]) => {
      const call = typeof value === "string" ? readCall(value, name, resources) : undefined;
      if (call === undefined) return [name, value] as const;
      const task_id = freeId(taken);
      before.push({ task_id, for: each.for, tool_id: call.tool, arguments: call.values });
      const message = `\`${name}\` of task ${JSON.stringify(each.task_id)} was written as a call of ${JSON.stringify(call.tool)}, which is a task of its own now.`;
      issues.push({ code: IssueCode.UNRESOLVED, severity: "warning", message, task_id });
      return [name, `\${${task_id}${call.path}}`] as const;
    });
    return before.length === 0 ? [each] : [...before, { ...each, arguments: Object.fromEntries(values) }];
  });
  return { listed: tasks, issues };
}

function readCall(value: string, argument: string, resources: ReadonlyMap<string, Resource>) {
  const [, tool = "", named, , given = "", path = ""] = nestedCall.exec(value.trim()) ?? [];
  const resource = resources.get(tool);
  if (resource?.kind !== "tool" || given.includes("${")) return undefined;
  const [only, ...others] = requiredOf(resource.input_schema);
  const name = named ?? only;
  const properties = propertiesOf(resource.input_schema);
  if (name === undefined || others.length > 0 || (only !== undefined && name !== only)) return undefined;
  if (outlineOf(properties[name]).type !== "string") return undefined;
  return { tool, values: { [name]: given }, path: path === "" ? fieldFor(argument, resource) : path };
}

/** Where the value is in what the tool gives: in the field of that name, in its `id`, of the first element of a list. */
export function fieldFor(argument: string, { output_schema }: Resource): string {
  const output = outlineOf(output_schema);
  const isList = output.type === "array";
  const fields = propertiesOf((isList ? output.items : output) as Parameters<typeof propertiesOf>[0]);
  const names = Object.keys(fields);
  const isId = /(?:^|_|[a-z])ids?$/i.test(argument);
  const found = [argument, ...(isId ? ["id"] : [])].find((name) => names.includes(name));
  if (names.length > 0 && found === undefined) return isList ? "[0]" : "";
  return `${isList ? "[0]" : ""}.${found ?? argument}`;
}

function freeId(taken: Set<string>): string {
  let number = taken.size + 1;
  while (taken.has(`t${number}`)) number += 1;
  taken.add(`t${number}`);
  return `t${number}`;
}
