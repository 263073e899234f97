import { executionKinds, isRecord, type JsonSchema, type Resource } from "@planloom/plan";
import { type NeededId, neededIds } from "@planloom/plan/internals";
import { answerKinds } from "../answers/answer-kinds.ts";
import { propertiesOf, requiredOf } from "../answers/schema-outline.ts";
import { dataBlock } from "./data-block.ts";
import { leftOutNote } from "./left-out-note.ts";
import { firstSentences, oneLine } from "./one-line.ts";

const maxChoices = 12;
const maxName = 64;

/** How much of a resource a card says. */
interface CardDetail {
  readonly description: number;
  readonly parameterText: number;
  /** Arguments that get a line each. */
  readonly parameters: number;
  /** Whether optional arguments get a line each, or are named in one. What they may be is in the schema of the answer, where the request speaks of them. */
  readonly optional: "lines" | "names";
  readonly fields: number;
  /** Characters of the values of an enumeration together; of longer ones the type is named. */
  readonly choices: number;
}

/** From the most to the least. */
const details: readonly [CardDetail, ...CardDetail[]] = [
  { description: 200, parameterText: 120, parameters: 60, optional: "lines", fields: 30, choices: 400 },
  { description: 120, parameterText: 60, parameters: 30, optional: "lines", fields: 12, choices: 200 },
  { description: 120, parameterText: 60, parameters: 20, optional: "names", fields: 12, choices: 120 },
  { description: 80, parameterText: 30, parameters: 16, optional: "names", fields: 6, choices: 60 },
  { description: 60, parameterText: 0, parameters: 8, optional: "names", fields: 3, choices: 40 },
  { description: 30, parameterText: 0, parameters: 4, optional: "names", fields: 0, choices: 0 },
];

/** Of resources in the order of their relevance so many are described whole, where there are more than the other number. */
const wholeCards = 8;
const maxWholeCards = 12;
const brief = { description: 80, fields: 6 };
const shortText = 24;

/**
 * Tokens of all cards together, about. Of no more resources than are chosen for a request: so many for each, between the least and the most, which five and twenty
 * resources of the usual size need. Of more, who wants more than those described has a limit of characters.
 */
const chosenTokens = { each: 84, least: 420, most: 1_100 };
const maxChosen = 20;
const rankedTokens = { each: 60, some: 400 };

/**
 * What can execute a task, as cards by kind: what it is called and does, a line an argument, what it gives. A quarter of the size of the
 * records as JSON. The texts come from the makers of the resources, so all of it is marked as data. Where it would be long, all cards say less.
 * @param isRanked the resources are in the order of their relevance: where they are many, those after the first few get a line each. @default false
 */
export function cardsPrompt(resources: readonly Resource[], leftOut = 0, isRanked = false): string {
  const cards = isRanked ? rankedCards(resources) : catalogueCards(resources);
  return ["## Resources", dataBlock("resources", cards), ...(leftOut === 0 ? [] : [leftOutNote(leftOut)])].join("\n");
}

/** Each kind of resource has room of its own, so that the same tools are described alike with and without others beside them. */
function catalogueCards(resources: readonly Resource[]): string {
  const tools = resources.filter(({ kind }) => kind === "tool");
  const others = resources.filter(({ kind }) => kind !== "tool");
  const write = (described: readonly Resource[], limit: number) =>
    described.length === 0 ? "" : fittingCards(limit, (detail) => allCards(described, detail));
  const first = write(tools, limitOf(tools.length));
  const left = limitOf(resources.length) - tokensOf(first);
  return [first, write(others, Math.max(left, chosenTokens.each * others.length))]
    .filter((cards) => cards !== "")
    .join("\n\n");
}

function rankedCards(resources: readonly Resource[]): string {
  const whole = resources.length > maxWholeCards ? wholeCards : resources.length;
  const brief = new Set(resources.slice(whole));
  return fittingCards(limitOf(resources.length, true), (detail) => allCards(resources, detail, brief));
}

