import { type Draft, key } from "../draft/draft.ts";
import type { Unresolved } from "../draft/unresolved.ts";
import { singular } from "../language/text/singular.ts";
import { sameStem } from "../language/text/stem.ts";
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
    const said = isOnly && !listed.has(draft) ? eachSaid(draft) : undefined;
    const taken = draft.profile.parameters.find(
      (each) => each.required && each.takesOne && draft.filled.get(key(each))?.filling.kind === "value",
    );
    if (said === undefined || taken === undefined) return [];
    const name = taken.path.join(".");
    const message = `\`${draft.profile.label}\` takes one \`${name}\`, and no tool lists what it takes as rows: this is one call for "${said}". Name each, or give the task a list (\`for_each\`).`;
    return [{ reason: "first_only" as const, text: said, message, task_id: ids.get(draft) ?? "" }];
  });
}

/** "every file", "all files" or "each of them", where the tool is called after one such thing and after no list of them. */
function eachSaid({ clause: { tokens }, profile }: Draft): string | undefined {
  const object = objectOfTool(profile);
  const isForOne =
    profile.nameWords.some((word) => sameStem(word, object) && singular(word) === word) &&
    !profile.parameters.some((each) => each.required && each.takesList);
  if (object === "" || !isForOne) return undefined;
  for (const [at, { lower }] of tokens.entries()) {
    if (!/^(?:each|every|all)$/.test(lower)) continue;
    let next = at + 1;
    while (/^(?:one|of|the|my|our|these|those|its|single)$/.test(tokens[next]?.lower ?? "")) next += 1;
    const noun = tokens[next];
    const isMany = noun !== undefined && noun.noun !== noun.lower;
    if (noun?.lower === "them" && lower !== "all") return `${lower} of them`;
    if (noun?.kind === "word" && sameStem(noun.stem, object) && isMany === (lower === "all" || next > at + 1))
      return tokens
        .slice(at, next + 1)
        .map(({ text }) => text)
        .join(" ");
  }
  return undefined;
}
