import { sortsOf } from "./catalogue/acts-of.ts";
import type { Profile } from "./catalogue/profile.ts";
import { serverOf } from "./catalogue/servers.ts";
import type { PlanReading } from "./confidence/plan-evidence.ts";
import { takenBy } from "./draft/draft.ts";
import { mayChange } from "./draft/hold-changes.ts";
import type { Unresolved } from "./draft/unresolved.ts";
import type { EmbeddedPlan } from "./embedded-plan.ts";
import { findQuestions } from "./language/clauses/questions.ts";
import { refusals } from "./language/clauses/refusals.ts";
import { phrasalVerb, sortsMeant } from "./language/text/act-sorts.ts";
import { isVerb } from "./language/text/actions.ts";
import { isContent } from "./language/text/content-words.ts";
import {
  abstractNouns,
  computingVerbs,
  conjunctions,
  determiners,
  emptyNouns,
  identifierWords,
  measureNouns,
  negations,
  orderWords,
  ordinals,
  peopleNouns,
  possessives,
  subordinators,
  superlatives,
} from "./language/text/lexicon.ts";
import { isNamed } from "./language/text/locale-names.ts";
import { splitName } from "./language/text/split-name.ts";
import { stem } from "./language/text/stem.ts";
import { synonymsOf } from "./language/text/synonyms.ts";
import { type Token, tokenise } from "./language/text/token.ts";
import { unitOf } from "./language/text/units.ts";
import { proposalBelow } from "./with-chances.ts";

/** Letters that two words for one thing have in common: "ship" and `shipping`. */
const minRoot = 4;
/** Such words are named, at most. */
const maxNamed = 3;

const sayNothing: readonly ReadonlySet<string>[] = [
  abstractNouns,
  computingVerbs,
  conjunctions,
  emptyNouns,
  identifierWords,
  measureNouns,
  negations,
  orderWords,
  ordinals,
  peopleNouns,
  subordinators,
  superlatives,
  new Set("say says came gets got goes went everyone everybody anyone anybody euro euros buck bucks".split(" ")),
];

/**
 * A plan that leaves nothing open and is likely right, for a goal of which some words are heard nowhere: no argument took them and none of the called tools speaks of them ("which pumps are
 * offline?" by a tool that lists all). The plan stays, the words are said, and what it would change waits for an approval. Linear in the goal and the plan.
 */
export function withUnheardWords(plan: EmbeddedPlan, reading: PlanReading): EmbeddedPlan {
  const { planned_tasks: tasks, metadata } = plan.plan;
  const isMarked = plan.unresolved.length > 0 || Number(metadata?.confidence ?? 0) < proposalBelow;
  if (isMarked || tasks.length === 0) return plan;
  const point = actUnheard(reading) ?? contentUnread(reading) ?? wordsUnheard(plan, reading);
  if (point === undefined) return plan;
  const held = new Set(reading.drafts.filter(mayChange).map(({ profile }) => profile.resource.id));
  const waits = held.size > 0 ? " What it would change waits for an approval." : "";
  const unresolved = [{ ...point, message: point.message + waits }];
  const planned_tasks = tasks.map((task) =>
    typeof task.tool_id === "string" && held.has(task.tool_id) ? { ...task, approval: "required" as const } : task,
  );
  return { plan: { ...plan.plan, planned_tasks, metadata: { ...metadata, unresolved } }, unresolved };
}

