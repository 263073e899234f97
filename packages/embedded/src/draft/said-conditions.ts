import type { PlannerTaskInput } from "@planloom/plan";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { path } from "../catalogue/output-shape.ts";
import type { SaidCondition } from "../language/clauses/said-conditions.ts";
import { isContent } from "../language/text/content-words.ts";
import { conjunctions, orderWords } from "../language/text/lexicon.ts";
import { splitName } from "../language/text/split-name.ts";
import { stem } from "../language/text/stem.ts";
import type { Token } from "../language/text/token.ts";
import { fieldThatIs, isAbout, type NamedField, onlyField } from "./condition-fields.ts";
import type { Draft } from "./draft.ts";

/** What is known of a condition once the plan is read. */
export interface ReadConditions {
  readonly tasks: PlannerTaskInput[];
  /** Those that no output is known to decide. */
  readonly open: readonly SaidCondition[];
  /** Those whose field is a guess, with the expression that they became. */
  readonly guessed: readonly (SaidCondition & { readonly expression: string })[];
}

/** A condition as a JSONata expression. */
export interface Expression {
  readonly text: string;
  readonly isGuess: boolean;
}

/**
 * Gives tasks the conditions that the goal puts on them (`when`), where an earlier task's output says whether they hold: a number that is compared, a
 * list that has rows or none, a field that is true, a text that a field is. What may change something under a condition that is open, or of which the
 * field is a guess, waits for an approval. O(conditions · tasks · fields)
 * @param drafts in the order of `tasks`. @param text the goal
 */
export function withConditions(
  tasks: readonly PlannerTaskInput[],
  drafts: readonly Draft[],
  ids: ReadonlyMap<Draft, string>,
  conditions: readonly SaidCondition[],
  text: string,
  catalogue: Catalogue,
): ReadConditions {
  const result = [...tasks];
  const open: SaidCondition[] = [];
  const guessed: (SaidCondition & { readonly expression: string })[] = [];
  for (const condition of conditions) {
    const guarded = guardedBy(condition, conditions, drafts, text);
    const expression = expressionOf(condition, { sources: sourcesFor(guarded, drafts), ids, catalogue });
    for (const [at, draft] of drafts.entries()) {
      const isSure = expression?.isGuess === false;
      if (isSure || !guarded.has(draft) || draft.profile.effect === "reads") continue;
      result[at] = { ...result[at]!, approval: "required" };
    }
    if (expression === undefined) {
      open.push(condition);
      continue;
    }
    if (expression.isGuess) guessed.push({ ...condition, expression: expression.text });
    for (const [at, draft] of drafts.entries()) {
      if (!guarded.has(draft)) continue;
      const task = result[at]!;
      const own = expression.text;
      const both = task.when === undefined ? own : `(${task.when.condition}) and (${own})`;
      result[at] = { ...task, when: { condition: both } };
    }
  }
  return { tasks: result, open, guessed };
}

/** What may decide a condition: what is neither under it nor needs what is. */
export function sourcesFor(guarded: ReadonlySet<Draft>, drafts: readonly Draft[]): readonly Draft[] {
  return drafts.filter((draft) => !guarded.has(draft) && !waitsFor(draft, guarded));
}

