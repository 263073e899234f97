import { verbStems } from "../catalogue/acts-of.ts";
import type { Profile } from "../catalogue/profile.ts";
import { findQuestions, type Question } from "../language/clauses/questions.ts";
import { actionsOfVerb } from "../language/text/actions.ts";
import { isParticiple } from "../language/text/participle.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import { type Token, tokenise } from "../language/text/token.ts";
import { type Draft, key, sourcesOf } from "./draft.ts";
import type { PlanningState } from "./planning-state.ts";

/** What takes an act back: a tool that does the act again is not meant by it. */
const takesBack = /^(?:undo|revert|reverse|rollback|unwind)$/;
/** "take back the transfer", "roll back": its first word. */
const takes = /^(?:take|roll)$/;

/**
 * A question reads: what would change something is not called by "was B-1 moved?", "should we cancel it?" or "check whether it is
 * broken", nor is a call made again by "undo the move". What is left out is reported. O(tokens + drafts).
 */
export function dropAskedAbout(drafts: readonly Draft[], planning: PlanningState): Draft[] {
  const tokens = tokenise(planning.polite, planning.dates);
  const questions = findQuestions(tokens, planning.catalogue.verbs);
  const undone = tokens.flatMap((token, at) => {
    const isBack = takesBack.test(token.lower) || (takes.test(token.lower) && tokens[at + 1]?.lower === "back");
    return isBack && opens(tokens, at) ? [at] : [];
  });
  if (questions.length === 0 && undone.length === 0) return [...drafts];
  const dropped = new Set<Draft>();
  for (const draft of drafts) {
    const { profile } = draft;
    const start = draft.clause.tokens[0]?.start ?? -1;
    const end = draft.clause.tokens.at(-1)?.end ?? -1;
    const question =
      questions.find(({ from, to }) => start >= tokens[from]!.start && start < tokens[to - 1]!.end) ??
      questions.find((each) => saysActOnlyIn(draft, each, tokens));
    const back = tokens[undone.find((at) => tokens[at]!.start >= start && tokens[at]!.end <= end) ?? -1];
    const isAsked =
      question !== undefined && changesWhatIsAsked(profile, question, tokens) && !isRequested(draft, question, tokens);
    if (isAsked) {
      dropped.add(draft);
      const text = textOf(planning, tokens, question);
      const what = question.tells ? "only says how things are" : "is a question";
      const message = `"${text}" ${what}, and \`${profile.label}\` would change something, so it was left out. If it is to be called, ask for it: "${profile.nameWords.join(" ")} …".`;
      planning.unresolved.push({ reason: "no_resource", text, message });
    } else if (
      back !== undefined &&
      profile.effect !== "reads" &&
      !profile.nameWords.some((word) => takesBack.test(word) || word === "back")
    ) {
      dropped.add(draft);
      const message = `No tool takes back what was done: \`${profile.label}\` would do it again, so it was left out.`;
      planning.unresolved.push({ reason: "no_resource", text: planning.text.slice(back.start, end), message });
    }
  }
  return without(drafts, dropped);
}

/** It changes something, or is named by the act that the question speaks of. */
function changesWhatIsAsked(profile: Profile, { from, to, asksWhether }: Question, tokens: readonly Token[]): boolean {
  const { effect, resource, actions } = profile;
  if (mayOnlyRead(profile)) return false;
  // "What is the time in Lima when …" is answered by `convert_time`: by its verb alone a tool may as well work something out.
  if (!asksWhether && effect === "changes" && actions.has("update"))
    return resource.destructive === true || resource.read_only === false;
  if (effect !== "unknown") return effect === "changes";
  const verb = profile.nameWords[0] ?? "";
  if (!asksWhether || actionsOfVerb(verb).has("read")) return false;
  return tokens.slice(from, to).some((token) => token.kind === "word" && speaksOf(token, verb));
}

/** `action: "list" | "close"`: what it does is a value, and one of them reads. */
const mayOnlyRead = ({ parameters }: Profile): boolean =>
  parameters.some(
    ({ required, choices }) =>
      required && choices.some(({ value }) => /^(?:list|get|read|show|view|search|find|status)$/i.test(String(value))),
  );

/** "Ask Ann whether to move it": the act is said in the question alone, though the call took words before it. */
function saysActOnlyIn({ profile, clause }: Draft, { from, to }: Question, tokens: readonly Token[]): boolean {
  const acts = actsOf(profile);
  const said = clause.tokens.filter(({ kind, stem: word }) => kind === "word" && acts.has(word));
  const [first, last] = [tokens[from]!.start, tokens[to - 1]!.end];
  return said.length > 0 && said.every(({ start }) => start >= first && start < last);
}

const actsOf = (profile: Profile) => new Set([...verbStems(profile), stem(profile.nameWords[0] ?? "")]);

/** Words of the call behind the question name its act: "check whether it is ashore and move it". */
function isRequested({ profile, clause }: Draft, { to, tells }: Question, tokens: readonly Token[]): boolean {
  const end = tokens[to - 1]!.end;
  const acts = actsOf(profile);
  // "K-12 is leaking so scuttle it": the verb itself, not its participle.
  const isBare = ({ kind, lower }: Token) => kind === "word" && (lower === profile.nameWords[0] || acts.has(lower));
  if (tells && tokens.some(isBare)) return true;
  return clause.tokens.some(({ kind, start, stem: word }) => kind === "word" && start >= end && acts.has(word));
}

const speaksOf = (token: Token, verb: string) =>
  (token.lower === verb || isParticiple(token)) && sameStem(token.stem, stem(verb));

/** At the front of its sentence, or behind a conjunction. */
const opens = (tokens: readonly Token[], at: number) => {
  const before = tokens[at - 1];
  return before === undefined || before.kind !== "word" || /^(?:and|then|please|to|now|just)$/.test(before.lower);
};

const textOf = ({ text }: PlanningState, tokens: readonly Token[], { from, to }: Question) =>
  text.slice(tokens[from]!.start, tokens[to - 1]!.end);

/** Without these drafts, the look-ups that only they needed, and what others take from them. */
function without(drafts: readonly Draft[], dropped: Set<Draft>): Draft[] {
  for (const draft of drafts.toReversed()) {
    if (dropped.has(draft) || !draft.support) continue;
    const users = drafts.filter((other) => sourcesOf(other).includes(draft));
    if (users.length > 0 && users.every((user) => dropped.has(user))) dropped.add(draft);
  }
  const kept = drafts.filter((draft) => !dropped.has(draft));
  for (const draft of kept) {
    for (const gone of dropped) draft.after.delete(gone);
    for (const { parameter, filling } of [...draft.filled.values()]) {
      const sources =
        filling.kind === "link"
          ? [filling.link.source]
          : filling.kind === "composed"
            ? filling.composed.parts.flatMap((part) => (typeof part === "string" ? [] : [part.source]))
            : [];
      if (sources.some((source) => dropped.has(source))) draft.filled.delete(key(parameter));
    }
  }
  return kept;
}