/** A plan that only reads for what tells how things are ("the lamp in hall 3 is out"), or for a verb that nobody knows ("free the bed"). */
function actUnheard({ drafts, text, start, catalogue }: PlanReading): Unresolved | undefined {
  if (drafts.some(({ profile }) => profile.effect !== "reads")) return undefined;
  const goal = text.slice(start).trim();
  const tokens = tokenise(goal);
  if (tokens.length === 2 && /^(?:something|anything|somebody|someone|stuff)$/.test(tokens[1]!.lower)) {
    const message = `"${goal}" does not say what.`;
    return { reason: "no_parameter", text: tokens[1]!.text, message };
  }
  if (findQuestions(tokens, catalogue.verbs).some(({ tells }) => tells)) {
    const message = `"${goal.slice(0, maxQuoted)}" only says how things are; the plan reads, and does nothing about it.`;
    return { reason: "no_resource", text: goal.slice(0, maxQuoted), message };
  }
  const [verb, object] = tokens;
  const isKnown = drafts.some(({ profile }) => profile.about.has(verb?.stem ?? ""));
  const isAct =
    !isKnown &&
    verb?.kind === "word" &&
    isContent(verb.lower) &&
    !isVerb(verb.lower) &&
    !catalogue.verbs.has(verb.lower);
  if (!isAct || object === undefined || !articles.test(object.lower) || !isCommand(verb)) return undefined;
  const message = `"${verb.text}" may be something to do, and the plan only reads.`;
  return { reason: "no_resource", text: verb.text, message };
}

const maxQuoted = 120;
const articles = /^(?:the|it|them|this|that|these|those|my|our|your|his|her|their)$/;
/** Neither a noun in the plural nor a name: "beds the nurse blocked". */
const isCommand = ({ lower, noun }: Token): boolean => noun === lower && !/(?:ed|ing|ly)$/.test(lower);

/** "Send Ada the open orders" as the very words "open orders", where a tool that is not called reads such things. */
function contentUnread({ drafts, text, catalogue }: PlanReading): Unresolved | undefined {
  const called = new Set(drafts.map(({ profile }) => profile));
  for (const { profile, filled } of drafts)
    for (const { parameter, filling } of filled.values()) {
      if (profile.effect === "reads" || filling.kind !== "value" || typeof filling.value !== "string") continue;
      const { source, start, text: said = "" } = filling.origin ?? {};
      const isText = parameter.words.some((word) => contents.test(word));
      if (!isText || source !== "goal" || start === undefined || said !== filling.value) continue;
      if (!definite.test(text.slice(0, start)) || said.split(/\s+/).length > maxWordsOfThings) continue;
      const words = tokenise(said);
      const last = words.at(-1);
      const reader = catalogue.profiles.find(
        (other) =>
          !called.has(other) &&
          other.effect === "reads" &&
          other.entity.at(-1) === last?.noun &&
          words.every(
            ({ kind, stem: word, lower }) =>
              kind === "word" && (!isContent(lower) || other.about.has(word) || holdsChoice(other, word)),
          ),
      );
      if (reader === undefined) continue;
      const message = `"${said}" is taken as it is written; what \`${reader.label}\` gives is not read before.`;
      return { reason: "no_resource", text: said, message };
    }
  return undefined;
}

const contents = /^(?:text|body|message|content|contents)$/;
const definite = /\b(?:the|all|every|my|our|their|his|her) $/i;
/** "the open orders in Bonn" */
const maxWordsOfThings = 4;
const holdsChoice = ({ parameters }: Profile, word: string): boolean =>
  parameters.some(({ choices }) => choices.some(({ stems }) => stems.includes(word)));

function wordsUnheard(plan: EmbeddedPlan, reading: PlanReading): Unresolved | undefined {
  const words = unheardIn(plan, reading).slice(0, maxNamed);
  const [first] = words;
  if (first === undefined) return undefined;
  const said = words.map((word) => `"${word}"`).join(", ");
  const message = `No argument of the plan takes ${said}, and none of its tools speaks of it: the goal may mean something else.`;
  return { reason: "no_parameter", text: first, message };
}

