import type { Parameter } from "../catalogue/parameter.ts";
import { type Draft, key } from "../draft/draft.ts";
import type { Unresolved } from "../draft/unresolved.ts";
import { isContent } from "../language/text/content-words.ts";
import { prepositions } from "../language/text/lexicon.ts";
import { singular } from "../language/text/singular.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import { objectOfTool } from "./segmenting/object-of-act.ts";

/**
 * "Read every file in /srv" by a tool that reads one: where a single call was made for each of several things, and no output lists them, the plan does not do
 * what is asked. O(drafts · words)
 * @param listed drafts that are executed for each row of a list
 */
export function reportEach(
  drafts: readonly Draft[],
  listed: ReadonlySet<Draft>,
  ids: ReadonlyMap<Draft, string>,
): Unresolved[] {
  return drafts.flatMap((draft) => {
    const isOnly = drafts.every((other) => other === draft || other.profile !== draft.profile);
    const taken = draft.profile.parameters.find(
      (each) => each.required && each.takesOne && draft.filled.get(key(each))?.filling.kind === "value",
    );
    const said = isOnly && !listed.has(draft) && taken !== undefined ? eachSaid(draft, taken) : undefined;
    if (said === undefined || taken === undefined) return [];
    const name = taken.path.join(".");
    const message = `\`${draft.profile.label}\` takes one \`${name}\`, and no tool lists what it takes as rows: this is one call for "${said}". Name each, or give the task a list (\`for_each\`).`;
    return [{ reason: "first_only" as const, text: said, message, task_id: ids.get(draft) ?? "" }];
  });
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
