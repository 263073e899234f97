import { identifierWords } from "../language/text/lexicon.ts";
import { singular } from "../language/text/singular.ts";
import { stem } from "../language/text/stem.ts";
import { leadOf, leadsIn } from "./code-leads.ts";
import type { Effect } from "./effect.ts";
import type { Parameter } from "./parameter.ts";
import type { Profile } from "./profile.ts";

interface IdForms {
  /** Beginnings of ids of the things that the parameter takes ids of. */
  readonly own: ReadonlySet<string>;
  /** Beginnings of ids of other things alone. */
  readonly foreign: ReadonlySet<string>;
  /** Some of them have several numbers, and people may say them in part: "CV-2021-12345". */
  readonly mayBeShort: boolean;
}

const kinds = new WeakMap<Parameter, IdForms>();

/** Learns how ids of each kind of thing are written, from inputs and outputs of all resources. Linear in their fields. */
export function learnIdForms(profiles: readonly Profile[]): void {
  learnCodes(profiles);
  const leads = new Map<string, Set<string>>();
  const long = new Set<string>();
  const add = (noun: string | undefined, found: readonly string[]) => {
    if (noun === undefined || found.length === 0) return;
    leads.set(noun, new Set([...(leads.get(noun) ?? []), ...found]));
  };
  const nounOf = (entity: readonly string[], profile: Profile) => entity.at(-1) ?? profile.entity.at(-1);
  for (const profile of profiles) {
    for (const { isIdentifier, entity, schema, description } of profile.parameters) {
      if (!isIdentifier) continue;
      const noun = nounOf(entity, profile);
      add(noun, leadsIn(schema, description));
      if (noun !== undefined && severalNumbers.test(description)) long.add(noun);
    }
    const { fields, identity } = profile.output;
    for (const field of fields)
      if (field.isIdentifier || field === identity) add(nounOf(field.entity, profile), field.leads);
  }
  if (leads.size === 0) return;
  const none: ReadonlySet<string> = new Set();
  for (const profile of profiles)
    for (const parameter of profile.parameters) {
      const noun = parameter.isIdentifier ? nounOf(parameter.entity, profile) : undefined;
      const own = (noun === undefined ? undefined : leads.get(noun)) ?? none;
      const mentioned = new Set([...parameter.entity, ...parameter.words]);
      // "Barcode of the parent sample" holds what is written like a sample's.
      const isDescribed = (other: string) => parameter.isIdentifier && parameter.about.has(stem(other));
      const foreign = [...leads].flatMap(([other, found]) =>
        mentioned.has(other) || isDescribed(other) ? [] : [...found],
      );
      kinds.set(parameter, {
        own,
        foreign: new Set(foreign.filter((lead) => !own.has(lead))),
        mayBeShort: noun !== undefined && long.has(noun),
      });
    }
}

/** The description says that other texts than ids are taken too. */
const takesNames = /\b(?:names?|titles?|slugs?|e-?mails?|handles?|usernames?|aliases|keywords?|me)\b/i;

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const uuidOnly = new WeakMap<Parameter, boolean>();

/** Ids are UUIDs, and nothing else is said to be taken. */
function takesUuids(parameter: Parameter): boolean {
  let own = uuidOnly.get(parameter);
  if (own === undefined) {
    const { isIdentifier, format, description } = parameter;
    const asksForUuids = /\b(?:uu|gu)ids?\b/i.test(description) && !/\bor\b|\be\.?g\b/i.test(description);
    own = format === "uuid" || (isIdentifier && asksForUuids);
    uuidOnly.set(parameter, own);
  }
  return own;
}

const severalNumbers = /\p{L}[-_]?\d+(?:[-_/]\d+)+/u;

/**
 * Whether a value is written like the ids that a parameter takes: true where it begins like examples of them; false where it begins like ids of other things, or
 * where all examples begin with letters and have digits, and it is a number or a name; undefined where nothing tells. Also for a parameter that takes no ids: it is false there for the id of a thing
 * that the parameter does not name. O(1).
 * @param isClosed ids begin as the examples do, and in no way that no example shows
 */
