import type { PlannerTaskInput } from "@planloom/plan";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { type OutputField, path } from "../catalogue/output-shape.ts";
import { rowNounsOf } from "../catalogue/row-nouns.ts";
import { isVerb } from "../language/text/actions.ts";
import { isContent } from "../language/text/content-words.ts";
import { calledLikePeople } from "../language/text/lexicon.ts";
import { isParticiple } from "../language/text/participle.ts";
import { splitName } from "../language/text/split-name.ts";
import { stem } from "../language/text/stem.ts";
import { sliceOf, type Token } from "../language/text/token.ts";
import { type Draft, sourcesOf, takenBy } from "./draft.ts";
import { expressionOf } from "./said-conditions.ts";
import type { OpenPoint } from "./unresolved.ts";

/** What became of the words that the list itself had no argument for. */
export interface FilteredRows {
  readonly tasks: PlannerTaskInput[];
  /** The open points that conditions on rows answer. */
  readonly heard: ReadonlySet<OpenPoint>;
  /** Words that select rows, and that no field of theirs says. */
  readonly unheard: readonly OpenPoint[];
}

/** Words before what is compared that may name the field: "with a battery below 20". */
const maxWordsBefore = 4;
/** Letters that the name of a field and a word for what it holds have in common: "assigned" and `assignee`. */
const minRoot = 5;

/**
 * "Merge every mergeable request" where the list has no argument for it and its rows have a field `mergeable`: the task is executed for those rows alone (`when`), and for all where no field
 * says what is meant. O(open points x tasks x fields)
 * @param drafts in the order of `tasks`. @param listed those that are executed for each row of another's output. @param text the goal
 */
export function withFilteredRows(
  tasks: readonly PlannerTaskInput[],
  drafts: readonly Draft[],
  listed: ReadonlySet<Draft>,
  points: readonly OpenPoint[],
  { text, catalogue }: { readonly text: string; readonly catalogue: Catalogue },
): FilteredRows {
  const heard = new Set<OpenPoint>();
  const unheard: OpenPoint[] = [];
  const result = tasks.map((task, at) => {
    const draft = drafts[at]!;
    const source = listed.has(draft) && draft.profile.effect !== "reads" ? rowsOf(draft) : undefined;
    if (source === undefined) return task;
    const said = points.filter(({ reason, draft: of }) => reason === "no_parameter" && (of === source || of === draft));
    const own = [...said, ...selectingWords(draft, source, points, text)];
    const conditions = own.flatMap((point) => {
      const condition = conditionOn(source, point.text, text, catalogue);
      if (condition === undefined) return [];
      heard.add(point);
      return [condition];
    });
    // "with a budget over 5000": the field is named beside what it is compared with.
    const compared = source.profile.output.fields.filter(({ name }) =>
      conditions.some((each) => each.includes(`item${path(name)}`)),
    );
    for (const point of own) {
      const words = splitName(point.text).filter(isContent).map(stem);
      const isPart = [...heard].some((other) => other !== point && other.text.includes(unquoted(point.text)));
      if (isPart || words.every((word) => compared.some(({ stems }) => stems.includes(word)))) heard.add(point);
    }
    unheard.push(...own.filter((point) => !said.includes(point) && !heard.has(point)));
    const all = [...(task.when === undefined ? [] : [task.when.condition]), ...conditions];
    if (conditions.length === 0) return task;
    return { ...task, when: { condition: all.length === 1 ? all[0]! : all.map((each) => `(${each})`).join(" and ") } };
  });
  return { tasks: result, heard, unheard };
}

/** Words between "all" and the noun: "all the old red valves". */
const maxWordsOfAll = 5;

/**
 * "late" of "merge all late requests" and of "merge all requests that are late", "of ada" of "merge all requests of ada", where no argument took it and no open point says so.
 */
function selectingWords(draft: Draft, source: Draft, points: readonly OpenPoint[], goal: string): OpenPoint[] {
  const { tokens } = draft.clause;
  const nouns = new Set([...source.profile.entity, ...draft.profile.entity, ...rowNounsOf(source.profile)]);
  const taken = [source, draft].flatMap(takenBy);
  const all = tokens.findIndex(({ lower }) => /^(?:all|every|each)$/.test(lower));
  const at = all < 0 ? tokens.findIndex(({ lower }) => /^(?:the|my|our|these|those)$/.test(lower)) : all;
  // "the hall lamps": a value that the list took may be the noun.
  const isNoun = ({ kind, noun, lower, start }: Token) =>
    kind === "word" && (nouns.has(noun) || (noun !== lower && taken.some(([from, to]) => start >= from && start < to)));
  const end = tokens.findIndex((token, place) => place > at && isNoun(token));
  if (at < 0 || end < 0 || end - at > maxWordsOfAll) return [];
  const isOpen = (words: readonly Token[]) =>
    words.length > 0 &&
    !words.some(({ start }) => taken.some(([from, to]) => start >= from && start < to)) &&
    !points.some(({ text }) => words.some((word) => text.includes(word.text)));
  const isSelecting = ({ kind, lower, noun }: Token) =>
    kind === "word" && isContent(lower) && !nouns.has(noun) && !isVerb(lower);
  const adjectives = [...tokens.slice(at + 1, end), ...predicateAt(tokens, end + 1)].filter(isSelecting);
  const owner = ownerAt(tokens, end + 1);
  const said = [...adjectives.map((word) => [word]), ...(isOpen(owner.slice(1)) ? [owner] : [])];
  return said.filter(isOpen).map((words) => {
    const text = sliceOf(goal, words[0]!, words.at(-1)!);
    const message = `Nothing that \`${source.profile.label}\` gives says what is "${text}": the call would be made for all.`;
    return { reason: "no_parameter" as const, text, message, draft };
  });
}

