import { allows } from "../../catalogue/allows.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue, key } from "../../draft/draft.ts";
import { emptyNouns } from "../../language/text/lexicon.ts";
import { singular } from "../../language/text/singular.ts";
import { sameStem } from "../../language/text/stem.ts";
import { sliceOf, type Token } from "../../language/text/token.ts";
import { isTextual } from "./parameter-reading.ts";
import { withoutUsed } from "./without-used.ts";

/** It is a guess, right more often than not. */
const likelihood = 0.6;

/**
 * "Assign all jobs of Kurt to Lena", "close Kurt's jobs": a name behind or before the noun of the rows that are listed, which no argument took, says whose
 * they are, where the rows have just one text that the list can be asked for by and that is not said yet. O(tokens x drafts).
 */
export function fillLeftOverOwners(drafts: readonly Draft[], goal: readonly Token[], text: string): void {
  const listing = drafts.flatMap((draft) => {
    const parameter = ownerOf(draft);
    return parameter === undefined ? [] : [{ draft, parameter }];
  });
  if (listing.length === 0) return;
  const left = drafts.reduce<readonly Token[]>((tokens, draft) => withoutUsed(tokens, draft), goal);
  for (const { draft, parameter } of listing) {
    const noun = draft.profile.entity.at(-1);
    const names = left.flatMap((token, at) =>
      token.kind === "word" && singular(token.lower) === noun ? (nameBeside(left, at) ?? []) : [],
    );
    const [first, last] = [names[0], names.at(-1)];
    if (first === undefined || last === undefined) continue;
    const said = sliceOf(text, first, last);
    if (allows(parameter, said))
      fillValue(draft, parameter, said, { source: "goal", text: said, start: first.start, likelihood });
  }
}

/** The only open text of a tool that lists rows, for a field that they have. */
function ownerOf({ profile, filled }: Draft): Parameter | undefined {
  const { parameters, output, effect } = profile;
  if (effect !== "reads" || !output.known || !output.many) return undefined;
  const isField = ({ stems }: Parameter) =>
    output.fields.some(
      (field) => stems.length > 0 && stems.every((each) => field.stems.some((own) => sameStem(own, each))),
    );
  const [only, more] = parameters.filter(
    (parameter) =>
      isTextual(parameter) &&
      parameter.takesOne &&
      parameter.choices.length === 0 &&
      parameter.format === "" &&
      !parameter.isIdentifier &&
      !parameter.isCredential &&
      !parameter.holdsDay &&
      !filled.has(key(parameter)) &&
      isField(parameter),
  );
  return more === undefined ? only : undefined;
}

/** "jobs of Kurt Meyer", "Kurt's jobs": capitalised words. */
function nameBeside(tokens: readonly Token[], at: number): readonly Token[] | undefined {
  const isName = (token: Token | undefined) => token?.kind === "word" && token.capital && !emptyNouns.has(token.lower);
  const before = tokens[at - 1];
  if (before?.possessive === true && isName(before)) {
    const from = isName(tokens[at - 2]) && at >= 3 ? at - 2 : at - 1;
    return tokens.slice(from, at);
  }
  if (tokens[at + 1]?.lower !== "of" && tokens[at + 1]?.lower !== "by") return undefined;
  let end = at + 2;
  while (isName(tokens[end]) && end < at + 5) end += 1;
  return end === at + 2 ? undefined : tokens.slice(at + 2, end);
}