function unheardIn({ plan }: EmbeddedPlan, { drafts, text, start, catalogue }: PlanReading): string[] {
  const profiles = drafts.map(({ profile }) => profile);
  const known = new Set(profiles.flatMap(wordsOf));
  const sorts = new Set(profiles.flatMap((profile) => [...sortsOf(profile)]));
  const tasks = plan.planned_tasks.map(({ arguments: given, when, for_each, wait }) => [given, when, for_each, wait]);
  const planned = JSON.stringify([tasks, plan.metadata?.schedule]).toLowerCase();
  for (const { stem: word } of tokenise(planned.replace(/[^\p{L}\d]+/gu, " "))) known.add(word);
  const taken = drafts.flatMap(takenBy);
  const tokens = tokenise(text);
  const refused = refusals(tokens, catalogue.verbs);
  const isTaken = (token: Token | undefined) =>
    token !== undefined && taken.some(([from, to]) => token.start >= from && token.start < to);
  const givesAnything = drafts.some(({ profile: { effect, output } }) => effect === "reads" && !output.known);
  const isHeard = (token: Token, at: number): boolean => {
    const { kind, lower, noun } = token;
    const written = kind === "quoted" ? String(token.value ?? lower).toLowerCase() : lower;
    if (kind !== "word") return kind === "date" || kind === "number" || planned.includes(written);
    if (saysNothing(tokens, at) || (givesAnything && isAskedFor(tokens, at))) return true;
    // "product P-7", "4 stars": the noun of a value that was taken.
    if ([tokens[at + 1], tokens[at - 1]].some((each) => isValue(each, planned))) return true;
    const meant = catalogue.knows(token.stem) ? [] : synonymsOf(token.stem);
    if ([token.stem, stem(noun), ...meant].some((word) => known.has(word))) return true;
    if (lower.length >= minRoot && [...known].some((word) => word.startsWith(lower))) return true;
    const particle = phrasalVerb(tokens, at, at + maxParticleDistance);
    return [lower, particle?.meaning ?? lower].some((verb) =>
      [...sortsMeant(stem(verb))].some((each) => sorts.has(each)),
    );
  };
  return tokens.flatMap((token, at) => {
    if (token.start < start || token.kind === "punctuation" || token.kind === "break") return [];
    if (isTaken(token)) return [];
    return refused.some(({ from, to }) => at >= from && at < to) || isHeard(token, at) ? [] : [token.text];
  });
}

/** A particle is looked for among so many words after its verb. */
const maxParticleDistance = 4;

/** Days and amounts are found as values. */
const namedSorts = ["currency", "weekday", "month"] as const;

const isValue = (token: Token | undefined, planned: string): boolean =>
  token !== undefined && ["literal", "number", "quoted"].includes(token.kind) && planned.includes(token.lower);

/** "its age", "the age of": what a tool that declares no output may give. */
const isAskedFor = (tokens: readonly Token[], at: number): boolean =>
  tokens[at + 1]?.lower === "of" ||
  determiners.has(tokens[at - 1]?.lower ?? "") ||
  possessives.has(tokens[at - 1]?.lower ?? "") ||
  tokens[at - 1]?.possessive === true;

/** A small word, a unit or a verb: what is done is judged where tools are chosen. */
function saysNothing(tokens: readonly Token[], at: number): boolean {
  const { lower, noun } = tokens[at]!;
  if (!isContent(lower) || sayNothing.some((each) => each.has(lower))) return true;
  if (isVerb(lower) || isVerb(noun) || /..(?:ed|ing)$/.test(lower)) return true;
  if (unitOf(lower) !== undefined || namedSorts.some((sort) => isNamed(lower, sort))) return true;
  // "how far", "how long"
  return tokens[at - 1]?.lower === "how";
}

/** Words by which a tool, what it takes and what it gives are called. */
const wordsOf = ({ resource, about, attributes, parameters, nameWords, output }: Profile): string[] => [
  ...about,
  ...attributes,
  ...[serverOf(resource) ?? "", ...nameWords].map(stem),
  ...parameters.flatMap(({ stems, about: own, choices }) => [
    ...stems,
    ...own,
    ...choices.flatMap((each) => each.stems),
  ]),
  ...parameters.flatMap(({ path }) => path.flatMap((each) => splitName(String(each)).map(stem))),
  ...output.fields.flatMap(({ stems, about: own }) => [...stems, ...own]),
];
