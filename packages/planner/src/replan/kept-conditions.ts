import {
  IssueCode,
  type PatchProposal,
  type PlanIssue,
  type PlannerTask,
  parseTemplate,
  type TaskData,
} from "@planloom/plan";

type When = NonNullable<PlannerTask["when"]>;

/** Both conditions have to hold. The own one has been looked at by `conditionIssues`. */
export function bothOf(kept: When, own: When | undefined): When {
  if (own === undefined || own.condition === kept.condition) return kept;
  return { condition: `(${kept.condition}) and (${own.condition})` };
}

/**
 * New tasks that cannot keep the condition of what they replace: those that replace several with different conditions would be executed where one of
 * them was not to be; a condition of their own that is not whole in itself (`true) or (true`) would change the meaning of the one that it is added to.
 */
export function conditionIssues({ tasks }: PatchProposal, plan: TaskData): PlanIssue[] {
  const byId = new Map(plan.planned_tasks.map((task) => [task.task_id, task]));
  return tasks.flatMap((task): PlanIssue[] => {
    const replaced = task.replaces.flatMap((id) => byId.get(id) ?? []);
    const message = mixed(replaced) ?? notWhole(replaced, task.when);
    if (message === undefined) return [];
    const about = task.task_id === undefined ? {} : { task_id: task.task_id };
    return [{ code: IssueCode.PATCH_PROTECTION, severity: "error", message, ...about }];
  });
}

function mixed([first, ...others]: readonly PlannerTask[]): string | undefined {
  const other = others.find(({ when }) => when?.condition !== first?.when?.condition);
  if (first === undefined || other === undefined) return undefined;
  const said = ({ task_id, when }: PlannerTask) =>
    `${JSON.stringify(task_id)}, which ${when === undefined ? "has no condition" : `has the condition ${short(when.condition)}`}`;
  return `A new task cannot replace both ${said(first)}, and ${said(other)}. Write a new task for each of them; it keeps the condition.`;
}

function notWhole([first]: readonly PlannerTask[], own: When | undefined): string | undefined {
  if (first?.when === undefined || own === undefined || isWhole(own.condition)) return undefined;
  return `Expected \`when.condition\` to be a whole expression without comments, regular expressions and divisions, since the condition of ${JSON.stringify(first.task_id)} has to hold as well; got ${short(own.condition)}. Leave it out to keep that condition alone.`;
}

const short = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);

const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** True where each bracket is closed in the order in which it was opened. What a `/` begins cannot be said without reading the expression. */
function isWhole(condition: string): boolean {
  const open: string[] = [];
  let quote = "";
  for (const part of partsOf(condition)) {
    for (let at = 0; at < part.length; at++) {
      const sign = part[at]!;
      if (quote !== "") {
        if (sign === "\\") at++;
        else if (sign === quote) quote = "";
      } else if (sign === '"' || sign === "'") quote = sign;
      else if (closing[sign] !== undefined) open.push(closing[sign]);
      else if (")]}".includes(sign)) {
        if (open.pop() !== sign) return false;
      } else if (sign === "/" || sign === "`") return false;
    }
  }
  return open.length === 0 && quote === "";
}

/** The texts of a condition between its references. One that cannot be read is refused elsewhere. */
function partsOf(condition: string): string[] {
  try {
    return parseTemplate(condition).parts.filter((part) => typeof part === "string");
  } catch {
    return [condition];
  }
}
