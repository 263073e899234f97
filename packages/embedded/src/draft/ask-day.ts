import { orderOf } from "../catalogue/fit-date.ts";
import { type Parameter, pathText } from "../catalogue/parameter.ts";
import { formatDay } from "../language/temporal/calendar.ts";
import type { DateSpan } from "../language/temporal/find-dates.ts";
import { type Draft, type Filling, key } from "./draft.ts";
import type { PlanningState } from "./planning-state.ts";

/**
 * "on 2/12/2026": nothing tells whether the day or the month comes first, so the argument stays open and it is asked which is meant. Not where a description says
 * the order, or the argument takes the words as they are written. O(arguments · dates)
 */
export function askDay(drafts: readonly Draft[], planning: PlanningState): void {
  const open = planning.dates.filter(({ swapped }) => swapped !== undefined);
  if (open.length === 0) return;
  const asked = new Set<string>();
  for (const draft of drafts) {
    for (const { parameter, filling } of [...draft.filled.values()]) {
      const date = open.find((each) => isReadFrom(filling, each, parameter, asked));
      if (date === undefined || filling.kind !== "value") continue;
      asked.add(JSON.stringify(filling.value));
      draft.filled.delete(key(parameter));
      const name = pathText(parameter.path);
      const [first, second] = [written(date.from, date.to), written(date.swapped?.from, date.swapped?.to)];
      const message = `\`${draft.profile.label}\` takes \`${name}\`; the goal says "${date.text.trim()}", which is ${first} or ${second}.`;
      planning.unresolved.push({ reason: "missing_argument", text: name, message, draft });
    }
  }
}

/** Made of a day whose order nothing tells, or taken over from another call that was given it. */
function isReadFrom(filling: Filling, date: DateSpan, parameter: Parameter, asked: ReadonlySet<string>): boolean {
  if (filling.kind !== "value" || orderOf(parameter) !== undefined) return false;
  const { value, origin } = filling;
  if (origin?.source === "earlier") return asked.has(JSON.stringify(value));
  const start = origin?.start ?? -1;
  if (origin?.source !== "goal" || start < date.start || start >= date.end) return false;
  // Of "2/3/2027 to 25 March 2027" the end is clear.
  const ends = parameter.side === undefined ? bothEnds : ([parameter.side === "start" ? "from" : "to"] as const);
  const isClear = ends.every((end) => JSON.stringify(date[end]) === JSON.stringify(date.swapped?.[end]));
  const isAsWritten = JSON.stringify(value).includes(date.text.trim());
  return !isClear && !isAsWritten && value !== (date.from ?? date.to)?.year;
}

const bothEnds = ["from", "to"] as const;

function written(from: DateSpan["from"], to: DateSpan["to"]): string {
  const days = [...new Set([from, to].flatMap((day) => (day === undefined ? [] : [formatDay(day)])))];
  return days.join(" to ");
}
