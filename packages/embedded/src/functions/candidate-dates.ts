import type { Building } from "../build/building.ts";
import type { Draft } from "../build/draft.ts";
import { fitDate } from "../build/fit-date.ts";
import type { Parameter } from "../schema/parameter.ts";
import type { Candidate } from "./candidates.ts";
import { isNumeric, isSwitch, isTextual, nearnessOf, type Reading } from "./features.ts";
import type { Call } from "./fill-call.ts";
import type { Span } from "./spans.ts";

/** Dates in the form that a parameter wants, as a number, or as they are written. */
export function fromDates({ spans, draft }: Call, readings: readonly Reading[], building: Building): Candidate[] {
  return spans.flatMap((span) => {
    const date = span.kind === "date" ? building.dates[span.value as number] : undefined;
    if (date === undefined) return [];
    return readings.flatMap((reading): Candidate[] => {
      const { parameter } = reading;
      if (parameter.choices.length > 0 || isSwitch(parameter)) return [];
      const near = nearnessOf(parameter, span, []);
      const fit = dayFor(parameter, span, draft, building);
      const bare = /^\d{1,4}$/.test(date.text);
      const options: { value: unknown; form: string }[] = [];
      if (fit !== undefined) options.push({ value: fit.value, form: "fit" });
      if (bare && isNumeric(parameter)) options.push({ value: Number(date.text), form: "number" });
      if (isTextual(parameter)) options.push({ value: date.text.replace(/^the\s+/i, ""), form: "text" });
      const dated = /date|day|time|deadline|month|year|period|duration|when|week/;
      return options.map(({ value, form }) => ({
        group: "date",
        reading,
        features: [
          [`form ${form}`, 1],
          [`form ${form} day`, Number(parameter.holdsDay)],
          [`form ${form} dated`, Number(dated.test(parameter.words.join(" ")))],
          [`form ${form} told`, Number(dated.test(parameter.description.toLowerCase()))],
          [`form ${form} year`, Number(parameter.words.includes("year"))],
          [`bare ${form}`, Number(bare)],
          ["required", Number(parameter.required)],
          ["near left", near.left],
          ["near right", near.right],
          ["side", Number(parameter.side !== undefined)],
          ["range", Number(date.from !== undefined && date.to !== undefined && date.from !== date.to)],
        ],
        parts: [[span.from, span.to]],
        spans: [span],
        value: parameter.takesList && !parameter.takesOne ? [value] : value,
        fits: form === "fit" && (parameter.holdsDay || parameter.format.startsWith("date")),
        said: date.text,
      }));
    });
  });
}

function dayFor(parameter: Parameter, span: Span, draft: Draft, building: Building) {
  const date = building.dates[span.value as number];
  if (date === undefined) return undefined;
  const dated = /date|day|time|deadline/.test(parameter.name.toLowerCase()) || parameter.about.has("date");
  return fitDate(
    dated && parameter.types.has("string") ? { ...parameter, holdsDay: true } : parameter,
    {
      kind: "date",
      text: date.text,
      tokens: span.words,
      phrase: 0,
      preposition: span.preposition,
      negated: false,
      near: new Set(span.before.slice(0, 4)),
      date,
      beforeNoun: false,
      afterNoun: false,
    },
    {
      clock: building.clock,
      phrases: draft.clause.phrases,
      parameters: draft.profile.parameters,
      reads: true,
      entity: draft.profile.entity,
      knows: building.catalogue.knows,
    },
  );
}
