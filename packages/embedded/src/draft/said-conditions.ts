import type { PlannerTaskInput } from "@planloom/plan";
import { type OutputField, path } from "../catalogue/output-shape.ts";
import { stem } from "../language/text/stem.ts";
import type { Draft } from "./draft.ts";

/** A condition that the goal puts on what is to be done, with its place in the goal. */
export interface SaidCondition {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Gives tasks the conditions that the goal puts on them (`when`), where an earlier task's output says whether they hold: a number that is compared, a
 * list that has rows or none, a field that is true, a text that a field is. O(conditions · tasks · fields)
 * @param drafts in the order of `tasks`. @param text the goal
 * @returns `open`: the conditions that no output is known to decide
 */
export function withConditions(
  tasks: readonly PlannerTaskInput[],
  drafts: readonly Draft[],
  ids: ReadonlyMap<Draft, string>,
  conditions: readonly SaidCondition[],
  text: string,
): { readonly tasks: PlannerTaskInput[]; readonly open: readonly SaidCondition[] } {
  const result = [...tasks];
  const open: SaidCondition[] = [];
  for (const condition of conditions) {
    const guarded = guardedBy(condition, drafts, text);
    const sources = drafts.filter((draft) => !guarded.has(draft) && !waitsFor(draft, guarded));
    const expression = guarded.size === 0 ? undefined : expressionOf(condition.text, sources, ids);
    if (expression === undefined) {
      open.push(condition);
      continue;
    }
    for (const [at, draft] of drafts.entries()) {
      if (!guarded.has(draft)) continue;
      const task = result[at]!;
      const both = task.when === undefined ? expression : `(${task.when.condition}) and (${expression})`;
      result[at] = { ...task, when: { condition: both } };
    }
  }
  return { tasks: result, open };
}

/** What follows the condition in its sentence; where nothing does, the last thing before it. */
function guardedBy({ start, end }: SaidCondition, drafts: readonly Draft[], text: string): ReadonlySet<Draft> {
  const from = Math.max(...[". ", "! ", "? ", "; ", "\n"].map((mark) => text.lastIndexOf(mark, start))) + 1;
  const [rest = ""] = /^[\s\S]*?(?:[.!?;](?=\s|$)|\n|$)/.exec(text.slice(end)) ?? [];
  const until = end + rest.length;
  const placed = drafts.flatMap((draft) => {
    const [first] = draft.clause.tokens;
    const last = draft.clause.tokens.at(-1);
    return first === undefined || last === undefined ? [] : [{ draft, first: first.start, last: last.end }];
  });
  const after = placed.filter((each) => each.first >= start && each.last > end && each.last <= until);
  if (after.length > 0) return new Set(after.map(({ draft }) => draft));
  const before = placed.filter((each) => each.first >= from && each.first < start);
  const nearest = before.reduce((latest, { first }) => Math.max(latest, first), -1);
  return new Set(before.filter(({ first, draft }) => first === nearest && !draft.support).map(({ draft }) => draft));
}

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

/** The JSONata expression that a condition in words is; undefined where no output is known to decide it. */
function expressionOf(said: string, sources: readonly Draft[], ids: ReadonlyMap<Draft, string>): string | undefined {
  const words = said
    .toLowerCase()
    .replace(/^(?:only\s+)?(?:if|unless|provided|assuming)\s+(?:that\s+)?/, "")
    .replaceAll(/n['’]t\b/g, " not");
  const found = numberCompared(words, sources, ids) ?? rowsExist(words, sources, ids) ?? fieldSays(words, sources, ids);
  if (found === undefined) return undefined;
  return /^unless\b/i.test(said.trim()) ? `$not(${found})` : found;
}

function numberCompared(words: string, sources: readonly Draft[], ids: ReadonlyMap<Draft, string>): string | undefined {
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
function rowsExist(words: string, sources: readonly Draft[], ids: ReadonlyMap<Draft, string>): string | undefined {
  const there = /^there (?:is|are|was|were)\b(.*)$/.exec(words);
  const found = /^(?:any|some|one|none|nothing|no)\b(.*)\b(?:found|exists?|left|listed|returned)\b/.exec(words);
  const rest = there?.[1] ?? found?.[1];
  if (rest === undefined) return undefined;
  const rows = onlyRows(rest, sources, ids);
  if (rows === undefined) return undefined;
  const isNone = /\b(?:no|not|none|nothing)\b/.test(words);
  return `$count(\${${rows}}) ${isNone ? "=" : ">"} 0`;
}

/** "It is available", "the status is shipped". */
function fieldSays(words: string, sources: readonly Draft[], ids: ReadonlyMap<Draft, string>): string | undefined {
  const [, subject = "", not, predicate] = /^(.*?)\b(?:is|are|was|were)\s+(not\s+)?(.+?)[.,!]?$/.exec(words) ?? [];
  if (predicate === undefined) return undefined;
  const flag = onlyField(predicate, sources, ({ types }) => types.has("boolean"));
  if (flag !== undefined) {
    const reference = `\${${referenceTo(flag, ids)}}`;
    return not === undefined ? reference : `$not(${reference})`;
  }
  if (!/^[\p{L}\p{N}_-]+$/u.test(predicate)) return undefined;
  const field = onlyField(subject, sources, ({ types }) => types.has("string"));
  if (field === undefined) return undefined;
  return `\${${referenceTo(field, ids)}} ${not === undefined ? "=" : "!="} ${JSON.stringify(predicate)}`;
}

interface NamedField {
  readonly draft: Draft;
  readonly field: OutputField;
}

/** A field is meant only if the words contain at least this share of its name. */
const minShareOfName = 0.5;

/** The field whose name the words contain most of, among outputs that are one record; undefined where two fit equally well. */
function onlyField(
  words: string,
  sources: readonly Draft[],
  fits: (field: OutputField) => boolean,
): NamedField | undefined {
  const said = stemsOf(words);
  let best: { readonly found: NamedField; readonly score: number } | undefined;
  let isTied = false;
  for (const draft of sources) {
    const { output } = draft.profile;
    if (!output.known || output.many) continue;
    for (const field of output.fields) {
      if (field.stems.length === 0 || !fits(field)) continue;
      const score = field.stems.filter((each) => said.has(each)).length / field.stems.length;
      if (score < minShareOfName || (best !== undefined && score < best.score)) continue;
      isTied = best !== undefined && score === best.score;
      best = { found: { draft, field }, score };
    }
  }
  return isTied ? undefined : best?.found;
}

/** The rows that the words name; where they name none, those of the only list there is. */
function onlyRows(words: string, sources: readonly Draft[], ids: ReadonlyMap<Draft, string>): string | undefined {
  const said = stemsOf(
    words.replaceAll(/\b(?:any|some|one|at least|a|an|no|not|of|them|these|those|there|is|are)\b/g, " "),
  );
  const lists = sources.filter(({ profile }) => profile.output.known && profile.output.many);
  const named = lists.filter(({ profile }) => [...profile.entity.map(stem)].some((each) => said.has(each)));
  const fitting = said.size === 0 ? lists : named;
  const [draft] = fitting;
  return draft === undefined || fitting.length > 1 ? undefined : `${ids.get(draft) ?? ""}${draft.profile.output.rows}`;
}

function referenceTo({ draft, field }: NamedField, ids: ReadonlyMap<Draft, string>): string {
  return `${ids.get(draft) ?? ""}${draft.profile.output.rows}${path(field.name)}`;
}

function stemsOf(words: string): ReadonlySet<string> {
  return new Set((words.match(/[\p{L}\p{N}]+/gu) ?? []).map(stem));
}