/** The cards with the most detail that fit. */
function fittingCards(limit: number, write: (detail: CardDetail) => string): string {
  let cards = "";
  for (const detail of details) {
    cards = write(detail);
    if (tokensOf(cards) <= limit) break;
  }
  return cards;
}

function limitOf(count: number, isRanked = false): number {
  const { each, least, most } = chosenTokens;
  if (count <= maxChosen) return Math.min(Math.max(each * count, least), most);
  return isRanked ? rankedTokens.some + rankedTokens.each * count : Number.POSITIVE_INFINITY;
}

/** Most resources are tools, and a step chooses among tools alone. */
const kindsInOrder = [...executionKinds].sort((a, b) => Number(b === "tool") - Number(a === "tool"));

/**
 * Cards by kind.
 * @param brief the resources that get a line each. @default none
 */
function allCards(
  resources: readonly Resource[],
  detail: CardDetail,
  brief: ReadonlySet<Resource> = new Set(),
): string {
  const needs = neededIds(resources);
  const parts = kindsInOrder.flatMap((kind) => {
    const cards = resources
      .filter((resource) => resource.kind === kind)
      .map((resource) =>
        brief.has(resource)
          ? briefCardOf(resource, needs.get(resource), detail)
          : cardOf(resource, needs.get(resource), detail),
      );
    return cards.length === 0
      ? []
      : [`${answerKinds[kind].heading} (${answerKinds[kind].field}):\n${cards.join("\n")}`];
  });
  return parts.join("\n\n");
}

