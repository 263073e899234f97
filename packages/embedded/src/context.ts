import { isRecord, type PlanningContext } from "@planloom/plan";
import type { Clock } from "./language/temporal/calendar.ts";
import { findDates } from "./language/temporal/find-dates.ts";
import { tokenise } from "./language/text/token.ts";

/** A goal made whole by what is remembered. */
export interface Recalled {
  /** What came before and is to be planned first, as far as the goal uses it; "" for nothing. */
  readonly before: string;
  readonly goal: string;
}

const same = /\b(?:the same|same thing|do that|repeat (?:it|that|this))\b|^(?:and|now|what about|how about)\b/i;
const back = /\b(?:their|its|them|those|these|it|they|his|her)\b/i;

/**
 * "the same for B" is the last request with B in the place of what was there; "their", "those" refer to the last
 * request. Nothing else is taken from memory.
 */
export function recall(goal: string, context: PlanningContext | undefined, clock: Clock): Recalled {
  const last = context === undefined ? undefined : lastRequest(context);
  if (last === undefined) return { before: "", goal };
  if (same.test(goal)) return { before: "", goal: substituted(last, goal, entityValues(context), clock) };
  return back.test(goal.slice(0, 400)) ? { before: last, goal } : { before: "", goal };
}

/** Remembered things as `kind` and `value`; malformed ones are left out. */
export function entityValues(context: PlanningContext | undefined): { kind: string; value: string }[] {
  return (context?.entities ?? []).slice(0, 50).flatMap((entity) => {
    const at = typeof entity === "string" ? entity.indexOf(":") : -1;
    if (at <= 0) return [];
    return [{ kind: entity.slice(0, at).trim().toLowerCase(), value: entity.slice(at + 1).trim() }];
  });
}

function lastRequest(context: PlanningContext): string | undefined {
  const episodes = (context.episodic ?? []).filter((each) => isRecord(each) && typeof each.query === "string");
  const latest = episodes.reduce<(typeof episodes)[number] | undefined>(
    (best, each) => (best === undefined || (each.timestamp ?? "") >= (best.timestamp ?? "") ? each : best),
    undefined,
  );
  if (latest !== undefined) return latest.query.slice(0, 2_000);
  const remembered = (context.semantic ?? []).filter((each) => isRecord(each) && typeof each.text === "string");
  const nearest = remembered.reduce<(typeof remembered)[number] | undefined>(
    (best, each) => (best === undefined || (each.score ?? 0) > (best.score ?? 0) ? each : best),
    undefined,
  );
  return nearest?.text.slice(0, 2_000).replace(/^\s*\w+\s*:\s*/, "");
}

/** The earlier request with the names and dates of the new one. */
function substituted(last: string, goal: string, entities: readonly { value: string }[], clock: Clock): string {
  let text = last;
  const dates = findDates(goal, clock);
  const [date] = dates;
  if (date !== undefined) {
    const [old] = findDates(text, clock);
    const words = goal.slice(date.start, date.end);
    text = old === undefined ? `${text} ${words}` : `${text.slice(0, old.start)}${words}${text.slice(old.end)}`;
  }
  const names = namesOf(goal, dates);
  if (names.length === 0) return text;
  const known = entities.map((each) => each.value).find((value) => value !== "" && text.includes(value));
  const old = known ?? namesOf(text, findDates(text, clock)).at(-1);
  if (old === undefined) return `${text} in ${names.join(" and ")}`;
  return text.replace(old, () => names.join(" and "));
}

/** Capitalised words inside a text, runs of them together; not the word it begins with. */
function namesOf(text: string, dates: readonly { start: number; end: number }[]): string[] {
  const names: string[] = [];
  const tokens = tokenise(text, dates);
  let end = -1;
  tokens.forEach((token, at) => {
    if (token.kind !== "word" || !token.capital || at === 0) return;
    if (token.start === end + 1) names[names.length - 1] += ` ${token.text}`;
    else names.push(token.text);
    end = token.start + token.text.length;
  });
  return names;
}