/** A condition behind what it is put on: "move it if it is packed and tell Ann". */
const trails = /[\p{L}\p{N}"')\]](?:\s+only)?\s+$/iu;
const leads = /(?:^|[\s,])(?:and|or|but|then|also|please|so)\s+$/i;

/**
 * What follows the condition in its sentence, up to the next condition; where it trails or nothing follows, the last thing before it.
 */
export function guardedBy(
  { start, end }: SaidCondition,
  all: readonly SaidCondition[],
  drafts: readonly Draft[],
  text: string,
): ReadonlySet<Draft> {
  const from = Math.max(...[". ", "! ", "? ", "; ", "\n"].map((mark) => text.lastIndexOf(mark, start))) + 1;
  const [rest = ""] = /^[\s\S]*?(?:[.!?;](?=\s|$)|\n|$)/.exec(text.slice(end)) ?? [];
  const next = all.find((other) => other.start >= end && other.start < end + rest.length);
  const until = next?.start ?? end + rest.length;
  const placed = drafts.flatMap((draft) => {
    const own = draft.clause.tokens.filter((token) => isSaid(token) && !isCondition(token, all));
    const [first] = own;
    return first === undefined ? [] : [{ draft, first: first.start, last: own.at(-1)!.end }];
  });
  const lead = text.slice(from, start);
  const before = placed.filter((each) => each.first >= from && each.first < start);
  const isTrailing = before.length > 0 && trails.test(lead) && !leads.test(lead);
  const after = placed.filter((each) => each.first >= end && each.first < until);
  if (after.length > 0 && !isTrailing) return new Set(after.map(({ draft }) => draft));
  const nearest = before.reduce((latest, { first }) => Math.max(latest, first), -1);
  return new Set(before.filter(({ first, draft }) => first === nearest && !draft.support).map(({ draft }) => draft));
}

const isSaid = ({ kind, lower }: Token) =>
  kind !== "break" && kind !== "punctuation" && !orderWords.has(lower) && !conjunctions.has(lower);
const isCondition = ({ start }: Token, all: readonly SaidCondition[]) =>
  all.some(({ places }) => places.some((each) => start >= each.start && start < each.end));

function waitsFor(draft: Draft, others: ReadonlySet<Draft>, seen = new Set<Draft>()): boolean {
  if (seen.has(draft)) return false;
  seen.add(draft);
  const sources = [...draft.after];
  for (const { filling } of draft.filled.values()) {
    if (filling.kind === "link") sources.push(filling.link.source);
    if (filling.kind === "composed")
      for (const part of filling.composed.parts) if (typeof part !== "string") sources.push(part.source);
  }
  return sources.some((source) => others.has(source) || waitsFor(source, others, seen));
}

const comparisons: readonly (readonly [RegExp, string])[] = [
  [/\b(?:no more than|at most)\b/, "<="],
  [/\b(?:at least|no less than|no fewer than)\b/, ">="],
  [/\b(?:more than|over|above|greater than|higher than|exceeds?|exceeding)\b/, ">"],
  [/\b(?:less than|fewer than|under|below|lower than)\b/, "<"],
  [/\b(?:exactly|equals?|equal to)\b/, "="],
];

/** What may decide a condition. */
export interface Deciding {
  readonly sources: readonly Draft[];
  readonly ids: ReadonlyMap<Draft, string>;
  readonly catalogue: Catalogue;
}

/** The JSONata expression that a condition in words is; undefined where no output is known to decide it. */
export function expressionOf({ says, isNegated }: SaidCondition, deciding: Deciding): Expression | undefined {
  if (says === undefined || deciding.sources.length === 0) return undefined;
  const read = statementsOf(says.replaceAll(/n['’]t\b/g, " not")).flatMap(
    (plain) => clauseHolds(plain, deciding) ?? [],
  );
  const sure = read.filter(({ isGuess }) => !isGuess);
  const [found, ...others] = sure.length > 0 ? sure : read;
  // A question that can be read in several ways is none that is decided.
  if (found === undefined || others.some(({ text }) => text !== found.text)) return undefined;
  return isNegated ? { ...found, text: `$not(${found.text})` } : found;
}

function clauseHolds(plain: string, deciding: Deciding): Expression | undefined {
  const words = plain.toLowerCase();
  const counted = numberCompared(words, deciding) ?? rowsExist(words, deciding);
  return counted === undefined ? fieldSays(plain, deciding) : { text: counted, isGuess: false };
}

/** Most words of the subject of a question. */
const maxSubject = 6;

/** What a question asks, as clauses, since nothing says where its subject ends: "is order 7 late" is "order is 7 late" or "order 7 is late". */
function statementsOf(says: string): readonly string[] {
  const [, verb, rest = ""] = /^(is|are|was|were|has|have)\s+(?:not\s+)?(.+)$/is.exec(says) ?? [];
  if (verb === undefined) return [says];
  const words = rest.split(/\s+/);
  if (/^there$/i.test(words[0]!)) return [`there ${verb} ${words.slice(1).join(" ")}`];
  const lengths = Array.from({ length: Math.min(maxSubject, words.length - 1) }, (_, at) => at + 1);
  return lengths.map((each) => `${words.slice(0, each).join(" ")} ${verb} ${words.slice(each).join(" ")}`);
}

function numberCompared(words: string, { sources, ids }: Deciding): string | undefined {
  const compared = comparisons.find(([pattern]) => pattern.test(words));
  if (compared === undefined) return undefined;
  const [pattern, operator] = compared;
  const [subject = "", rest = ""] = words.split(pattern, 2);
  const [, number, unit = ""] = /^\s*[$€£]?(\d[\d,]*(?:\.\d+)?)(?![\d%])(.*)$/.exec(rest) ?? [];
  if (number === undefined) return undefined;
  const value = number.replaceAll(",", "");
  const field = onlyField(`${subject} ${unit}`, sources, ({ types }) => types.has("number") || types.has("integer"));
  if (field !== undefined) return `\${${referenceTo(field, ids)}} ${operator} ${value}`;
  if (!/\b(?:there (?:is|are)|number of|count|has|have)\b/.test(subject)) return undefined;
  const rows = onlyRows(`${subject} ${unit}`, sources, ids);
  return rows === undefined ? undefined : `$count(\${${rows}}) ${operator} ${value}`;
}

/** "There are any", "any are found", "there is no order". */
function rowsExist(words: string, { sources, ids }: Deciding): string | undefined {
  const there = /^there (?:is|are|was|were)\b(.*)$/.exec(words);
  const found = /^(?:any|some|one|none|nothing|no)\b(.*)\b(?:found|exists?|left|listed|returned)\b/.exec(words);
  const rest = there?.[1] ?? found?.[1];
  if (rest === undefined) return undefined;
  const rows = onlyRows(rest, sources, ids);
  if (rows === undefined) return undefined;
  const isNone = /\b(?:no|not|none|nothing)\b/.test(words);
  return `$count(\${${rows}}) ${isNone ? "=" : ">"} 0`;
}

/** "It is available", "the status is shipped", "ticket 7 is not urgent", "it has low priority". @param said with its capitals */
function fieldSays(said: string, { sources, ids, catalogue }: Deciding): Expression | undefined {
  const [, subject = "", verb = "", not, predicate] =
    /^(.*?)\b(is|are|was|were|has|have)\s+(not\s+)?(?:(?:still|already|currently|now|yet|been)\s+)*(.+?)[.,!?]?$/i.exec(
      said,
    ) ?? [];
  if (predicate === undefined) return undefined;
  const about = sources.filter((draft) => isAbout(subject, draft));
  const flag = onlyField(predicate, about, ({ types }) => types.has("boolean"), 1);
  if (flag !== undefined) {
    if (leftOver(predicate, flag.draft, flag.field.stems).length > 0) return undefined;
    const reference = `\${${referenceTo(flag, ids)}}`;
    return { text: not === undefined ? reference : `$not(${reference})`, isGuess: false };
  }
  const found = fieldThatIs(subject, predicate, sources, catalogue);
  if (found === undefined || (found.isGuess && /^ha/i.test(verb))) return undefined;
  const { value, isGuess } = found;
  const text = `\${${referenceTo(found, ids)}} ${not === undefined ? "=" : "!="} ${JSON.stringify(value)}`;
  return { text, isGuess };
}

/** Telling words that neither the field's nor the thing's own name has, nor an argument of the call that yields it. */
function leftOver(words: string, { profile, filled }: Draft, known: readonly string[]): readonly string[] {
  const asked = [...filled.values()].flatMap(({ filling }) =>
    filling.kind === "value" ? [filling.origin?.text ?? "", String(filling.value)].flatMap(splitName) : [],
  );
  const covered = new Set([...asked.map(stem), ...profile.entity.map(stem), ...known]);
  return splitName(words)
    .filter(isContent)
    .map(stem)
    .filter((each) => !covered.has(each));
}

/** The rows that the words name; where they name none, those of the only list there is. None where the list is not narrowed down by all that they say. */
function onlyRows(words: string, sources: readonly Draft[], ids: ReadonlyMap<Draft, string>): string | undefined {
  const rest = words.replaceAll(/\b(?:one|at least|no|not|none|left|found|number|count|total)\b/g, " ");
  const said = splitName(rest).filter(isContent).map(stem);
  const lists = sources.filter(({ profile }) => profile.output.known && profile.output.many);
  const named = lists.filter(({ profile }) => profile.entity.map(stem).some((each) => said.includes(each)));
  const fitting = said.length === 0 ? lists : named;
  const [draft] = fitting;
  if (draft === undefined || fitting.length > 1 || leftOver(rest, draft, []).length > 0) return undefined;
  return `${ids.get(draft) ?? ""}${draft.profile.output.rows}`;
}

function referenceTo({ draft, field }: NamedField, ids: ReadonlyMap<Draft, string>): string {
  return `${ids.get(draft) ?? ""}${draft.profile.output.rows}${path(field.name)}`;
}