/** A guess: a token is four characters of Latin text, two of other alphabets, and one of Chinese, Japanese or Korean; or a part of a name. */
function tokensOf(text: string): number {
  const parts = text.match(/[A-Za-z]{1,9}|\d{1,3}|[^\sA-Za-z\d]+/g)?.length ?? 0;
  const wide = text.match(/[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g)?.length ?? 0;
  const other = text.match(/[\u0250-\u2dff]/g)?.length ?? 0;
  return Math.ceil(Math.max((text.length + 3 * wide + other) / 4, parts));
}

/**
 * One resource: `id: what`, then its arguments, the fields of its output, and which tools give the ids that it needs.
 * @param needs the ids that it needs. @default none
 */
export function cardOf(
  { id, description, input_schema, output_schema }: Resource,
  needs: readonly NeededId[] = [],
  detail: CardDetail = details[0],
): string {
  const required = new Set(requiredOf(input_schema));
  const all = Object.entries(propertiesOf(input_schema));
  const givers = new Map(needs.map(({ name, givers: [first] }) => [name, first]));
  const [needed, optional] = [all.filter(([name]) => required.has(name)), all.filter(([name]) => !required.has(name))];
  const ordered = detail.optional === "lines" ? [...needed, ...optional] : needed;
  const parameters = ordered.slice(0, detail.parameters).map(([name, schema]) => {
    const what = isRecord(schema) && typeof schema.description === "string" ? schema.description : "";
    const text = detail.parameterText === 0 ? "" : firstSentences(what, detail.parameterText);
    const from = givers.get(name) === undefined ? "" : ` from ${JSON.stringify(givers.get(name))}`;
    return `  - ${oneLine(name, maxName)} (${typeName(schema, detail.choices)}${from}${required.has(name) ? "" : ", optional"})${text === "" ? "" : `: ${text}`}`;
  });
  const named =
    detail.optional === "lines" ? [] : optional.slice(0, detail.parameters).map(([name]) => oneLine(name, maxName));
  if (named.length > 0) parameters.push(`  - optional: ${named.join(", ")}`);
  const unnamed = all.length - Math.min(ordered.length, detail.parameters) - named.length;
  if (unnamed > 0) parameters.push(`  - and ${unnamed} more arguments`);
  const fields = outputFields(output_schema, detail.fields);
  const unlisted = sourcesOf(needs.filter(({ name }) => !all.some(([own]) => own === name)));
  return [
    `${JSON.stringify(id)}: ${firstSentences(description, detail.description)}`,
    ...parameters,
    ...(fields === "" ? [] : [`  gives: ${fields}`]),
    ...(unlisted === "" ? [] : [`  ${unlisted}`]),
  ].join("\n");
}

/** One resource in a line: `id(argument, optional?): what`, and the first fields of its output. */
function briefCardOf(
  { id, description, input_schema, output_schema }: Resource,
  needs: readonly NeededId[] = [],
  detail: CardDetail = details[0],
): string {
  const required = new Set(requiredOf(input_schema));
  const names = Object.keys(propertiesOf(input_schema)).slice(0, Math.min(maxChoices, detail.parameters));
  const fields = outputFields(output_schema, Math.min(brief.fields, detail.fields));
  const takes = names.map((name) => `${oneLine(name, maxName)}${required.has(name) ? "" : "?"}`).join(", ");
  return `${JSON.stringify(id)}(${takes}): ${firstSentences(description, Math.min(brief.description, detail.description))}${fields === "" ? "" : ` gives: ${fields}`}${sourcesOf(needs) === "" ? "" : `; ${sourcesOf(needs)}`}`;
}

/** `movie_id from "search_movie"`. */
function sourcesOf(needs: readonly NeededId[]): string {
  return needs
    .flatMap(({ name, givers: [first] }) => (first === undefined ? [] : [`${name} from ${JSON.stringify(first)}`]))
    .join(", ");
}

/** The type of an argument in a word or two, or the values of a short enumeration: of so many characters at most. */
export function typeName(schema: unknown, maxCharacters = details[0].choices): string {
  if (!isRecord(schema)) return "any";
  if (Array.isArray(schema.enum) && schema.enum.length <= maxChoices) {
    const values = schema.enum.map((value) => JSON.stringify(value)).join("|");
    if (values.length <= maxCharacters) return values;
  }
  const alternatives = [schema.anyOf, schema.oneOf].find((each): each is unknown[] => Array.isArray(each));
  if (alternatives !== undefined)
    return [...new Set(alternatives.map((each) => typeName(each, maxCharacters)))].slice(0, maxChoices).join("|");
  if (schema.type === "array") return `list of ${typeName(schema.items, maxCharacters)}`;
  const names = Object.keys(propertiesOf(schema as JsonSchema))
    .slice(0, maxChoices)
    .map((name) => oneLine(name, maxName));
  if (names.length > 0) return `{${names.join(", ")}}`;
  const format = typeof schema.format === "string" ? ` ${schema.format}` : "";
  const type = Array.isArray(schema.type) ? schema.type.join("|") : schema.type;
  return typeof type === "string" ? `${type}${format}` : "any";
}

/** Paths into the output as a reference writes them: `items.*.id`, `[*].name` of a list. */
function outputFields(schema: unknown, most: number): string {
  if (most === 0) return "";
  const paths: string[] = [];
  const walk = (at: unknown, path: string, depth: number): void => {
    if (!isRecord(at) || depth < 0) return;
    if (at.type === "array" || isRecord(at.items)) {
      walk(at.items, path === "" ? "*" : `${path}.*`, depth);
      return;
    }
    const entries = Object.entries(propertiesOf(at));
    if (entries.length === 0 || depth === 0) {
      if (path !== "") paths.push(path);
      return;
    }
    for (const [name, inner] of entries) walk(inner, path === "" ? name : `${path}.${name}`, depth - 1);
  };
  walk(schema, "", 3);
  // Some servers say in words alone what comes back.
  if (paths.length === 0 && isRecord(schema) && typeof schema.description === "string") {
    return oneLine(schema.description, most >= brief.fields ? details[0].parameterText : shortText);
  }
  const shown = paths.slice(0, most).join(", ");
  return paths.length > most ? `${shown}, …` : shown;
}