/** "late" of "that are late", "that are not late". */
function predicateAt(tokens: readonly Token[], at: number): readonly Token[] {
  const [link, being, not] = [tokens[at]?.lower ?? "", tokens[at + 1]?.lower ?? "", tokens[at + 2]?.lower ?? ""];
  if (!/^(?:that|which|who)$/.test(link) || !/^(?:is|are|were|was)$/.test(being)) return [];
  return tokens.slice(at + 2 + Number(not === "not")).slice(0, 1);
}

/** "of ada" and "by Ada Moss" at the end, also behind "written" or "assigned". */
function ownerAt(tokens: readonly Token[], at: number): readonly Token[] {
  const from = tokens[at] !== undefined && isParticiple(tokens[at]) ? at + 1 : at;
  const words = tokens.slice(from).filter(({ text }) => !/^[.!?]$/.test(text));
  const isName = words.length > 1 && words.length <= 4 && words.slice(1).every(isNamePart);
  return isName && /^(?:of|by|to)$/.test(words[0]!.lower) ? words : [];
}

const isNamePart = ({ kind, lower, noun }: Token): boolean => kind === "word" && isContent(lower) && noun === lower;

/** The list whose rows the task is executed for. */
function rowsOf(draft: Draft): Draft | undefined {
  const lists = [...new Set(sourcesOf(draft))].filter(({ profile: { output } }) => output.known && output.many);
  return lists.length === 1 && !lists[0]!.profile.output.plain ? lists[0] : undefined;
}

/** What the words say of a row, as an expression over `item`. */
function conditionOn(source: Draft, said: string, goal: string, catalogue: Catalogue): string | undefined {
  const { output } = source.profile;
  const row: Draft = {
    ...source,
    filled: new Map(),
    profile: { ...source.profile, output: { ...output, many: false, rows: "" } },
  };
  const deciding = { sources: [row], ids: new Map([[row, "item"]]), catalogue };
  const at = goal.indexOf(said);
  const before = goal.slice(0, Math.max(0, at)).trim().split(/\s+/).slice(-maxWordsBefore).join(" ");
  const isNegated = /\b(?:not|isn't|aren't|non)[ -]$/i.test(goal.slice(0, Math.max(0, at)));
  const owner = nameGiven(said, before, output.fields) ?? ownerSaid(said, before, output.fields);
  if (owner !== undefined)
    return `$lowercase($string(\${item${path(owner.field.name)}?})) = ${JSON.stringify(owner.name)}`;
  for (const says of [`it is ${said}`, `${before} is ${said}`]) {
    const found = expressionOf(
      { start: 0, end: 0, text: said, places: [], says, isNegated, refersBack: false },
      deciding,
    );
    if (found !== undefined && !found.isGuess) return ofEachRow(found.text);
  }
  return undefined;
}

/** The condition for rows of which some have no such field, or null in it: what is not known of a row does not hold for it. */
function ofEachRow(condition: string): string {
  const flag = /^(\$not\()?\$\{(item[^}]*)\}\)?$/.exec(condition);
  if (flag !== null) return `\${${flag[2]}?} = ${flag[1] === undefined}`;
  const [, compared] = /^\$\{(item[^}]*)\} [<>]=? /.exec(condition) ?? [];
  const known = condition.replaceAll(/\$\{(item[^}]*)\}/g, "${$1?}");
  return compared === undefined ? known : `$type(\${${compared}?}) = "number" and ${known}`;
}

const unquoted = (text: string): string => text.replaceAll(/^["'“‘]|["'”’]$/gu, "");

/** "named Ada Moss", "called Apollo": the only field for what a row is called. */
function nameGiven(said: string, before: string, fields: readonly OutputField[]) {
  const [field, other] = fields.filter(({ name }) => /^(?:name|title|label|full_?name)$/i.test(name));
  const isNamed = /\b(?:named|called|titled)\s*["'“‘]?$/iu.test(before) && field !== undefined && other === undefined;
  // What would be read as a reference stays open.
  return isNamed && !said.includes("${") ? { field, name: unquoted(said).toLowerCase() } : undefined;
}

/** "of Ada Moss", "assigned to ada": the only field that names somebody, or the one that the word before is called after. */
function ownerSaid(said: string, before: string, fields: readonly OutputField[]) {
  const [, name = ""] = /^(?:of|by|to|from) (\p{L}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*){0,2})$/u.exec(said) ?? [];
  const texts = fields.filter(({ types, isIdentifier }) => types.has("string") && !isIdentifier);
  const verb = before.split(" ").at(-1)?.toLowerCase() ?? "";
  const root = stem(verb).slice(0, minRoot);
  const called = texts.filter((field) => root.length === minRoot && field.stems.some((each) => each.startsWith(root)));
  const people = texts.filter((field) => splitName(field.name).some((word) => calledLikePeople.has(word)));
  const own = called.length > 0 ? called : people;
  const [field, other] = own;
  return name === "" || field === undefined || other !== undefined ? undefined : { field, name: name.toLowerCase() };
}
