import type { Resource } from "@planloom/plan";
import { type Action, actionsOfVerb, isVerb } from "../language/text/actions.ts";
import { splitGlued } from "../language/text/glued-names.ts";
import { determiners, emptyNouns, identifierFields, prepositions } from "../language/text/lexicon.ts";
import { joinParticle } from "../language/text/phrasal-verbs.ts";
import { isPlural, singular } from "../language/text/singular.ts";
import { splitName } from "../language/text/split-name.ts";
import { stem } from "../language/text/stem.ts";
import { withDocumentedArguments } from "./documented-arguments.ts";
import { type Effect, effectOf } from "./effect.ts";
import { isMethodInName, withoutGeneratedParts } from "./generated-descriptions.ts";
import { type OutputShape, readOutput } from "./output-shape.ts";
import { withOwnSentences } from "./own-sentences.ts";
import { type Parameter, readParameters } from "./parameter.ts";

/** A resource as the planner sees it. */
export interface Profile {
  readonly resource: Resource;
  /** Position in the catalogue; ties go to the first. */
  readonly position: number;
  /** The bare name, without a server's. */
  readonly label: string;
  /** A verb and its particle are one: `turnoff` of `turn_off`. */
  readonly nameWords: readonly string[];
  /** Such a verb. */
  readonly phrasal?: string;
  /** The noun it is about, in the singular, word by word: `work`, `order`. Empty for a pure verb. */
  readonly entity: readonly string[];
  /** Verbs in its name, else the verb that opens its description; as written. */
  readonly verbs: readonly string[];
  readonly actions: ReadonlySet<Action>;
  readonly effect: Effect;
  /** Its description says that another one is to be called in its place. */
  readonly isDeprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly output: OutputShape;
  /** Stems of name, description, tags, traits and skills. */
  readonly about: ReadonlySet<string>;
  /** Stems of parameters and output fields. */
  readonly attributes: ReadonlySet<string>;
}

/** Further on a description speaks of its arguments. */
const maxLead = 200;
const deprecated = /\bdeprecated\b/i;

const methods = new Map([
  ["get", "get"],
  ["post", "create"],
  ["put", "update"],
  ["patch", "update"],
  ["delete", "delete"],
]);

/**
 * @param prefix a word before the name that tells whose the resource is (see `sharedPrefixes`)
 * @param names of all resources, in small letters, which descriptions may speak of
 */
export function readProfile(
  given: Resource,
  position: number,
  prefix?: string,
  names: ReadonlySet<string> = noNames,
): Profile {
  const label = labelOf(given);
  const resource = withOwnSentences(withDocumentedArguments(withoutGeneratedParts(given)), label.toLowerCase(), names);
  const described = splitName(resource.description).slice(0, 60);
  const split = splitName(label.replace(/\{[^}]*\}/g, " "));
  const words = split.length === 1 ? splitGlued(split[0]!, described) : split;
  const before = words.length > 1 && words[0] === prefix ? words.slice(0, 1) : [];
  const bare = words.slice(before.length + Number(isMethodInName(before, words[before.length])));
  const joined = joinParticle(bare);
  const phrasal = joined.length < bare.length ? joined[0] : undefined;
  const nameWords = [...before, ...joined];
  const own = cutAtPreposition(joined);
  const method = /^(get|post|put|patch|delete)\s+\//i.exec(label)?.[1]?.toLowerCase();
  const verbs =
    method !== undefined ? [methods.get(method) ?? "get"] : phrasal !== undefined ? [phrasal] : verbsOf(own, described);
  const nouns = own.filter((word) => !verbs.includes(word) && !/^\d+$/.test(word));
  const telling = nouns.filter((word) => !emptyNouns.has(word) && word !== method);
  const entity = (telling.length > 0 ? telling : nouns).map(singular);
  const parameters = ofOwnThing(readParameters(resource.input_schema), entity, resource);
  const plural =
    own.some((word) => isPlural(word) && !verbs.includes(word)) || verbs.includes("list") || verbs.includes("search");
  const output = readOutput(resource.output_schema, entity, plural);
  const said = actionsOf(phrasal === undefined ? verbs : bare.slice(0, 1), parameters);
  // `lab_results` that only reads is asked for by "list" and "show".
  const actions = said.size === 0 && resource.read_only === true ? reading : said;
  const extra = [...(resource.tags ?? []), ...(resource.skills ?? []), ...(resource.traits ?? [])].slice(0, 40);
  return {
    resource,
    position,
    label,
    nameWords,
    ...(phrasal !== undefined && { phrasal }),
    entity,
    verbs,
    isDeprecated: deprecated.test(given.description.slice(0, maxLead)),
    actions,
    effect: effectOf(resource, actions),
    parameters,
    output,
    about: new Set([...nameWords, ...words, ...described, ...extra.flatMap(splitName)].map(stem)),
    attributes: new Set([
      ...parameters.flatMap((each) => each.stems),
      ...output.fields.flatMap((field) => field.stems),
    ]),
  };
}

