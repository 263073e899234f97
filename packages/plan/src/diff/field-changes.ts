import { canonicalJson } from "../hashes/canonical-json.ts";
import { isRecord } from "../json.ts";
import type { ForEach, PlannerTask } from "../records/planner-task.ts";
import { formatPath } from "../references/format-reference.ts";
import { renameReferences } from "../references/map-references.ts";
import type { PathSegment } from "../references/reference.ts";

/** One value that differs. `before` is absent where the value was added, `after` where it was removed. */
export interface FieldChange {
  /** `arguments.filter.ids[0]`. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What a task does and how it is run; ids, dependencies, status, output, times and lineage are not asked. */
const fields = [
  "title",
  "description",
  "execution_type",
  "tool_id",
  "function_id",
  "agent_id",
  "instructions",
  "convertor_code",
  "parameters",
  "arguments",
  "result_variable",
  "retry",
  "timeout_ms",
  "on_failure",
  "approval",
  "for_each",
  "when",
  "choose",
  "join",
  "wait",
  "retry_until",
  "estimate_data",
] as const satisfies readonly (keyof PlannerTask)[];

/** What of them may hold references. */
const referringFields: ReadonlySet<string> = new Set([
  "arguments",
  "parameters",
  "for_each",
  "when",
  "choose",
  "wait",
  "retry_until",
]);

/** Deeper than this a difference is given as a whole. */
const maxDepth = 50;
const maxChanges = 200;

/** Text for what a name refers to; it is the same on both sides where it is the same thing. */
export type NameKey = (name: string) => string;

interface Sides {
  readonly left: unknown;
  readonly right: unknown;
  /** The same with names as they are written. */
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Every leaf in which two versions of a task differ, in the order of the fields, at most 200. References count as equal
 * when their names have one key.
 */
export function fieldChanges(
  before: PlannerTask,
  after: PlannerTask,
  keys: { readonly before: NameKey; readonly after: NameKey },
): FieldChange[] {
  const changes: FieldChange[] = [];
  const visit = (path: readonly PathSegment[], sides: Sides): void => {
    const { left, right } = sides;
    if (left === right || changes.length >= maxChanges || canonicalJson(left) === canonicalJson(right)) return;
    if (path.length < maxDepth && isRecord(left) && isRecord(right)) {
      for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
        visit([...path, { key }], at(sides, key));
    } else if (path.length < maxDepth && Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
      for (let index = 0; index < left.length; index++) visit([...path, { index }], at(sides, index));
    } else {
      changes.push({
        path: formatPath(path),
        ...(sides.before !== undefined && { before: sides.before }),
        ...(sides.after !== undefined && { after: sides.after }),
      });
    }
  };
  for (const field of fields) {
    const refers = referringFields.has(field);
    const [own, other] = [fieldValue(before, field), fieldValue(after, field)];
    visit([{ key: field }], {
      left: refers ? renameReferences(own, keys.before) : own,
      right: refers ? renameReferences(other, keys.after) : other,
      before: own,
      after: other,
    });
  }
  return changes;
}

function fieldValue(task: PlannerTask, field: (typeof fields)[number]): unknown {
  return field === "for_each" ? withoutTimes(task.for_each) : task[field];
}

/** A list without the times of the tasks that it has for each element. */
function withoutTimes(list: ForEach | undefined): unknown {
  if (list?.tasks === undefined) return list;
  const tasks = list.tasks.map(({ creation_time: _, last_update_time: __, ...task }) =>
    task.for_each === undefined ? task : { ...task, for_each: withoutTimes(task.for_each) },
  );
  return { ...list, tasks };
}

function at({ left, right, before, after }: Sides, key: string | number): Sides {
  return { left: own(left, key), right: own(right, key), before: own(before, key), after: own(after, key) };
}

function own(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
