import { sortsOf } from "../../catalogue/acts-of.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { type Draft, fillValue, isGiven } from "../../draft/draft.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { isContent } from "../../language/text/content-words.ts";
import type { Token } from "../../language/text/token.ts";
import { isSearchedThing } from "../segmenting/object-of-act.ts";
import { holdsTopic, topicAt } from "./topics.ts";
import { withoutUsed } from "./without-used.ts";

/** It is a guess, right more often than not. */
const likelihood = 0.6;

/**
 * "search tasks about harvest", "set the key greeting to hello", "hand #42 to eve": a subject that was announced, what something is set to, and who gets it, go to the open argument that is
 * for just that, where no argument took them. O(tokens x drafts)
 */
export function fillLeftOverTexts(
  drafts: readonly Draft[],
  goal: readonly Token[],
  text: string,
  knows: (stem: string) => boolean,
): void {
  for (const draft of drafts) {
    if (draft.support) continue;
    const own = new Set(draft.clause.tokens.map(({ start }) => start));
    const left = drafts
      .reduce<readonly Token[]>((rest, each) => withoutUsed(rest, each), goal)
      .map((token, at) =>
        own.has(goal[at]!.start) ? token : { ...token, kind: "break" as const, lower: "", text: "" },
      );
    fillWith(
      draft,
      (name) => name === "value" && setsKeys(draft.profile),
      () => setTo(left),
      left,
      text,
    );
    fillReceiver(draft, left, text, knows);
    if (draft.profile.effect === "reads" && sortsOf(draft.profile).has("search")) fillTopic(draft, left, text);
  }
}

/** Who gets something is a word that no tool knows, and the only argument that lacks a value takes one who does. */
function fillReceiver(draft: Draft, left: readonly Token[], text: string, knows: (stem: string) => boolean): void {
  const [parameter, more] = missingArguments(draft);
  if (parameter === undefined || more !== undefined || !holdsReceiver(parameter)) return;
  const stretch = setTo(left);
  if (stretch === undefined || stretch.to - stretch.from > maxWordsOfName) return;
  if (left.slice(stretch.from, stretch.to).some((token) => knows(token.stem) || !isContent(token.lower))) return;
  fill(draft, parameter, stretch, left, text);
}

const maxWordsOfName = 3;

const holdsReceiver = ({ words, types, choices, format, takesOne, isIdentifier }: Parameter): boolean =>
  types.has("string") &&
  takesOne &&
  !isIdentifier &&
  choices.length === 0 &&
  format === "" &&
  receivers.test(words.at(-1) ?? "");
const receivers = /^(?:to|assignee|owner|recipient|receiver|user|username|person|member|agent|reviewer|team|group)$/;

function fillTopic(draft: Draft, left: readonly Token[], text: string): void {
  const open = draft.profile.parameters.filter((each) => holdsTopic(each) && each.path.length === 1);
  const [parameter, more] = open;
  if (parameter === undefined || more !== undefined || isGiven(draft, parameter) || parameter.choices.length > 0)
    return;
  const topics = left.flatMap((_, at) => topicAt(left, at) ?? []).filter(({ weight }) => weight === 1);
  const [topic, other] = topics;
  if (topic === undefined || other !== undefined) return;
  // "about harvest in shelf 9": the subject ends before what an argument took, and before the words that lead to it.
  const isTaken = (token: Token | undefined) => token?.kind === "break";
  const place = left.findIndex(
    ({ lower }, at) =>
      at > topic.from &&
      at < topic.to &&
      /^(?:in|of|on|at|from|to|with|for)$/.test(lower) &&
      (isTaken(left[at + 1]) || isTaken(left[at + 2]) || isTaken(left[at + 3])),
  );
  const subject = { from: topic.from, to: place < 0 ? topic.to : place };
  if (!isSearchedThing(left.slice(subject.from, subject.to), draft.profile))
    fill(draft, parameter, subject, left, text);
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

function fillWith(
  draft: Draft,
  isMeant: (name: string) => boolean,
  find: () => Stretch | undefined,
  left: readonly Token[],
  text: string,
): void {
  const parameter = draft.profile.parameters.find((each) => each.required && isMeant(each.words.at(-1) ?? ""));
  if (parameter === undefined || isGiven(draft, parameter) || !parameter.types.has("string")) return;
  const stretch = find();
  if (stretch !== undefined) fill(draft, parameter, stretch, left, text);
}

function fill(
  draft: Draft,
  parameter: Profile["parameters"][number],
  { from, to }: Stretch,
  left: readonly Token[],
  text: string,
): void {
  const words = left.slice(from, to);
  if (words.length === 0 || words.some(({ kind }) => kind === "break")) return;
  const [start, end] = [words[0]!.start, words.at(-1)!.end];
  const said = text.slice(start, end);
  fillValue(draft, parameter, parameter.takesOne ? said : [said], { source: "goal", text: said, start, likelihood });
}

/** It sets a key, a name or an option to a value. */
const setsKeys = ({ parameters }: Profile): boolean =>
  parameters.some(({ words, required }) => required && /^(?:key|name|setting|option)$/.test(words.at(-1) ?? ""));

/** "… to hello": the words behind the last "to". */
function setTo(left: readonly Token[]): Stretch | undefined {
  const at = left.findLastIndex(({ lower }) => lower === "to");
  if (at < 0) return undefined;
  let to = at + 1;
  while (
    left[to] !== undefined &&
    left[to]!.kind === "word" &&
    !/^(?:for|with|in|on|at|and|then)$/.test(left[to]!.lower)
  )
    to += 1;
  return to > at + 1 ? { from: at + 1, to } : undefined;
}