/**
 * The required `id` or `number` of `close_issue` is that of an issue, as an `issue_id` would be; that of `episode_transcribe`, "Transcribe an episode", is an episode's, and that of
 * `add_labels`, "Add labels to an issue", where the labels are another argument, an issue's.
 */
function ofOwnThing(
  parameters: readonly Parameter[],
  nouns: readonly string[],
  { description }: Resource,
): readonly Parameter[] {
  const [act = ""] = splitName(description);
  const own = nouns.filter((noun) => stem(noun) !== stem(act));
  const isGiven = parameters.some(({ words }) => singular(words.at(-1) ?? "") === own.at(-1));
  const [, holder = ""] = (isGiven && holderSaid.exec(description)) || [];
  const entity = isGiven ? [holder.toLowerCase()].filter((noun) => noun !== "") : own;
  if (entity.length === 0) return parameters;
  return parameters.map((parameter) => (isBareId(parameter) ? { ...parameter, entity } : parameter));
}

const holderSaid = /^\p{L}+ [^.;]*?\b(?:to|from|on|of|for|in|into) (?:an?|the) (\p{L}+)(?=[\s.,;]|$)/u;

const isBareId = ({ isIdentifier, required, name, path }: Parameter): boolean =>
  isIdentifier && required && path.length === 1 && bareIds.has(name.toLowerCase());
const bareIds: ReadonlySet<string> = new Set(identifierFields);

const reading: ReadonlySet<Action> = new Set<Action>(["read"]);
const noNames: ReadonlySet<string> = new Set();

/** The bare name, without a server's. */
export function labelOf(resource: Resource): string {
  if (resource.name !== undefined && resource.name !== "") return withoutServer(resource.name);
  const { id } = resource;
  if (/\s/.test(id)) return id;
  const bare = id.includes("/") ? id.slice(id.lastIndexOf("/") + 1) : id;
  return withoutServer(bare) || id;
}

/** `mcp__fleet__assign_driver` is `assign_driver` of a server. */
const withoutServer = (name: string) =>
  name.includes("__") && !/\s/.test(name) ? name.slice(name.lastIndexOf("__") + 2) || name : name;

/** `orders_by_customer` is about orders. */
function cutAtPreposition(words: readonly string[]): readonly string[] {
  const at = words.findIndex(
    (word, index) => index > 0 && (word === "by" || (prepositions.has(word) && word !== "to" && word !== "like")),
  );
  // A second word is a noun, though it may be a verb elsewhere: `get_issue_by_id`.
  return at > 1 || (at === 1 && !isVerb(words[0]!)) ? words.slice(0, at) : words;
}

