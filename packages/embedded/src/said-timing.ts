import type { PlannerTaskInput } from "@planloom/plan";
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { Profile } from "./catalogue/profile.ts";
import type { Draft } from "./draft/draft.ts";
import type { Unresolved } from "./draft/unresolved.ts";
import type { Clock } from "./language/temporal/calendar.ts";
import type { DateSpan } from "./language/temporal/find-dates.ts";
import { findRecurrence, type Recurrence } from "./language/temporal/recurrence.ts";
import { findWaits, type SaidWait } from "./language/temporal/said-waits.ts";

/** When a goal is to be carried out, as far as no argument says it: "every Monday at 8, …", "wait 2 hours, then …". */
export interface SaidTiming {
  readonly recurrence?: Recurrence;
  readonly waits: readonly SaidWait[];
}

/** What `metadata.schedule` of a plan says. */
interface PlanSchedule {
  /** The words of the goal. */
  readonly text: string;
  /** As `planloom schedule --cron` takes it; absent where no pattern can say it. */
  readonly cron?: string;
  /** The tasks that have an approval for this alone: the ids. `planloom schedule` takes it away. */
  readonly held: readonly string[];
}

/** Blanks in the place of spans, so that offsets stay. */
export function withBlanks(text: string, spans: readonly { readonly start: number; readonly end: number }[]): string {
  let result = text;
  for (const { start, end } of spans) result = result.slice(0, start) + " ".repeat(end - start) + result.slice(end);
  return result;
}

/** Words of a goal from an offset on that say how often it is to be carried out. */
export function recurrenceIn(text: string, from: number): Recurrence | undefined {
  const found = findRecurrence(text.slice(from));
  return found && { ...found, start: found.start + from, end: found.end + from };
}

/** Waits of a goal from an offset on, where no tool is one for waiting. */
export function waitsIn(
  text: string,
  from: number,
  dates: readonly DateSpan[],
  clock: Clock,
  { profiles }: Catalogue,
): readonly SaidWait[] {
  if (profiles.some(({ nameWords }) => nameWords.includes("wait"))) return [];
  return findWaits(text, dates, clock).filter(({ start }) => start >= from);
}

const timers = /^(?:recurrence|recurring|cron|rrule|frequency|repeats?|interval|schedule|period|every)$/;

/** The tool is told itself how often something is to happen. */
export const takesTimes = ({ parameters }: Profile): boolean =>
  parameters.some(({ words }) => words.some((word) => timers.test(word)));

/**
 * The tasks with what the goal says of their time: a wait is a task of its own between what is said before and after it. What happens again and again is
 * left to a schedule: run at once, its changes wait for an approval.
 * @param drafts in the order of `tasks`
 */
export function withTiming(
  tasks: readonly PlannerTaskInput[],
  drafts: readonly Draft[],
  { recurrence, waits }: SaidTiming,
): { tasks: PlannerTaskInput[]; schedule?: PlanSchedule; unresolved: Unresolved[] } {
  let result = [...tasks];
  const taken = new Set(tasks.map(({ task_id }) => task_id));
  const waiting: PlannerTaskInput[] = [];
  for (const { start, end, text, wait } of waits) {
    // The words of a call may begin with the "then" before the wait.
    const isAfter = (at: number) => (drafts[at]!.clause.tokens.at(-1)?.start ?? 0) >= end;
    const isBefore = (at: number) => (drafts[at]!.clause.tokens.at(-1)?.start ?? 0) < start;
    if (!tasks.some((_, at) => isAfter(at))) continue;
    let id = "wait";
    for (let next = 2; taken.has(id); next += 1) id = `wait_${next}`;
    taken.add(id);
    const before = tasks.flatMap(({ task_id }, at) => (isBefore(at) && task_id !== undefined ? [task_id] : []));
    const dependencies = [...before, ...waiting.flatMap(({ task_id }) => (task_id === undefined ? [] : [task_id]))];
    waiting.push({ task_id: id, title: text.trim().slice(0, 120), description: text.trim(), dependencies, wait });
    result = result.map((task, at) =>
      isAfter(at) ? { ...task, dependencies: [...(task.dependencies ?? []), id] } : task,
    );
  }
  const all = [...result];
  for (const wait of waiting) {
    const first = all.findIndex(({ dependencies }) => dependencies?.includes(wait.task_id ?? "") === true);
    all.splice(first, 0, wait);
  }
  if (recurrence === undefined || tasks.length === 0) return { tasks: all, unresolved: [] };
  const isHeld = (at: number) => drafts[at]!.profile.effect !== "reads";
  const own = result.flatMap(({ task_id, approval }, at) =>
    isHeld(at) && approval === undefined && task_id !== undefined ? [task_id] : [],
  );
  const held = new Set(own);
  const { text, cron } = recurrence;
  const line =
    cron === undefined
      ? "no cron pattern says when"
      : `\`planloom schedule PLAN --cron "${cron}"\` carries it out at these times`;
  const rest = own.length === 0 ? "" : "; run at once, what it would change waits for an approval";
  const message = `"${text.trim()}" says how often it is to be done: ${line}${rest}.`;
  return {
    tasks: all.map((task) => (held.has(task.task_id ?? "") ? { ...task, approval: "required" as const } : task)),
    schedule: { text: text.trim(), ...(cron !== undefined && { cron }), held: own },
    unresolved: [{ reason: "condition", text: text.trim(), message }],
  };
}
