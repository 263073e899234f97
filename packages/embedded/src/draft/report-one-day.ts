import { formatDay } from "../language/temporal/calendar.ts";
import type { Draft } from "./draft.ts";
import type { PlanningState } from "./planning-state.ts";

/**
 * "The arrivals of the next three days" by a tool that takes one day: the day that it was given is the first of them, and nothing asks for the others. Linear in the arguments.
 */
export function reportOneDay(drafts: readonly Draft[], planning: PlanningState): void {
  for (const draft of drafts) {
    const days = [...draft.filled.values()].flatMap(({ parameter, filling }) => {
      const start = filling.kind === "value" ? filling.origin?.start : undefined;
      const date =
        start === undefined ? undefined : planning.dates.find((each) => each.start <= start && start < each.end);
      return date === undefined || filling.kind !== "value" ? [] : [{ parameter, value: filling.value, date }];
    });
    for (const { parameter, value, date } of days) {
      const isPeriod = date.from !== undefined && date.to !== undefined && formatDay(date.from) !== formatDay(date.to);
      const isAlone = days.filter((other) => other.date === date).length === 1;
      const isFirst = isPeriod && typeof value === "string" && value.startsWith(formatDay(date.from!));
      if (!isFirst || !isAlone || !parameter.takesOne || parameter.side !== undefined) continue;
      const isDeadline = /\b(?:by|before|until|till|due)\s+(?:the\s+)?$/i.test(planning.text.slice(0, date.start));
      if (isDeadline || parameter.words.some((word) => wholePeriods.test(word))) continue;
      const message = `\`${draft.profile.label}\` takes one \`${parameter.name}\`, and "${date.text}" is more than one day: it was given ${value} alone.`;
      planning.unresolved.push({ reason: "no_parameter", text: date.text, message, draft });
    }
  }
}

/** The first day of a week or a month may be given to such an argument for all of it. */
const wholePeriods = /^(?:week|month|quarter|year|period|since|after|due|deadline)$/;
