import type { PlanReading } from "./confidence/plan-evidence.ts";
import type { Draft } from "./draft/draft.ts";
import type { EmbeddedPlan } from "./embedded-plan.ts";
import { isContent } from "./language/text/content-words.ts";
import {
  abstractNouns,
  auxiliaries,
  determiners,
  emptyNouns,
  identifierWords,
  measureNouns,
  superlatives,
} from "./language/text/lexicon.ts";
import { stem } from "./language/text/stem.ts";
import { synonymsOf } from "./language/text/synonyms.ts";
import { type Token, tokenise } from "./language/text/token.ts";

/** Letters that two words for one thing have in common: "directs" and `director`. */
const minRoot = 5;

/**
 * A plan that reads, for a goal that asks for something of a thing ("what is the weight of crate C-7?") which no field of what is read is called after. The plan stays, since it reads the thing
 * that is meant; that it may not answer is said. Not where a tool does not say what it gives. Linear in the goal and the plan.
 */
export function withUnanswered(plan: EmbeddedPlan, { drafts, text, start }: PlanReading): EmbeddedPlan {
  const isDeclared = ({ profile: { effect, output } }: Draft) =>
    effect === "reads" && output.known && !output.plain && output.fields.length > 0;
  const tokens = tokenise(text.slice(start));
  const thing = thingAsked(tokens);
  const isOther = ({ profile: { effect, entity } }: Draft) =>
    effect === "reads" && entity.length > 0 && !entity.includes(thing?.noun ?? "");
  if (thing !== undefined && drafts.length > 0 && drafts.every(isOther)) {
    const labels = [...new Set(drafts.map(({ profile }) => `\`${profile.label}\``))].join(" and ");
    const message = `${labels} is about something else than the ${thing.text}: the plan may not answer that.`;
    const unresolved = [...plan.unresolved, { reason: "no_resource" as const, text: thing.text, message }];
    return { plan: { ...plan.plan, metadata: { ...plan.plan.metadata, unresolved } }, unresolved };
  }
  if (drafts.length === 0 || !drafts.every(isDeclared)) return plan;
  const asked = askedOf(tokens);
  if (asked === undefined || isTaken(asked, drafts, start)) return plan;
  const known = new Set(drafts.flatMap(wordsOf));
  const words = [asked.stem, stem(asked.noun), ...synonymsOf(asked.stem)];
  if (
    words.some(
      (word) =>
        known.has(word) ||
        (word.length >= minRoot &&
          [...known].some((each) => each.startsWith(word) || (each.length >= minRoot && word.startsWith(each)))),
    )
  )
    return plan;
  const labels = [...new Set(drafts.map(({ profile }) => `\`${profile.label}\``))].join(" and ");
  const message = `No field of what ${labels} gives is called after "${asked.text}": the plan may not answer that.`;
  const unresolved = [...plan.unresolved, { reason: "no_resource" as const, text: asked.text, message }];
  return { plan: { ...plan.plan, metadata: { ...plan.plan.metadata, unresolved } }, unresolved };
}

/** "customer" of "who is customer 17?", and nothing else is asked. */
function thingAsked(tokens: readonly Token[]): Token | undefined {
  const [question, ...words] = tokens.filter(({ text }) => !/^(?:[.?!]|the|is)$/i.test(text));
  const [thing, id, more] = words;
  const isId = id?.kind === "number" || (id?.kind === "literal" && /\d/.test(id.text));
  const isAsked = /^(?:who|what)$/.test(question?.lower ?? "") && thing?.kind === "word" && more === undefined;
  return isAsked && isId ? thing : undefined;
}

/** The noun for what a question or a request to read wants to know of a thing: "weight" of "what is the weight of C-7", "what weight has C-7" and "show C-7's weight". */
function askedOf(tokens: readonly Token[]): Token | undefined {
  const opening = tokens[0];
  if (opening?.kind !== "word") return undefined;
  const isQuestion = /^(?:what|which|who|whose)$/.test(opening.lower);
  if (!isQuestion && !/^(?:show|get|tell|give|find|read|fetch|check|display)$/.test(opening.lower)) return undefined;
  let at = 1;
  while (
    /^(?:me|us)$/.test(tokens[at]?.lower ?? "") ||
    auxiliaries.has(tokens[at]?.lower ?? "") ||
    /^['’]$|^s$/.test(tokens[at]?.lower ?? "")
  )
    at += 1;
  const isDirect = at === 1;
  if (determiners.has(tokens[at]?.lower ?? "")) at += 1;
  const noun = tokens[at];
  const next = tokens[at + 1];
  if (noun?.kind === "word" && !noun.capital && next !== undefined) {
    const isOf = next.lower === "of";
    const isSubject = isQuestion && isDirect && auxiliaries.has(next.lower) && opening.lower !== "who";
    return (isOf || isSubject) && says(noun) && isOne(tokens, at + 2) ? noun : undefined;
  }
  // "C-7's weight"
  const owned = tokens[at + 3];
  const isOwned = noun?.kind === "literal" && /^['’]$/.test(next?.text ?? "") && tokens[at + 2]?.lower === "s";
  return isOwned && owned?.kind === "word" && says(owned) ? owned : undefined;
}

/** What follows is one thing by its id: "C-7", "the crate C-7". */
const isOne = (tokens: readonly Token[], from: number): boolean =>
  tokens.slice(from, from + 3).some(({ kind, text }) => (kind === "literal" || kind === "number") && /\d/.test(text));

const says = ({ lower, noun }: Token): boolean =>
  isContent(lower) &&
  noun === lower &&
  ![emptyNouns, measureNouns, abstractNouns, superlatives, identifierWords].some((each) => each.has(lower));

/** Words by which a tool and what it gives are called. */
const wordsOf = ({ profile: { about, attributes, output } }: Draft): readonly string[] => [
  ...about,
  ...attributes,
  ...output.fields.flatMap((field) => [...field.stems, ...field.about]),
];

const isTaken = ({ start: at }: Token, drafts: readonly Draft[], start: number): boolean =>
  drafts.some(({ filled }) =>
    [...filled.values()].some(({ filling }) => {
      const { start: from, text = "" } = (filling.kind === "value" && filling.origin) || {};
      return from !== undefined && start + at >= from && start + at < from + text.length;
    }),
  );
