import type { Parameter } from "../catalogue/parameter.ts";
import { type Composed, type Draft, isFilled, key, sourcesOf } from "../draft/draft.ts";
import { goalKinds } from "../language/goal-kinds.ts";
import { contentWords, instructionWords } from "../language/text/lexicon.ts";
import type { RecordPlanning } from "./record-planning.ts";

/**
 * Feeds what earlier tasks found to a resource that works on text or data as a whole: a model that summarises, an
 * agent that reports. Its content parameter gets the outputs, its prompt the clause.
 */
export function fillSink(draft: Draft, planning: RecordPlanning, from: readonly Draft[] = openEnds(planning)): void {
  const { profile, clause } = draft;
  const { callsAreExact, takesWords } = goalKinds[profile.resource.kind];
  const sources = from.slice(0, 12);
  const open = profile.parameters.filter((parameter) => !isFilled(draft, parameter) && isText(parameter));
  const content = open.find(
    (parameter) =>
      parameter.words.some((word) => contentWords.has(word) && !instructionWords.has(word)) &&
      !lacksOthers(draft, parameter),
  );
  const prompt = open.find((parameter) => parameter.words.some((word) => instructionWords.has(word)));
  const said = clauseText(draft, planning);
  const refersBack =
    clause.pointsBack ||
    clause.order === "then" ||
    !callsAreExact ||
    clause.phrases.some((phrase) => phrase.demonstrative || phrase.determiner === "the");
  if (!takesWords) {
    if (
      content !== undefined &&
      sources.length > 0 &&
      refersBack &&
      content.required &&
      (clause.pointsBack || !hasWords(draft))
    )
      compose(draft, content, sources);
    return;
  }
  if (profile.parameters.length === 0 && profile.resource.input_schema === undefined) {
    const free: Parameter = { ...freeText, path: ["prompt"], name: "prompt" };
    draft.filled.set(key(free), {
      parameter: free,
      filling: { kind: "composed", composed: withSources(said, sources) },
    });
    return;
  }
  if (content !== undefined && sources.length > 0) compose(draft, content, sources);
  if (prompt !== undefined) {
    const rest = content === undefined ? sources : [];
    draft.filled.set(key(prompt), {
      parameter: prompt,
      filling: { kind: "composed", composed: withSources(said, rest) },
    });
  } else if (content !== undefined && sources.length === 0 && content.required) {
    draft.filled.set(key(content), { parameter: content, filling: { kind: "value", value: said } });
  }
}

const freeText: Parameter = {
  path: [],
  name: "",
  words: [],
  stems: [],
  about: new Set(),
  description: "",
  types: new Set(["string"]),
  takesOne: true,
  takesList: false,
  required: false,
  choices: [],
  medium: undefined,
  format: "",
  holdsDay: false,
  side: undefined,
  isLimit: false,
  isIdentifier: false,
  isCredential: false,
  isPlace: false,
  entity: [],
  direction: undefined,
  schema: {},
};

function isText(parameter: Parameter): boolean {
  return (
    parameter.choices.length === 0 &&
    !parameter.isIdentifier &&
    !parameter.types.has("boolean") &&
    !parameter.types.has("number") &&
    !parameter.types.has("integer")
  );
}

/** It is a field of an object in a list that needs another field too, as a message needs its role: filled alone it would be dropped again. */
function lacksOthers(draft: Draft, { list, path }: Parameter): boolean {
  if (list === undefined) return false;
  const [ofList, own] = [JSON.stringify(list), JSON.stringify(path)];
  return draft.profile.parameters.some(
    (each) =>
      each.requiredInItem === true &&
      JSON.stringify(each.list) === ofList &&
      JSON.stringify(each.path) !== own &&
      !isFilled(draft, each),
  );
}

/** The text to work on was given by the goal itself. */
function hasWords(draft: Draft): boolean {
  return [...draft.filled.values()].some(
    ({ filling, parameter }) => filling.kind === "value" && isText(parameter) && parameter.required,
  );
}

/** Tasks whose output no other task uses yet. */
function openEnds(planning: RecordPlanning): Draft[] {
  const used = new Set(planning.drafts.flatMap(sourcesOf));
  return planning.drafts.filter((draft) => !used.has(draft)).slice(-12);
}

/** The output itself where one source fits, else a text that names each. */
function compose(draft: Draft, parameter: Parameter, sources: readonly Draft[]): void {
  const [only] = sources;
  if (only === undefined) return;
  const types = only.profile.output.types;
  const anything = parameter.types.size === 0;
  const meets =
    anything ||
    [...types].some((type) => parameter.types.has(type)) ||
    (types.has("array") && parameter.takesList && !parameter.types.has("string"));
  const composed: Composed =
    sources.length === 1 && meets
      ? { parts: [{ source: only, path: wholePath(only, parameter) }] }
      : withSources("", sources);
  draft.filled.set(key(parameter), { parameter, filling: { kind: "composed", composed } });
}

/** A single text field of the source is meant rather than the record around it. */
function wholePath(source: Draft, parameter: Parameter): string {
  const { output } = source.profile;
  const [field] = output.fields;
  const single = !output.many && output.fields.length === 1 && field !== undefined && parameter.types.has("string");
  return single ? `${output.rows}.${field.name}` : "";
}

function withSources(said: string, sources: readonly Draft[]): Composed {
  const parts: Composed["parts"][number][] = [said];
  for (const source of sources) {
    parts.push(`${parts.length === 1 && said === "" ? "" : "\n\n"}${source.profile.label}: `, { source, path: "" });
  }
  return { parts };
}

function clauseText(draft: Draft, planning: RecordPlanning): string {
  const tokens = draft.clause.tokens;
  const first = tokens[0];
  const last = tokens[tokens.length - 1];
  return first === undefined || last === undefined ? "" : planning.text.slice(first.start, last.end).slice(0, 2_000);
}
