import type { PlannerTaskInput } from "@planloom/plan";
import type { Effect } from "../catalogue/effect.ts";
import { conjunctions, prepositions } from "../language/text/lexicon.ts";
import type { Token } from "../language/text/token.ts";
import type { Draft } from "./draft.ts";

/** What says of a whole sentence that something is to be done with each of several. */
const sentenceWords =
  /\bfor (?:each|every|all)\b|\b(?:each|every one|all) of (?:them|these|those|its|their|the)\b|\bone by one\b/i;
/** What says it of the words around a task. */
const clauseWords = /\b(?:each|every|all|both)\b/i;

/** "the leave of everyone in engineering"; a message is a single token. */
const allOfThem = /^every(?:one|body|thing)$/;

/** The element of a list, in references of a task that is executed for each of them. */
const element = "item";

export interface ListedTasks {
  readonly tasks: PlannerTaskInput[];
  /** The drafts whose tasks are executed for each row of another's output. */
  readonly listed: ReadonlySet<Draft>;
}

/**
 * Where the goal says "for each", "every" or "all of them" and an argument takes one value of another task's rows, the task is executed for each
 * of the rows (`for_each`), and not for the first one. What takes the output of such a task gets the list of outputs, or is executed for each of
 * them in turn. O(tasks · arguments)
 * @param text the goal. @param drafts in the order of `tasks`, each after those whose output it takes where that is known
 */
export function withLists(
  tasks: readonly PlannerTaskInput[],
  drafts: readonly Draft[],
  ids: ReadonlyMap<Draft, string>,
  text: string,
): ListedTasks {
  const listed = new Set<Draft>();
  const result = tasks.map((task, at): PlannerTaskInput => {
    const draft = drafts[at]!;
    const before = [...listed].map((each) => ids.get(each) ?? "");
    const rows = saysEach(draft, text) ? rowsTaken(draft, ids) : undefined;
    const outputs = rows === undefined ? outputsTaken(draft, listed, ids) : undefined;
    const list = rows ?? outputs;
    const renamed = mapTexts(task.arguments ?? {}, (value) => (list === undefined ? value : ofElement(value, list)));
    const values = mapTexts(renamed, (value) => ofOutputs(value, before)) as Record<string, unknown>;
    if (list === undefined) return before.length === 0 ? task : { ...task, arguments: values };
    listed.add(draft);
    return { ...task, arguments: values, for_each: { items: `\${${ofOutputs(list, before, true)}}` } };
  });
  return { tasks: result, listed };
}

function saysEach({ clause, filled, profile }: Draft, text: string): boolean {
  const links = [...filled.values()].flatMap(({ filling }) => (filling.kind === "link" ? [filling.link] : []));
  // "Cancel the open orders": all of those. "Cancel orders" alone may mean any.
  if (links.some(({ each, source }) => each === true && source.filled.size > 0)) return true;
  const [first] = clause.tokens;
  const last = clause.tokens.at(-1);
  if (first === undefined || last === undefined) return false;
  if (clauseWords.test(text.slice(first.start, last.end))) return true;
  if (clause.tokens.some(({ kind, lower }) => kind === "word" && allOfThem.test(lower))) return true;
  // "List the open orders and cancel them": all that were listed.
  // What is only looked up by its name is one thing.
  const isListed = links.some(({ source }) => source.profile.output.many && !source.support);
  if (isListed && meansAll(clause.tokens, profile.effect)) return true;
  // "Turn off the lamps in hall 2": those that the list has, where the goal says which.
  const isNarrow = links.some(({ source }) => source.profile.output.many && source.support && source.filled.size > 0);
  if (isNarrow && profile.effect === "changes" && namesSeveral(clause.tokens)) return true;
  const start = Math.max(...[". ", "! ", "? ", "\n"].map((mark) => text.lastIndexOf(mark, first.start)));
  const [sentence = ""] = /^[\s\S]*?(?:[.!?](?=\s|$)|\n|$)/.exec(text.slice(start + 1).trimStart()) ?? [];
  return sentenceWords.test(sentence);
}