export function idAgreement(parameter: Parameter, value: unknown, isClosed = false): boolean | undefined {
  if (takesUuids(parameter) && typeof value === "string" && !uuid.test(value)) return false;
  const kind = kinds.get(parameter);
  if (kind === undefined || (typeof value !== "string" && typeof value !== "number")) return undefined;
  const text = String(value);
  const lead = leadOf(text);
  if (lead !== "" && kind.own.has(lead)) return true;
  if (lead !== "" && kind.foreign.has(lead)) return false;
  // Ids that are links name their kind: that of an order does not name a product.
  if (lead.includes("://") && [...kind.own].some((each) => each.includes("://"))) return false;
  const isName = lead === "" && /\p{Ll}/u.test(text) && !/\d/.test(text) && !takesNames.test(parameter.description);
  if (kind.own.size === 0 || (kind.mayBeShort && lead === "")) return undefined;
  return /^\d+\p{L}?$/u.test(text) || isName || (isClosed && lead !== "") ? false : undefined;
}

/**
 * A value, or one of a list, is written like the id of another thing: "20" or "FZ-1" for the id of a sample that is written "S-100", or "FZ-1" as somebody's name where a
 * tool reads. What is made may have any name, and a text may hold any id.
 */
export const isForeignId = (parameter: Parameter, value: unknown, effect: Effect): boolean =>
  [value].flat().some((each) => isUnlikeCodes(parameter, each) || isThingById(parameter, each)) ||
  ((parameter.isIdentifier || (effect === "reads" && holdsName(parameter))) &&
    [value].flat().some((each) => idAgreement(parameter, each) === false));

/** "list l_1" for the id of a card: another thing with its id. */
function isThingById({ isIdentifier, entity }: Parameter, value: unknown): boolean {
  if (!isIdentifier || entity.length === 0 || typeof value !== "string") return false;
  const [, noun] = /^(\p{Ll}{3,}) [\p{L}\d]*[\d_][\w-]*$/u.exec(value) ?? [];
  return noun !== undefined && !identifierWords.has(noun) && !entity.includes(singular(noun));
}

/**
 * "#42" alone is the number of a thing. Nobody is assigned and no label is called so, and it never says how many are wanted. A text may hold any number, and "#333" may be a colour.
 */
export const isNumberOfThing = ({ isIdentifier, isCredential, words }: Parameter, text: string): boolean =>
  !isIdentifier &&
  !isCredential &&
  /^#\d{1,9}$/.test(text.trim()) &&
  !words.some((word) => (mayHoldId(word) && !/^(?:tags?|labels?)$/.test(word)) || /^(?:colou?r|hex)$/.test(word));

const holdsName = ({ choices, words }: Parameter): boolean =>
  choices.length === 0 && words.length > 0 && !words.some(mayHoldId);
/** The word is one for texts that an id may be in, or for what ids are called. */
export const mayHoldId = (word: string): boolean => texts.test(word);
const texts =
  /^(?:text|body|message|content|q|query|queries|search|keywords?|topics?|terms?|subject|phrase|note|comment|description|question|prompt|filter|prefix|pattern|path|file|url|tags?|labels?|sql|expression|code|ref|reference|number|identifier|key|value|input|data)$/;

const codes = new WeakMap<Parameter, ReadonlySet<string>>();

/** Learns how the codes of parameters of one name are written, which some description shows: "Paddle number, e.g. B17" says so for each `paddle`. Linear in the parameters. */
function learnCodes(profiles: readonly Profile[]): void {
  const byName = new Map<string, Set<string>>();
  const all = profiles.flatMap(({ parameters }) => parameters).filter(mayHoldCodes);
  for (const { name, schema, description } of all) {
    const leads = leadsIn(schema, description);
    if (leads.length > 0) byName.set(name, new Set([...(byName.get(name) ?? []), ...leads]));
  }
  if (byName.size === 0) return;
  for (const parameter of all) {
    const leads = byName.get(parameter.name);
    if (leads !== undefined) codes.set(parameter, leads);
  }
}

const mayHoldCodes = ({ isIdentifier, choices, description, types }: Parameter): boolean =>
  !isIdentifier &&
  choices.length === 0 &&
  types.has("string") &&
  /\b(?:numbers?|ids?|identifiers?|codes?)\b/i.test(description) &&
  !takesNames.test(description);

/** A parameter whose description asks for a number or code, whatever it is called, takes no words and no code that begins otherwise than those that are shown. */
function isUnlikeCodes(parameter: Parameter, value: unknown): boolean {
  const leads = typeof value === "string" ? codes.get(parameter) : undefined;
  if (leads === undefined) return false;
  const lead = leadOf(String(value));
  return !/\d/.test(String(value)) || (lead !== "" && !leads.has(lead));
}
