import { executionKinds, isRecord, type JsonSchema, type Resource } from "@planloom/plan";
import { type NeededId, neededIds } from "@planloom/plan/internals";
import { answerKinds } from "../answers/answer-kinds.ts";
import { propertiesOf, requiredOf } from "../answers/schema-outline.ts";
import { dataBlock } from "./data-block.ts";
import { leftOutNote } from "./left-out-note.ts";
import { oneLine } from "./one-line.ts";

const maxDescription = 200;
const maxParameterText = 120;
const maxChoices = 12;
const maxParameters = 60;
const maxFields = 30;

/** Of resources in the order of their relevance so many are described whole, where there are more than the other number. */
const wholeCards = 8;
const maxWholeCards = 12;
const maxBriefDescription = 80;
const maxBriefFields = 6;

/**
 * What can execute a task, as cards by kind: what it is called and does, a line an argument, what it gives. A quarter of the size of the
 * records as JSON. The texts come from the makers of the resources, so all of it is marked as data.
 * @param isRanked the resources are in the order of their relevance: where they are many, those after the first few get a line each. @default false
 */
export function cardsPrompt(resources: readonly Resource[], leftOut = 0, isRanked = false): string {
  const whole = isRanked && resources.length > maxWholeCards ? wholeCards : resources.length;
  const brief = new Set(resources.slice(whole));
  const needs = neededIds(resources);
  const parts = executionKinds.flatMap((kind) => {
    const cards = resources
      .filter((resource) => resource.kind === kind)
      .map((resource) =>
        brief.has(resource) ? briefCardOf(resource, needs.get(resource)) : cardOf(resource, needs.get(resource)),
      );
    return cards.length === 0
      ? []
      : [`${answerKinds[kind].heading} (${answerKinds[kind].field}):\n${cards.join("\n")}`];
  });
  return [
    "## Resources",
    dataBlock("resources", parts.join("\n\n")),
    ...(leftOut === 0 ? [] : [leftOutNote(leftOut)]),
  ].join("\n");
}

/**
 * One resource: `id: what`, then its arguments, the fields of its output, and which tools give the ids that it needs.
 * @param needs the ids that it needs. @default none
 */
export function cardOf(
  { id, description, input_schema, output_schema }: Resource,
  needs: readonly NeededId[] = [],
): string {
  const required = new Set(requiredOf(input_schema));
  const all = Object.entries(propertiesOf(input_schema));
  const givers = new Map(needs.map(({ name, givers: [first] }) => [name, first]));
  const ordered = [...all.filter(([name]) => required.has(name)), ...all.filter(([name]) => !required.has(name))];
  const parameters = ordered.slice(0, maxParameters).map(([name, schema]) => {
    const what = isRecord(schema) && typeof schema.description === "string" ? schema.description : "";
    const text = oneLine(what, maxParameterText);
    const from = givers.get(name) === undefined ? "" : ` from ${JSON.stringify(givers.get(name))}`;
    return `  - ${name} (${typeName(schema)}${from}${required.has(name) ? "" : ", optional"})${text === "" ? "" : `: ${text}`}`;
  });
  if (all.length > maxParameters) parameters.push(`  - and ${all.length - maxParameters} more arguments`);
  const fields = outputFields(output_schema);
  const unlisted = sourcesOf(needs.filter(({ name }) => !all.some(([own]) => own === name)));
  return [
    `${JSON.stringify(id)}: ${oneLine(description, maxDescription)}`,
    ...parameters,
    ...(fields === "" ? [] : [`  gives: ${fields}`]),
    ...(unlisted === "" ? [] : [`  ${unlisted}`]),
  ].join("\n");
}

/** One resource in a line: `id(argument, optional?): what`, and the first fields of its output. */
function briefCardOf(
  { id, description, input_schema, output_schema }: Resource,
  needs: readonly NeededId[] = [],
): string {
  const required = new Set(requiredOf(input_schema));
  const names = Object.keys(propertiesOf(input_schema)).slice(0, maxChoices);
  const fields = outputFields(output_schema, maxBriefFields);
  const takes = names.map((name) => (required.has(name) ? name : `${name}?`)).join(", ");
  return `${JSON.stringify(id)}(${takes}): ${oneLine(description, maxBriefDescription)}${fields === "" ? "" : ` gives: ${fields}`}${sourcesOf(needs) === "" ? "" : `; ${sourcesOf(needs)}`}`;
}

/** `movie_id from "search_movie"`. */
function sourcesOf(needs: readonly NeededId[]): string {
  return needs
    .flatMap(({ name, givers: [first] }) => (first === undefined ? [] : [`${name} from ${JSON.stringify(first)}`]))
    .join(", ");
}

/** The type of an argument in a word or two. */
export function typeName(schema: unknown): string {
  if (!isRecord(schema)) return "any";
  if (Array.isArray(schema.enum) && schema.enum.length <= maxChoices) {
    return schema.enum.map((value) => JSON.stringify(value)).join("|");
  }
  const alternatives = [schema.anyOf, schema.oneOf].find((each): each is unknown[] => Array.isArray(each));
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeName))].slice(0, maxChoices).join("|");
  if (schema.type === "array") return `list of ${typeName(schema.items)}`;
  const names = Object.keys(propertiesOf(schema as JsonSchema)).slice(0, maxChoices);
  if (names.length > 0) return `{${names.join(", ")}}`;
  const format = typeof schema.format === "string" ? ` ${schema.format}` : "";
  const type = Array.isArray(schema.type) ? schema.type.join("|") : schema.type;
  return typeof type === "string" ? `${type}${format}` : "any";
}

/** Paths into the output as a reference writes them: `items.*.id`, `[*].name` of a list. */
function outputFields(schema: unknown, most = maxFields): string {
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
    return oneLine(schema.description, maxParameterText);
  }
  const shown = paths.slice(0, most).join(", ");
  return paths.length > most ? `${shown}, …` : shown;
}