/**
 * "them" as what something is done with, and "their" where what belongs to them is read, but not "one of them". "Find the customers called Bob and update their
 * email" may mean one of them.
 */
const meansAll = (tokens: readonly Token[], effect: Effect): boolean =>
  tokens.some(
    ({ lower }, at) =>
      (/^(?:them|those|these)$/.test(lower) && tokens[at - 1]?.lower !== "of") ||
      (lower === "their" && effect === "reads"),
  );

/** Words between a verb and what it is done to, with a particle. */
const maxWordsBefore = 2;
/** Words between "the" and its noun. */
const maxAdjectives = 3;

/** "the open orders", "my lamps": several things right behind the verb. */
function namesSeveral(tokens: readonly Token[]): boolean {
  const the = tokens.findIndex(({ lower }) => /^(?:the|my|our|these|those)$/.test(lower));
  if (the < 1 || the > maxWordsBefore) return false;
  const rest = tokens.slice(the + 1, the + 2 + maxAdjectives);
  const end = rest.findIndex(
    ({ kind, lower }) => kind !== "word" || prepositions.has(lower) || conjunctions.has(lower),
  );
  const last = (end < 0 ? rest : rest.slice(0, end)).at(-1);
  return last !== undefined && last.noun !== last.lower && !last.lower.endsWith("ss") && !last.possessive;
}

/** `orders.rows`, where an argument takes a field of the first of these rows and no other source is cut so. */
function rowsTaken(draft: Draft, ids: ReadonlyMap<Draft, string>): string | undefined {
  const found = new Set<string>();
  for (const { filling } of draft.filled.values()) {
    if (filling.kind !== "link" || !filling.link.path.includes("[0]")) continue;
    if (filling.link.one === true || filling.link.named === true) continue;
    found.add(`${ids.get(filling.link.source) ?? ""}${filling.link.path.slice(0, filling.link.path.indexOf("[0]"))}`);
  }
  const [only] = found;
  return found.size === 1 ? only : undefined;
}

/**
 * The id of a task with a list, one of whose outputs an argument takes: one value, or the ids of all rows of it, since the rows of all outputs are lists
 * in a list, which no argument takes.
 */
function outputsTaken(draft: Draft, listed: ReadonlySet<Draft>, ids: ReadonlyMap<Draft, string>): string | undefined {
  for (const { parameter, filling } of draft.filled.values()) {
    if (filling.kind !== "link" || !listed.has(filling.link.source)) continue;
    if (parameter.takesOne || filling.link.path.includes(".*")) return ids.get(filling.link.source);
  }
  return undefined;
}

/** `${orders.rows[0].id}` is `${item.id}` in the elements of `orders.rows`; `${invoice.number}` is `${item.number}` in those of `invoice`. */
function ofElement(text: string, list: string): string {
  return text.replaceAll(/\$\{([^{}]*)\}/g, (whole, inside: string) => {
    if (inside.startsWith(`${list}[0]`)) return `\${${element}${inside.slice(list.length + 3)}}`;
    const rest = inside.slice(list.length);
    return inside.startsWith(list) && /^[.[]/.test(rest) && !list.includes(".") ? `\${${element}${rest}}` : whole;
  });
}

/** What is read of a task with a list is read of each of its outputs. */
function ofOutputs(text: string, listed: readonly string[], bare = false): string {
  let result = text;
  for (const id of listed) {
    const name = id.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const pattern = bare
      ? new RegExp(`^(${name})(?=[.[])(?!\\.\\*)`)
      : new RegExp(`(\\$\\{${name})(?=[.[])(?!\\.\\*)`, "g");
    result = result.replace(pattern, "$1.*");
  }
  return result;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return value.includes("${") ? change(value) : value;
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
}
