import type { Catalogue } from "../catalogue/catalogue.ts";
import type { OutputField } from "../catalogue/output-shape.ts";
import { isContent } from "../language/text/content-words.ts";
import { nameWords } from "../language/text/lexicon.ts";
import { splitName } from "../language/text/split-name.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import type { Draft } from "./draft.ts";

/** A field of an output that is one record. */
export interface NamedField {
  readonly draft: Draft;
  readonly field: OutputField;
}

/** A field with the value that a condition compares it with. */
export interface FieldIs extends NamedField {
  /** As the schemas write it where they list it, else as the goal does. */
  readonly value: string;
  /** Nothing but that no other field is left speaks for this one. */
  readonly isGuess: boolean;
}

/** A field is meant only if the words contain at least this share of its name. */
const minShareOfName = 0.5;

/**
 * The field whose name the words contain most of; undefined where two fit equally well. The nouns of the thing itself say nothing of its
 * fields, so that "ticket" does not name `ticket_id`, and a field that identifies is never meant.
 */
export function onlyField(
  words: string,
  sources: readonly Draft[],
  fits: (field: OutputField) => boolean,
  minShare = minShareOfName,
): NamedField | undefined {
  const said = stemsOf(words);
  let best: { readonly found: NamedField; readonly score: number } | undefined;
  let isTied = false;
  for (const { draft, field } of fieldsOf(sources)) {
    const telling = tellingStems(field, draft);
    if (telling.length === 0 || !fits(field)) continue;
    const score = telling.filter((each) => said.has(each)).length / telling.length;
    if (score < minShare || score === 0 || (best !== undefined && score < best.score)) continue;
    isTied = best !== undefined && score === best.score;
    best = { found: { draft, field }, score };
  }
  return isTied ? undefined : best?.found;
}

/**
 * The field that has the value which is said of a thing: "ticket 7 is urgent", "the colour is red", "it is low priority". A field that may
 * have it, as its own schema or that of an argument of the same name lists or describes, comes first; then one that the subject names; then
 * the only text that there is, as a guess. Undefined where none is left, or several.
 * @param predicate as the goal writes it
 */
export function fieldThatIs(
  subject: string,
  predicate: string,
  sources: readonly Draft[],
  catalogue: Catalogue,
): FieldIs | undefined {
  const texts = fieldsOf(sources.filter((draft) => isAbout(subject, draft))).filter(
    ({ field }) => field.types.has("string") && !field.holdsDay,
  );
  const listed = texts.flatMap((each) => {
    const values = valuesOf(each, catalogue);
    return values.length === 0 ? [] : [{ ...each, value: valueSaid(predicate, values, each) }];
  });
  const having = listed.flatMap((each) => (each.value === undefined ? [] : [{ ...each, value: each.value }]));
  const textField = onlyField(subject, sources, (field) => field.types.has("string"));
  const named = onlyOf(subject, having);
  if (named !== undefined)
    return textField === undefined || textField.field === named.field ? { ...named, isGuess: false } : undefined;
  if (having.length > 0 || !/^[\p{L}\p{N}_-]+$/u.test(predicate)) return undefined;
  const open = texts.filter((each) => listed.every(({ field }) => field !== each.field));
  const said = onlyField(subject, sources, (field) => open.some((each) => each.field === field));
  if (said !== undefined) return { ...said, value: predicate, isGuess: false };
  const [only, ...others] = open.filter(({ field }) => !field.stems.some((each) => nameStems.has(each)));
  // Where the subject names a field, it is one that cannot have this value.
  return textField === undefined && listed.length === 0 && others.length === 0 && only !== undefined
    ? { ...only, value: predicate, isGuess: true }
    : undefined;
}

/** The words name the thing that an output is about, or what it was asked for; "it" may be any. */
export function isAbout(subject: string, { profile, filled }: Draft): boolean {
  const said = splitName(subject).filter(isContent).map(stem);
  if (said.length === 0) return true;
  const asked = [...filled.values()].flatMap(({ filling }) =>
    filling.kind === "value" ? splitName(filling.origin?.text ?? String(filling.value)).map(stem) : [],
  );
  const names = [...profile.entity.map(stem), ...profile.output.fields.flatMap(({ stems }) => stems)];
  return said.some((each) => asked.includes(each) || names.includes(each));
}

/** The only one, or the only one whose name the subject has. */
function onlyOf<Found extends NamedField>(subject: string, found: readonly Found[]): Found | undefined {
  const [only] = found;
  if (found.length < 2) return only;
  const fields = new Set(found.map(({ field }) => field));
  const drafts = [...new Set(found.map(({ draft }) => draft))];
  const named = onlyField(subject, drafts, (field) => fields.has(field));
  return found.find(({ draft, field }) => draft === named?.draft && field === named.field);
}

/** Those that may be meant: of outputs that are one record, and none that identifies it or another. */
function fieldsOf(sources: readonly Draft[]): NamedField[] {
  return sources
    .filter(({ profile: { output } }) => output.known && !output.many)
    .flatMap((draft) => {
      const { fields, identity } = draft.profile.output;
      return fields.filter((field) => !field.isIdentifier && field !== identity).map((field) => ({ draft, field }));
    });
}

/** The words of its name that do not only name the thing: `order_status` of an order is its status. */
function tellingStems({ stems }: OutputField, { profile }: Draft): readonly string[] {
  const own = profile.entity.map(stem);
  const telling = stems.filter((each) => isContent(each) && !own.some((noun) => sameStem(noun, each)));
  return telling.length > 0 ? telling : stems;
}

/** What a field may hold, as far as schemas say: its own, else those of arguments of the same name, of the same thing if there are any. */
function valuesOf({ draft, field }: NamedField, catalogue: Catalogue): readonly string[] {
  if (field.values.length > 0) return field.values;
  const name = field.stems.join(" ");
  const alike = catalogue.profiles.flatMap(({ entity, parameters }) =>
    parameters.flatMap(({ stems, choices }) =>
      choices.length > 0 && stems.join(" ") === name ? [{ entity, values: choices.map((each) => each.value) }] : [],
    ),
  );
  const head = draft.profile.entity.at(-1);
  const own = alike.filter(({ entity }) => entity.at(-1) === head);
  return (own.length > 0 ? own : alike).flatMap(({ values }) => values.filter((each) => typeof each === "string"));
}

/** The value that a predicate names with nothing else in it but the field's and the thing's own nouns: "an urgent ticket", "low priority". */
function valueSaid(predicate: string, values: readonly string[], { draft, field }: NamedField): string | undefined {
  const said = splitName(predicate).map(stem);
  const nouns = [...field.stems, ...draft.profile.entity.map(stem)];
  const fitting = values.filter((value) => {
    const words = splitName(value).map(stem);
    if (words.length === 0 || !words.every((each) => said.includes(each))) return false;
    return said.every((each) => words.includes(each) || nouns.includes(each) || articles.has(each));
  });
  return new Set(fitting).size === 1 ? fitting[0] : undefined;
}

/** What names a thing says nothing of it. */
const nameStems: ReadonlySet<string> = new Set([...nameWords].map(stem));
const articles: ReadonlySet<string> = new Set(["a", "an", "the", "of"]);

export function stemsOf(words: string): ReadonlySet<string> {
  return new Set((words.match(/[\p{L}\p{N}]+/gu) ?? []).map(stem));
}
