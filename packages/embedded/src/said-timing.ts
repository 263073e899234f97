import type { PlannerTaskInput } from "@planloom/plan";
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { Profile } from "./catalogue/profile.ts";
import { type Draft, sourcesOf } from "./draft/draft.ts";
import type { Unresolved } from "./draft/unresolved.ts";
import type { Clock } from "./language/temporal/calendar.ts";
import type { DateSpan } from "./language/temporal/find-dates.ts";
import { findRecurrence, type Recurrence } from "./language/temporal/recurrence.ts";
import { findArrivals } from "./language/temporal/said-arrivals.ts";
import { findDelays, findWaits, type SaidWait } from "./language/temporal/said-waits.ts";
import { isVerb } from "./language/text/actions.ts";

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

/** Which words of a goal are taken for the time at which it is carried out: all, those that say nothing else ("wait", "every Monday"), or none. */
export type TimesRead = "all" | "plain" | "none";

/** Waits of a goal from an offset on, where no tool is one for waiting. */
export function waitsIn(
  text: string,
  from: number,
  dates: readonly DateSpan[],
  clock: Clock,
  { profiles, verbs }: Catalogue,
  times: TimesRead,
): readonly SaidWait[] {
  if (times === "none" || profiles.some(({ nameWords }) => nameWords.includes("wait"))) return [];
  const waits = findWaits(text, dates, clock).filter(({ start }) => start >= from);
  if (times === "plain" || waits.length > 0) return waits;
  const named = new Set(profiles.flatMap(({ nameWords }) => (nameWords.length > 1 ? nameWords.slice(0, 1) : [])));
  const opens = (lower: string) => isVerb(lower) || verbs.has(lower) || named.has(lower);
  const arrivals = findArrivals(text, opens);
  const isApart = ({ start, end }: SaidWait) => arrivals.every((other) => other.end <= start || end <= other.start);
  return [...findDelays(text, dates, clock, opens).filter(isApart), ...arrivals]
    .filter(({ start }) => start >= from)
    .sort((left, right) => left.start - right.start);
}

const timers = /^(?:recurrence|recurring|cron|rrule|frequency|repeats?|interval|schedule|period|every)$/;

/** An argument of the tool says how often something is to happen. */
export const takesTimes = ({ parameters }: Profile): boolean =>
  parameters.some(({ words }) => words.some((word) => timers.test(word)));

const moments = /^(?:time|times|when|at|datetime|timestamp|delay|due|deadline|start|starts|remind|reminder)$/;

/** The tool is given the time of what it does. */
const takesMoment = ({ parameters }: Profile): boolean =>
  parameters.some(
    ({ holdsDay, format, words }) =>
      holdsDay || /^(?:date|time)/.test(format) || words.some((word) => moments.test(word)),
  );

/**
 * Whether words are about when requests are carried out. A time is, where the request changes something and its tools do not take the time themselves; where it only reads, a time may
 * narrow down what is read ("trains tomorrow at 9") unless it is so long from now and comes first ("in an hour, list …"). What is to come first is always.
 */
export function fitsDelays(drafts: readonly Draft[], waits: readonly SaidWait[]): boolean {
  return waits.every((said) => {
    const { start, wait, delays } = said;
    if (delays === undefined) return true;
    const asked = drafts.filter((draft) => !draft.support && isDelayed(draft, said, drafts));
    if (asked.length === 0 || "event" in wait) return asked.length > 0;
    const isLead = "for_ms" in wait && delays.to > start;
    const doing = withoutFeeding(asked);
    if (!isLead && doing.some(({ profile }) => profile.effect === "reads")) return false;
    return !doing.some(({ profile }) => takesMoment(profile));
  });
}

const speaksOfTimes = /\b(?:times?|dates?|days?|when|hours?|availab\p{L}*|schedule|deadline|due|period)\b/iu;

/** "Approve every open claim in two hours": without what is only read for a change, since the claims are not of these hours. */
function withoutFeeding(drafts: readonly Draft[]): readonly Draft[] {
  const changing = drafts.filter(({ profile }) => profile.effect === "changes");
  const fed = new Set(changing.flatMap(sourcesOf));
  return drafts.filter((draft) => !fed.has(draft) || draft.profile.effect !== "reads");
}

/**
 * Some text is made of words of the span; a number in it may be one by chance. Not where other words are that text once these say when: "in an hour, restart
 * billing".
 * @param others the drafts as they are read without the span
 */
export const takesText = (drafts: readonly Draft[], { start, end }: SaidWait, others: readonly Draft[]): boolean =>
  withoutFeeding(drafts).some(({ filled, profile }) =>
    [...filled].some(([slot, { parameter, filling }]) => {
      const at = filling.kind === "value" && typeof filling.value === "string" ? filling.origin?.start : undefined;
      const isElsewhere =
        !speaksOfTimes.test(`${parameter.words.join(" ")} ${parameter.description}`) &&
        others.some((other) => other.profile === profile && other.filled.has(slot));
      return at !== undefined && at >= start && at < end && !isElsewhere;
    }),
  );

const firstOf = ({ clause }: Draft) => clause.tokens[0]?.start ?? 0;
const lastOf = ({ clause }: Draft) => clause.tokens.at(-1)?.start ?? 0;

/** The words of the call are those before or after the time, in its sentence; of several before it the last. */
function isDelayed(draft: Draft, { start, end, delays }: SaidWait, drafts: readonly Draft[]): boolean {
  if (delays === undefined) return lastOf(draft) >= end;
  if (delays.to > start) return lastOf(draft) >= end && firstOf(draft) < delays.to;
  const nearest = Math.max(...drafts.map(lastOf).filter((last) => last < start));
  return lastOf(draft) === nearest && nearest >= delays.from;
}

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
  for (const said of waits) {
    const { start, text, wait, delays } = said;
    // The words of a call may begin with the "then" before the wait.
    const isAfter = (at: number) => isDelayed(drafts[at]!, said, drafts);
    const isBefore = (at: number) => delays === undefined && lastOf(drafts[at]!) < start;
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
    unresolved: [
      { reason: "condition", text: text.trim(), message },
      ...drafts.flatMap((draft, at) => daysOf(draft, tasks[at]?.task_id)),
    ],
  };
}

const relative =
  /\b(?:today|tonight|tomorrow|yesterday|now|ago|(?:this|next|last|past|previous|coming|following|current)\b|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b/i;

/** Days of a call that are other days each time it is carried out: in the plan they are those that follow from when it was made. */
function daysOf({ filled, profile }: Draft, task: string | undefined): Unresolved[] {
  const said = [...filled.values()].flatMap(({ parameter, filling }) => {
    const text = filling.kind === "value" && filling.origin?.source === "goal" ? filling.origin.text : undefined;
    const isDay = parameter.holdsDay || parameter.format.startsWith("date");
    return isDay && text !== undefined && relative.test(text) ? [text.trim()] : [];
  });
  return [...new Set(said)].map((text) => ({
    reason: "condition" as const,
    text,
    message: `"${text}" is the same day for \`${profile.label}\` each time it is carried out: the one that was meant when it was planned.`,
    ...(task !== undefined && { task_id: task }),
  }));
}