/** A verb comes first or last in a name; elsewhere the word is a noun. */
function verbsOf(words: readonly string[], described: readonly string[]): string[] {
  const first = words[0] ?? "";
  const last = words.at(-1) ?? "";
  const describedVerb = openingVerb(described);
  if (words.length === 1 && isActName(first, described, describedVerb))
    return describedVerb === undefined ? [first] : [first, describedVerb];
  // "order_status: Get the status of an order" gets; its first word is a noun.
  const mayBeNoun =
    (nounVerbs.has(first) || isThingOf(words, described)) && describedVerb !== undefined && describedVerb !== first;
  if (words.length > 1 && isVerb(first) && !mayBeNoun) return [first];
  // `message_parents`, "Write to the parents of …": its first word sends.
  if (words.length > 1 && described[1] === "to" && actionsOfVerb(first).has("send")) return [first];
  if (words.length > 1 && opensAsAct(first, described)) return [first];
  if (words.length > 1 && trailingVerbs.has(last)) return [last];
  if (describedVerb !== undefined) return [describedVerb];
  return words.length === 1 && isVerb(first) ? [first] : [];
}

/** `purchase_orders`, "List purchase orders": behind its verb the description names the thing as the name does. */
const isThingOf = ([first = "", second = ""]: readonly string[], described: readonly string[]): boolean =>
  second !== "" &&
  described.some((word, at) => at > 0 && word === first && stem(described[at + 1] ?? "") === stem(second));

/**
 * Whether a name of one word that is not in the list of verbs is a verb: `reorder` is "order" with "re" before it, the description of `escalate`
 * opens with that word, and the description of `restock` tells of an act ("Buy more …") without the word.
 */
function isActName(word: string, described: readonly string[], describedVerb: string | undefined): boolean {
  if (isVerb(word) || word.length < 4) return false;
  const [, base = ""] = /^(?:re|un)(\p{L}{3,})$/u.exec(word) ?? [];
  if (describedVerb !== undefined && isVerb(base)) return true;
  const [opening = "", object = ""] = described;
  if (stem(opening) === stem(word)) return determiners.has(object);
  const isThing = nounEnding.test(word) || described.some((each) => stem(each) === stem(word));
  if (describedVerb === undefined || isThing) return false;
  const actions = actionsOfVerb(describedVerb);
  return !actions.has("read") && !actions.has("other");
}

/** `antifoul_boat`, "Antifoul the hull of a boat", `vote_motion`, "Vote on a motion": a verb of a trade opens the name and the description, and something is done to a thing. */
const opensAsAct = (word: string, [opening = "", object = "", next = ""]: readonly string[]) =>
  word.length > 2 &&
  stem(opening) === stem(word) &&
  (determiners.has(object) || (/^(?:on|to|for|at|with|against)$/.test(object) && determiners.has(next)));

const nounEnding = /(?:[eo]r|ion|ment|ity|ness|ing|s|y)$/;

function openingVerb(described: readonly string[]): string | undefined {
  const opening = described[0] ?? "";
  // "Marks of a player", "Orders of a customer" are things.
  if (described[1] === "of" && isPlural(opening)) return undefined;
  const candidates = [opening, opening.replace(/s$/, ""), opening.replace(/es$/, ""), opening.replace(/ies$/, "y")];
  return candidates.find(isVerb);
}

const trailingVerbs: ReadonlySet<string> = new Set(
  "list get create update delete search find add remove fetch read show query lookup insert edit send cancel book reserve convert calculate compute run execute start stop set".split(
    " ",
  ),
);
const nounVerbs: ReadonlySet<string> = new Set(
  "order book report contact list record review schedule plan test store log file email mail message call alert track place issue rate score count index process study request form share post match filter group sort run start head head format type map paint play rank cut set query search check need want access show watch visit tag label".split(
    " ",
  ),
);

/** What it does; there may be several readings ("book" creates, "check" reads). */
function actionsOf(verbs: readonly string[], parameters: readonly Parameter[]): ReadonlySet<Action> {
  const found = new Set(verbs.flatMap((verb) => [...actionsOfVerb(verb)]));
  // A name with no verb: listing by filters reads; only required arguments say nothing.
  if (found.size === 0 && parameters.every((parameter) => !parameter.required)) found.add("read");
  return found;
}
