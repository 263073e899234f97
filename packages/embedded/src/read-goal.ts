import { isAboutRecords } from "./choose-planner.ts";
import type { Draft } from "./draft/draft.ts";
import { type GoalPart, readCalls } from "./explicit/read-calls.ts";
import { draftCalls } from "./explicit/read-explicit.ts";
import type { FunctionPlanning } from "./functions/arguments/function-planning.ts";
import { orderEffects } from "./functions/chains/order-effects.ts";
import { findDates } from "./language/temporal/find-dates.ts";
import { readSeparately } from "./separate-requests.ts";

/** How a goal was read. */
interface GoalReading {
  /** How many tasks come from what is only remembered. */
  readonly remembered: number;
  /** Which planners answered: `exact calls`, `functions`, `records`. */
  readonly plannedBy: readonly string[];
  /** The text without what is written out as calls; blanks take its place. */
  readonly free: string;
  /** How likely the plan is right, where both planners read a part of it. */
  readonly chance?: number;
}

/** Adds the calls that a goal asks for to the planning: those that are written out, and those that a planner reads from its sentences. */
export function readGoal(planning: FunctionPlanning, goalStart: number): GoalReading {
  const parts = readCalls(planning.text, goalStart, planning.catalogue);
  return parts.length === 0 ? readPlainly(planning, goalStart) : readWrittenOut(parts, planning, goalStart);
}

/** By the planner for catalogues of this kind. */
function readPlainly(planning: FunctionPlanning, goalStart: number): GoalReading {
  const reader =
    planning.reader ?? (isAboutRecords(planning.text.slice(goalStart), planning.catalogue) ? "records" : "functions");
  const { remembered, readBy, chance } = readSeparately(planning, goalStart, reader);
  return { remembered, plannedBy: readBy, free: planning.text, ...(chance !== undefined && { chance }) };
}

/**
 * Calls that are written out by their exact names are taken as they are; only the texts between them are read as sentences. What
 * "then" precedes waits for the part before it.
 */
function readWrittenOut(parts: readonly GoalPart[], planning: FunctionPlanning, goalStart: number): GoalReading {
  const written = draftCalls(parts, planning);
  let free = planning.text;
  for (const part of parts) {
    if (part.kind !== "call") continue;
    const { start, end } = part.call;
    free = free.slice(0, start) + " ".repeat(end - start) + free.slice(end);
  }
  const isPlain = parts.some(({ kind }) => kind === "text");
  const dates = isPlain ? findDates(free, planning.clock) : [];
  const rest: FunctionPlanning = { ...planning, text: free, dates, drafts: [] };
  const reading = isPlain ? readPlainly(rest, goalStart) : { remembered: 0, plannedBy: [] };
  if (rest.choice !== undefined) planning.choice = rest.choice;
  planning.drafts.push(...rest.drafts.slice(0, reading.remembered));
  const left = rest.drafts.slice(reading.remembered);
  const following = new Set<Draft>();
  let before: Draft | undefined;
  for (const [at, part] of parts.entries()) {
    // What separates a text from the call before it belongs to the text.
    const end = part.kind === "text" && at < parts.length - 1 ? part.end : Number.POSITIVE_INFINITY;
    const own = written.get(part);
    const drafts = own === undefined && part.kind === "text" ? takeUntil(left, end) : own === undefined ? [] : [own];
    for (const draft of part.follows ? drafts : []) {
      following.add(draft);
      if (before !== undefined) draft.after.add(before);
    }
    planning.drafts.push(...drafts);
    before = drafts.at(-1) ?? before;
  }
  orderEffects([...written.values()], following);
  return { remembered: reading.remembered, plannedBy: ["exact calls", ...reading.plannedBy], free };
}

/** Takes the drafts from a list whose words begin before an offset, in their order. */
function takeUntil(drafts: Draft[], end: number): Draft[] {
  const at = drafts.findIndex(({ clause }) => (clause.tokens[0]?.start ?? 0) >= end);
  return drafts.splice(0, at < 0 ? drafts.length : at);
}
