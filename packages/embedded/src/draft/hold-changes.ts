import type { PlannerTaskInput } from "@planloom/plan";
import { type Draft, sourcesOf } from "./draft.ts";
import type { Unresolved } from "./unresolved.ts";

/** Open points by which something else may be changed than what the goal means: words that select were dropped, two tools fit equally well, or only the first of several rows is taken. */
const selecting: ReadonlySet<Unresolved["reason"]> = new Set([
  "no_parameter",
  "first_only",
  "computation",
  "no_antecedent",
  "several_resources",
]);

const waits = " What the call would change waits for an approval.";

/** The tasks as they are to be run, and the open points with what became of the calls that they are about. */
interface Held {
  readonly tasks: readonly PlannerTaskInput[];
  readonly unresolved: readonly Unresolved[];
}

/**
 * What may change something waits for an approval where an open point is about it, or about a task whose output it takes: "order 5 Trypsin" where nothing took
 * "Trypsin" would order another thing. An open point without a task is about all. O(open points · tasks)
 * @param drafts in the order of `tasks`
 */
export function holdChanges(
  tasks: readonly PlannerTaskInput[],
  drafts: readonly Draft[],
  ids: ReadonlyMap<Draft, string>,
  unresolved: readonly Unresolved[],
): Held {
  const held = new Set<Draft>();
  const open = unresolved.map((point) => {
    if (!selecting.has(point.reason)) return point;
    const task = drafts.find((draft) => ids.get(draft) === point.task_id);
    const about = task === undefined ? [] : drafts.filter((draft) => isMadeWith(draft, task));
    const concerned = drafts.filter(
      (draft) => mayChange(draft) && (point.task_id === undefined || about.some((other) => isFedBy(draft, other))),
    );
    for (const draft of concerned) held.add(draft);
    return concerned.length === 0 || point.message.endsWith(waits)
      ? point
      : { ...point, message: point.message + waits };
  });
  const result = tasks.map((task, at) => (held.has(drafts[at]!) ? { ...task, approval: "required" as const } : task));
  return { tasks: held.size === 0 ? tasks : result, unresolved: open };
}

/** A model only answers, whatever its name says ("write_report"), unless it is declared to change something. */
export function mayChange({ profile: { effect, resource } }: Draft): boolean {
  if (resource.kind === "llm" && resource.read_only !== false && resource.destructive !== true) return false;
  return effect !== "reads";
}

/** The two are one, or calls of one tool that were made of the same words: what is not understood in "moor A and B by the old pier" is so for both. */
const isMadeWith = (draft: Draft, other: Draft): boolean =>
  draft === other || (draft.profile === other.profile && draft.clause === other.clause);

/** The draft is the other one, or takes its output, be it through others. */
function isFedBy(draft: Draft, other: Draft, seen = new Set<Draft>()): boolean {
  if (draft === other) return true;
  if (seen.has(draft)) return false;
  seen.add(draft);
  return sourcesOf(draft).some((source) => isFedBy(source, other, seen));
}
