import { isRecord } from "@planloom/plan";
import { type DraftedCall, idsIn, type Task } from "./drafted-plan.ts";
import { carriedOver, leavesIn, leavesOf, plainText } from "./given-values.ts";
import { withoutMadeUp } from "./made-up.ts";
import { settleArguments } from "./settle-arguments.ts";
import type { AnsweredCall, OpenArgument, Origin, SettledPlan, Sides } from "./sides.ts";

/** Which calls the plan is made of. */
export interface Parts {
  readonly kept: ReadonlySet<DraftedCall>;
  readonly replaced: ReadonlyMap<DraftedCall, AnsweredCall | undefined>;
  readonly added: ReadonlySet<AnsweredCall>;
}

/** The plan of these calls, in an order in which each comes after those that it reads; undefined where there is none. */
export function assembled({ kept, replaced, added }: Parts, sides: Sides): SettledPlan | undefined {
  const { draft, model, pairs, parameters } = sides;
  const ids = new Set([...kept].map(({ id }) => id));
  const names = new Map<string, string>();
  for (const [call, { id }] of pairs) if (kept.has(call)) names.set(id, call.id);
  for (const { id } of added) {
    const own = freeId(id, ids);
    ids.add(own);
    names.set(id, own);
  }
  const renamed = (task: Task): Task => withNames(task, names);
  const origins = new Map<string, Origin>();
  const made = new Map<DraftedCall | AnsweredCall, Task>();
  const open: OpenArgument[] = [];
  // What read a call that was replaced reads the call that took its place.
  const instead = new Map(
    [...replaced].flatMap(([call, other]) =>
      other === undefined ? [] : [[call.id, names.get(other.id) ?? ""] as const],
    ),
  );
  const place = { ids, instead, sides };
  for (const call of kept) {
    const paired = pairs.get(call);
    origins.set(call.id, paired === undefined ? "draft" : "both");
    const own = withNames(call.task, instead);
    const drafted = { ...call, task: paired === undefined ? own : call.task };
    made.set(call, paired === undefined ? own : withArguments(drafted, renamed(paired.task), place));
  }
  for (const each of added) {
    origins.set(names.get(each.id) ?? each.id, "model");
    const call = [...replaced].find(([, other]) => other === each)?.[0];
    const own = withoutMadeUp(renamed(each.task), each.callee, sides.isMadeUp, open);
    if (call === undefined) made.set(each, own);
    else {
      // Of the call whose place it takes, it is given what has the same name.
      const carried = carriedOver(call, parameters(each.callee));
      const drafted = { ...call, task: { ...own, arguments: carried }, open: new Set<string>() };
      made.set(each, withArguments(drafted, own, place));
    }
  }
  const order: (DraftedCall | AnsweredCall)[] = draft.flatMap((call) => {
    const other = kept.has(call) ? call : replaced.get(call);
    return other === undefined ? [] : [other];
  });
  order.push(...model.filter((each) => added.has(each)));
  const listed = [...new Set(order)].map((each) => withoutStrangers(made.get(each)!, ids));
  const tasks = inOrder(withoutIdle(listed, draft, pairs));
  if (tasks === undefined) return undefined;
  const left = tasks.map(({ task_id }) => String(task_id));
  return { tasks, open, names, origins: new Map(left.map((id) => [id, origins.get(id) ?? "draft"])) };
}

/** Where a call is in the plan that is made. */
interface Place {
  /** Of its tasks. */
  readonly ids: ReadonlySet<string>;
  /** By the id of a call that was replaced: the task that took its place. */
  readonly instead: ReadonlyMap<string, string>;
  readonly sides: Sides;
}

