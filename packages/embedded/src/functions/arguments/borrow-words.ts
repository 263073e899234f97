import { allows } from "../../catalogue/allows.ts";
import { idAgreement } from "../../catalogue/id-forms.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue, key, makeDraft } from "../../draft/draft.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { findSpans } from "../../language/clauses/spans.ts";
import { sameStem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { weakNames } from "../../language/text/weak-names.ts";
import { identifies } from "../segmenting/identified.ts";
import { fillCall } from "./fill-call.ts";
import type { FunctionPlanning } from "./function-planning.ts";
import { type CallInText, fillLeftOverNamed } from "./left-over-named.ts";
import { fillLeftOverObjects } from "./left-over-objects.ts";
import { fillLeftOverOwners } from "./left-over-owners.ts";
import { fillLeftOverPlaces } from "./left-over-places.ts";
import { fillLeftOverTexts } from "./left-over-texts.ts";
import { isNoId } from "./outright-rules.ts";
import { isTextual } from "./parameter-reading.ts";
import { extendTopics } from "./whole-topics.ts";
import { withoutUsed } from "./without-used.ts";

/** Words of another call are borrowed only for a value that is at least this likely. */
const minBorrowedLikelihood = 0.2;

/**
 * Where one call's words end and the next one's begin is a guess. A required argument that is still open takes a value
 * from what the goal says right before and after, if no call used it. Linear in the calls.
 * @param known as many of the calls are known from before and stay as they are
 */
export function borrowWords(
  calls: readonly CallInText[],
  goal: readonly Token[],
  planning: FunctionPlanning,
  known: number,
): void {
  const all = calls.flatMap((call) => call.drafts);
  const unused = (call: CallInText | undefined) =>
    call === undefined ? [] : all.reduce((left, draft) => withoutUsed(left, draft), [...call.tokens]);
  calls.forEach((call, at) => {
    const { draft } = call;
    const open = at < known ? [] : missingArguments(draft);
    if (open.length === 0 || !call.drafts.includes(draft)) return;
    const tokens = [...unused(calls[at - 1]), ...unused(call), ...unused(calls[at + 1])];
    const again = makeDraft(draft.profile, draft.clause, draft.phrase);
    for (const [slot, each] of draft.filled) again.filled.set(slot, each);
    const earlier = calls.slice(0, at).flatMap((other) => other.drafts);
    fillCall(again, findSpans(planning.text, tokens, planning.catalogue), tokens, earlier, planning);
    for (const parameter of open) {
      const found = again.filled.get(key(parameter));
      if (found?.filling.kind === "value" && (found.filling.origin?.likelihood ?? 0) >= minBorrowedLikelihood)
        draft.filled.set(key(parameter), found);
    }
  });
  const own = calls.slice(known);
  const drafts = own.flatMap((call) => call.drafts);
  for (const draft of drafts)
    for (const parameter of [...missingArguments(draft), ...standIns(draft)]) takeLabelled(draft, parameter, goal);
  fillLeftOverNamed(own);
  fillLeftOverPlaces(drafts, goal, planning.catalogue.knows);
  fillLeftOverOwners(drafts, goal, planning.text);
  fillLeftOverObjects(drafts, goal, planning.catalogue.knows);
  fillLeftOverTexts(drafts, goal, planning.text, planning.catalogue.knows);
  extendTopics(drafts, goal, planning.text);
}

/** Ids for which only a description offers what is there anyway: what the goal says elsewhere is meant rather than that. */
const standIns = ({ profile, filled }: Draft): readonly Parameter[] =>
  profile.parameters.filter(
    (parameter) =>
      parameter.required &&
      parameter.isIdentifier &&
      parameter.fallback !== undefined &&
      !Object.hasOwn(parameter.schema, "default") &&
      !filled.has(key(parameter)),
  );

/** What a value that is named elsewhere in the goal is thought to be worth: it is right more often than not. */
const likelihoodOfLabelled = 0.6;

/**
 * "The customer C98 reports … then make a ticket": an id that a call still lacks is the written value that comes after its noun
 * anywhere in the goal, if there is just one. O(tokens).
 */
function takeLabelled(draft: Draft, parameter: Parameter, goal: readonly Token[]): void {
  const { profile } = draft;
  if (!parameter.isIdentifier || !isTextual(parameter)) return;
  const nouns = parameter.stems.filter((each) => !weakNames.has(each));
  // "task T5" says nothing of `task_list_id` where another argument takes tasks.
  const isMeant = (noun: string) =>
    identifies(parameter, noun, profile) ||
    (nouns.some((each) => sameStem(each, noun)) &&
      !profile.parameters.some((other) => identifies(other, noun, profile)));
  // "text the passenger: we are sorry": an id has no spaces, and is not the text of the same call.
  const isFree = ({ start }: Token) =>
    [...draft.filled.values()].every(
      ({ filling }) => filling.kind !== "value" || filling.origin?.source !== "goal" || filling.origin.start !== start,
    );
  const said = goal.filter((token, at) => {
    if (token.kind !== "literal" && token.kind !== "quoted") return false;
    if (!isFree(token) || isNoId({ kind: token.kind, text: writtenValue(token) }, parameter)) return false;
    let before = at - 1;
    while (before > at - 4 && linking.has(goal[before]?.lower ?? "")) before -= 1;
    const noun = goal[before];
    return noun?.kind === "word" && isMeant(noun.stem);
  });
  const values = new Set(said.map(writtenValue));
  const [token] = said;
  if (token === undefined || values.size !== 1) return;
  const text = writtenValue(token);
  if (!allows(parameter, text) || idAgreement(parameter, text) === false) return;
  fillValue(draft, parameter, text, { source: "goal", text, start: token.start, likelihood: likelihoodOfLabelled });
}

const writtenValue = ({ value, text }: Token) => (typeof value === "string" ? value : text);
/** Words between a noun and its id. */
const linking: ReadonlySet<string> = new Set(["id", "number", "no", "code", "is", "with", "#", ":", "="]);
