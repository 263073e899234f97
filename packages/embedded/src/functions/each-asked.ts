import type { Parameter } from "../catalogue/parameter.ts";
import { type Draft, key } from "../draft/draft.ts";
import type { Unresolved } from "../draft/unresolved.ts";
import { isContent } from "../language/text/content-words.ts";
import { determiners, prepositions } from "../language/text/lexicon.ts";
import { singular } from "../language/text/singular.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import { objectOfTool } from "./segmenting/object-of-act.ts";

/**
 * "Read every file in /srv" by a tool that reads one: where a single call was made for each of several things, and no output lists them, the plan does not do
 * what is asked. O(drafts · words)
 * @param listed drafts that are executed for each row of a list
 * @param isKind whether the stem is a value that some resource allows
 */
export function reportEach(
  drafts: readonly Draft[],
  listed: ReadonlySet<Draft>,
  ids: ReadonlyMap<Draft, string>,
  isKind: (stem: string) => boolean,
): Unresolved[] {
  return drafts.flatMap((draft) => {
    const isOnly = drafts.every((other) => other === draft || other.profile !== draft.profile);
    const taken = draft.profile.parameters.find(
      (each) => each.required && each.takesOne && draft.filled.get(key(each))?.filling.kind === "value",
    );
    const isOne = isOnly && !listed.has(draft) && taken !== undefined;
    const said = isOne
      ? (eachSaid(draft, taken) ?? (listed.size === 0 ? madeForEach(draft) : undefined) ?? kindTaken(draft, isKind))
      : undefined;
    if (said === undefined || taken === undefined) return [];
    const name = taken.path.join(".");
    const message = `\`${draft.profile.label}\` takes one \`${name}\`, and no tool lists what it takes as rows: this is one call for "${said}". Name each, or give the task a list (\`for_each\`).`;
    return [{ reason: "first_only" as const, text: said, message, task_id: ids.get(draft) ?? "" }];
  });
}

/** "Make a label for each late parcel": a change that is asked for once for each of other things. */
function madeForEach({ clause: { tokens }, profile }: Draft): string | undefined {
  const at = tokens.findIndex(
    ({ lower }, place) => lower === "for" && /^(?:each|every)$/.test(tokens[place + 1]?.lower ?? ""),
  );
  const isAct = profile.effect === "changes" && !profile.parameters.some((each) => each.required && each.takesList);
  if (at < 0 || !isAct || tokens[at + 2]?.kind !== "word") return undefined;
  return tokens
    .slice(at, at + 5)
    .map(({ text }) => text)
    .join(" ");
}

/** "Remove all tenors", "remove the tenors" where tenors are a kind of what some tool lists: an argument took several things as the name of one. */
function kindTaken(
  { clause: { tokens }, profile, filled }: Draft,
  isKind: (stem: string) => boolean,
): string | undefined {
  if (profile.effect === "reads") return undefined;
  for (const { parameter, filling } of filled.values()) {
    if (!parameter.required || !parameter.takesOne || parameter.choices.length > 0 || filling.kind !== "value")
      continue;
    const { start, text } = filling.origin ?? {};
    const at = tokens.findIndex((token) => token.start === start);
    const [noun, before] = [tokens[at], tokens[at - 1]?.lower ?? ""];
    if (noun?.kind !== "word" || noun.capital || noun.text !== text || noun.noun === noun.lower) continue;
    if (before === "all" || (determiners.has(before) && isKind(noun.stem))) return `${before} ${text}`;
  }
  return undefined;
}

/** Words that may be between "every" and the noun: "every unhealthy old service". */
const maxWordsBetween = 2;

/** "every file", "all files" or "each of them", where the tool takes one such thing and no list of them. */
function eachSaid({ clause: { tokens }, profile }: Draft, taken: Parameter): string | undefined {
  const object = objectOfTool(profile);
  const isForOne = profile.nameWords.some((word) => sameStem(stem(word), object) && singular(word) === word);
  const nouns = [...(object !== "" && isForOne ? [object] : []), ...(taken.isIdentifier ? taken.entity : []).map(stem)];
  if (nouns.length === 0 || profile.parameters.some((each) => each.required && each.takesList)) return undefined;
  for (const [at, { lower }] of tokens.entries()) {
    if (!/^(?:each|every|all)$/.test(lower)) continue;
    let next = at + 1;
    while (/^(?:one|of|the|my|our|these|those|its|single)$/.test(tokens[next]?.lower ?? "")) next += 1;
    if (tokens[next]?.lower === "them" && lower !== "all") return `${lower} of them`;
    const isOfMany = lower === "all" || next > at + 1;
    for (const noun of tokens.slice(next, next + 1 + maxWordsBetween)) {
      if (noun.kind !== "word" || !isContent(noun.lower) || prepositions.has(noun.lower)) break;
      if (nouns.some((each) => sameStem(noun.stem, each)) && (noun.noun !== noun.lower) === isOfMany)
        return tokens
          .slice(at, tokens.indexOf(noun) + 1)
          .map(({ text }) => text)
          .join(" ");
    }
  }
  return undefined;
}