function withArguments(call: DraftedCall, paired: Task, { ids, instead, sides }: Place): Task {
  const flows = (task: Task) => [task.for_each, task.when].some((each) => each !== undefined && each !== null);
  // What a call does for each item of a list is said by its arguments and the list together.
  if (flows(call.task) !== flows(paired) && call.open.size === 0) return withNames(call.task, instead);
  const given = isRecord(paired.arguments) ? paired.arguments : {};
  const isPlanned = (id: string) => ids.has(id) || id === "item" || id === "index";
  const { draft, isSaid, isTrusted } = sides;
  const isMadeUp = (name: string, value: unknown) => sides.isMadeUp(call.callee, name, value);
  const isFoundBy = (reference: unknown, value: unknown) => {
    const read = new Set(idsIn(reference));
    const given = leavesIn(draft.filter(({ id }) => read.has(id)).map(({ task }) => task)).map(plainText);
    return leavesOf(value).some((each) => given.includes(plainText(each)));
  };
  const settled = settleArguments(call, { given, isPlanned, isSaid, isMadeUp, isFoundBy, isTrusted });
  const { for_each = paired.for_each, when = paired.when } = call.task;
  const task = {
    ...call.task,
    ...(for_each !== undefined && { for_each }),
    ...(when !== undefined && { when }),
    arguments: settled,
  };
  return withNames(task, instead);
}

/** Ids in references and dependencies, renamed. */
function withNames(task: Task, names: ReadonlyMap<string, string>): Task {
  if (names.size === 0) return task;
  const name = (id: string) => names.get(id) ?? id;
  const { task_id, dependencies, ...rest } = task;
  const text = JSON.stringify(rest).replaceAll(/(?<!\$)\$\{([\w-]+)/g, (_, id: string) => `\${${name(id)}`);
  return {
    ...(JSON.parse(text) as Task),
    task_id: name(String(task_id)),
    ...(Array.isArray(dependencies) && { dependencies: dependencies.map((id) => name(String(id))) }),
  };
}

/** Without what reads or waits for a task that is not in the plan. */
function withoutStrangers(task: Task, ids: ReadonlySet<string>): Task {
  const given = isRecord(task.arguments) ? task.arguments : undefined;
  const isKnown = (value: unknown) => idsIn(value).every((id) => ids.has(id) || id === "item" || id === "index");
  return {
    ...task,
    ...(given !== undefined && {
      arguments: Object.fromEntries(Object.entries(given).filter(([, value]) => isKnown(value))),
    }),
    ...(Array.isArray(task.dependencies) && {
      dependencies: [...new Set(task.dependencies.map(String))].filter((id) => ids.has(id) && id !== task.task_id),
    }),
  };
}

/** Without tasks of the draft that were there for another one which does not read them any more. */
function withoutIdle(
  tasks: readonly Task[],
  draft: readonly DraftedCall[],
  pairs: ReadonlyMap<DraftedCall, AnsweredCall>,
): readonly Task[] {
  const helpers = new Set(
    draft.flatMap((call) => {
      const isRead = draft.some(({ task }) => idsIn(task).includes(call.id));
      return call.likelihood === undefined && isRead && !pairs.has(call) ? [call.id] : [];
    }),
  );
  const read = new Set(tasks.flatMap((task) => idsIn({ ...task, task_id: "" })));
  const left = tasks.filter(({ task_id }) => !helpers.has(String(task_id)) || read.has(String(task_id)));
  return left.length === tasks.length ? tasks : withoutIdle(left, draft, pairs);
}

/** Each task after those that it reads or waits for; otherwise as they were. Undefined for a circle. */
function inOrder(tasks: readonly Task[]): readonly Task[] | undefined {
  const waiting = [...tasks];
  const done: Task[] = [];
  const placed = new Set<string>();
  const known = new Set(tasks.map(({ task_id }) => String(task_id)));
  while (waiting.length > 0) {
    const at = waiting.findIndex((task) => {
      const { task_id, dependencies } = task;
      const before = [...idsIn(task), ...(Array.isArray(dependencies) ? dependencies.map(String) : [])];
      return before.every((id) => !known.has(id) || placed.has(id)) && !idsIn(task.arguments).includes(String(task_id));
    });
    const [next] = at < 0 ? [] : waiting.splice(at, 1);
    if (next === undefined) return undefined;
    done.push(next);
    placed.add(String(next.task_id));
  }
  return done;
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  let number = 2;
  while (taken.has(`${id}_${number}`)) number += 1;
  return `${id}_${number}`;
}
