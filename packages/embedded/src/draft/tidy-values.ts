import { sortsOf } from "../catalogue/acts-of.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import { isContent } from "../language/text/content-words.ts";
import { codeOf } from "../language/text/locale-names.ts";
import { type Draft, fillValue, isFilled } from "./draft.ts";

/**
 * Values that say more than their argument holds: "Elm Street 22b" for a `street` that has a `number` beside it, and "my name is Ola Berg" for a `name`.
 * Linear in the arguments.
 */
export function tidyValues(drafts: readonly Draft[], text: string): void {
  for (const draft of drafts) {
    extendLabelled(draft, text);
    repeatGiven(draft);
    writeCodes(draft);
    for (const { parameter, filling } of [...draft.filled.values()]) {
      if (filling.kind !== "value" || typeof filling.value !== "string" || parameter.choices.length > 0) continue;
      const { value, origin } = filling;
      const named = nameSaid(value, parameter);
      if (named !== undefined) fillValue(draft, parameter, named, origin);
      const [street, number] = addressOf(draft, parameter);
      const [road, house] = street === undefined ? [] : partsOf(value);
      if (street === undefined || number === undefined || road === undefined || house === undefined) continue;
      fillValue(draft, street, road, origin);
      fillValue(draft, number, number.types.has("string") || number.types.size === 0 ? house : Number(house), origin);
    }
  }
}

const codes = [
  ["language", /\blanguage codes?\b|\biso[ -]?639/i],
  ["currency", /\bcurrency codes?\b|\biso[ -]?4217/i],
  ["country", /\bcountry codes?\b|\biso[ -]?3166/i],
] as const;

/** "German" for what its description calls a language code. */
function writeCodes(draft: Draft): void {
  for (const { parameter, filling } of [...draft.filled.values()]) {
    const [sort] = codes.find(([, form]) => form.test(parameter.description)) ?? [];
    if (sort === undefined || filling.kind !== "value" || parameter.choices.length > 0) continue;
    const coded = [filling.value]
      .flat()
      .map((each) => (typeof each === "string" ? (codeOf(each, sort) ?? each) : each));
    fillValue(draft, parameter, Array.isArray(filling.value) ? coded : coded[0], filling.origin);
  }
}

/** "Assign J-1 to T-9 and tell her …": an id that the call before was given, and which it is not known to return, is that very id. */
function repeatGiven(draft: Draft): void {
  for (const [slot, { parameter, filling }] of draft.filled) {
    if (filling.kind !== "link" || !parameter.isIdentifier) continue;
    const { profile, filled } = filling.link.source;
    const given = filled.get(slot)?.filling;
    const makes = profile.actions.has("create") || sortsOf(profile).has("copy");
    if (profile.output.known || makes || given?.kind !== "value") continue;
    fillValue(draft, parameter, given.value, { ...given.origin, source: "earlier" });
  }
}

/** "with the headline Spring is here and the body We open": up to the name of the next argument, where nothing between went elsewhere. */
function extendLabelled(draft: Draft, text: string): void {
  const said = [...draft.filled.values()].flatMap(({ parameter, filling }) => {
    const { source, start, text: own = "" } = (filling.kind === "value" && filling.origin) || {};
    return source === "goal" && start !== undefined ? [{ parameter, filling, start, end: start + own.length }] : [];
  });
  for (const { parameter, filling, start, end } of said) {
    if (filling.kind !== "value" || filling.value !== text.slice(start, end) || parameter.choices.length > 0) continue;
    const label = parameter.words.at(-1) ?? "";
    if (!isContent(label) || parameter.isIdentifier || parameter.format !== "") continue;
    if (!text.slice(0, start).toLowerCase().trimEnd().endsWith(label)) continue;
    const others = draft.profile.parameters.filter((each) => each !== parameter && each.choices.length === 0);
    const names = others.flatMap(({ words }) => words.at(-1) ?? []).filter((name) => /^\p{L}+$/u.test(name));
    if (names.length === 0) continue;
    const next = new RegExp(
      `^([^"'.!?;:\\n]{1,200}?)(?:,| and|, and) (?:with )?(?:the |a |an )?(?:${names.join("|")})[ :]`,
      "u",
    );
    const rest = next.exec(text.slice(end))?.[1];
    if (rest === undefined || !/^\s\S/.test(rest)) continue;
    const to = end + rest.length;
    if (said.some((other) => other.parameter !== parameter && other.start < to && other.end > end)) continue;
    const value = text.slice(start, to);
    fillValue(draft, parameter, value, { ...filling.origin, source: "goal", text: value, start });
  }
}

/** "my name is Ola Berg" */
function nameSaid(value: string, { words }: Parameter): string | undefined {
  const [, noun, named] = /^(?:my|our|his|her|their|the|its) (\p{Ll}+) (?:is|are|was) (.+)$/iu.exec(value) ?? [];
  return noun !== undefined && words.includes(noun) ? named : undefined;
}

/** The arguments for a street and the number of a house in one object, of which a call has just this one. */
function addressOf(draft: Draft, parameter: Parameter): readonly (Parameter | undefined)[] {
  const find = (name: RegExp) =>
    draft.profile.parameters.find(
      ({ words, path }) =>
        name.test(words.join("_")) && path.slice(0, -1).join("\0") === parameter.path.slice(0, -1).join("\0"),
    );
  const both = [find(/^(?:.*_)?(?:street|road)$/), find(/^(?:(?:house|street|building)_)?(?:number|no|nr)$/)];
  return both.every((each) => each !== undefined && isFilled(draft, each) === (each === parameter)) ? both : [];
}

/** "Elm Street 22b", "22 Elm Street": the street, and the number of the house. */
function partsOf(value: string): readonly (string | undefined)[] {
  const [, street, house] = /^(\p{L}.*\p{L}\.?),? (\d{1,5}\p{L}?)$/u.exec(value) ?? [];
  if (street !== undefined) return [street, house];
  const [, first, rest] = /^(\d{1,5}\p{L}?) (\p{L}.*)$/u.exec(value) ?? [];
  return [rest, first];
}
