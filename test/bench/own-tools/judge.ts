import type { PlannerTaskInput } from "@planloom/plan";
import type { OwnPlan } from "./forms.ts";

/** A call as it is written in what is right: "close(ticket_id=@list; reason=late)". */
interface Expected {
  readonly tool: string;
  readonly arguments: readonly (readonly [name: string, value: string])[];
}

/**
 * Whether a plan is one of those that are written down: "a(x=1) > b(y=@a)" is two calls, of which the second takes something of the first; `|` is between values
 * that are right, `||` between plans. `REFUSE` is no call at all, `ASK` a plan that lacks an argument. Nothing may be added, left out or done on a condition.
 */
export const isRight = (plan: OwnPlan, expected: string): boolean =>
  expected.split(" || ").some((one) => isOne(plan, one.trim()));

function isOne({ planned_tasks: tasks, metadata }: OwnPlan, expected: string): boolean {
  if (expected === "REFUSE") return tasks.length === 0;
  if (expected === "ASK") return tasks.length === 0 || JSON.stringify(metadata ?? {}).includes('"missing_argument"');
  const calls = expected.split(" > ").map(readCall);
  const left = [...tasks];
  return (
    calls.length === tasks.length &&
    calls.every((call) => {
      const at = left.findIndex((task) => isCall(task, call, tasks));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    })
  );
}

function readCall(said: string): Expected {
  const [, tool, given = ""] = /^([\w./-]+)\((.*)\)$/.exec(said.trim()) ?? [];
  if (tool === undefined) throw new Error(`"${said}" is not written as a call`);
  const pairs = given === "" ? [] : given.split("; ");
  return {
    tool,
    arguments: pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  };
}

function isCall(task: PlannerTaskInput, expected: Expected, tasks: readonly PlannerTaskInput[]): boolean {
  const given = task.arguments ?? {};
  if (task.tool_id !== expected.tool || task.when !== undefined) return false;
  if (Object.keys(given).length !== expected.arguments.length) return false;
  return expected.arguments.every(([name, wanted]) => {
    const value = given[name];
    if (value === undefined) return false;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (wanted.startsWith("@")) return toolsNamed(text, task, tasks).includes(wanted.slice(1));
    const said = [text, JSON.stringify(value)].map((each) => each.toLowerCase());
    return wanted.split("|").some((each) => said.includes(each.toLowerCase()));
  });
}

/** Tools of the tasks that a text refers to; `${item}` is an element of what another task gave. */
function toolsNamed(text: string, { for_each }: PlannerTaskInput, tasks: readonly PlannerTaskInput[]) {
  const items = JSON.stringify(for_each?.items ?? "");
  const named = [...text.matchAll(/\$\{(\w+)/g)].flatMap(([, name]) =>
    name === "item" ? [...items.matchAll(/\$\{(\w+)/g)].map(([, own]) => own) : [name],
  );
  return tasks.filter(({ task_id }) => named.includes(task_id)).map(({ tool_id }) => tool_id);
}
