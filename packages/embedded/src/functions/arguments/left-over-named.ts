import { allows } from "../../catalogue/allows.ts";
import { idAgreement, isNumberOfThing } from "../../catalogue/id-forms.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue, key } from "../../draft/draft.ts";
import { isContent } from "../../language/text/content-words.ts";
import { sameStem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { weakNames } from "../../language/text/weak-names.ts";
import { isTextual } from "./parameter-reading.ts";
import { withoutUsed } from "./without-used.ts";

/** It is a guess, right more often than not. */
const likelihood = 0.6;

/** A call with the words that were read as its own. */
export interface CallInText {
  readonly tokens: readonly Token[];
  readonly draft: Draft;
  readonly drafts: readonly Draft[];
}

/**
 * "the gate west-end": a written value right behind a noun that no argument took goes to the only open argument of its call that is called
 * after the noun or whose description speaks of it (`path`: "Path of the gate"). O(tokens x parameters).
 */
export function fillLeftOverNamed(calls: readonly CallInText[]): void {
  const all = calls.flatMap(({ drafts }) => drafts);
  for (const { tokens, draft, drafts } of calls) {
    if (!drafts.includes(draft)) continue;
    const left = all.reduce<readonly Token[]>((rest, each) => withoutUsed(rest, each), tokens);
    left.forEach((token, at) => {
      if (token.kind !== "literal" && token.kind !== "quoted") return;
      const noun = left[at - 1];
      if (noun?.kind !== "word" || !isContent(noun.lower) || weakNames.has(noun.stem)) return;
      const text = typeof token.value === "string" ? token.value : token.text;
      const parameter = takerOf(draft, noun.stem, text);
      if (parameter !== undefined)
        fillValue(draft, parameter, text, { source: "goal", text, start: token.start, likelihood });
    });
  }
}

function takerOf(draft: Draft, noun: string, text: string): Parameter | undefined {
  const open = draft.profile.parameters.filter(
    (parameter) =>
      isTextual(parameter) &&
      parameter.takesOne &&
      parameter.choices.length === 0 &&
      parameter.format === "" &&
      !parameter.isCredential &&
      !parameter.holdsDay &&
      !draft.filled.has(key(parameter)) &&
      allows(parameter, text) &&
      idAgreement(parameter, text) !== false &&
      !isNumberOfThing(parameter, text),
  );
  const called = open.filter(({ stems }) => stems.some((each) => sameStem(each, noun)));
  const meant = called.length > 0 ? called : open.filter(({ about }) => about.has(noun));
  const [only, more] = meant;
  return more === undefined ? only : undefined;
}
