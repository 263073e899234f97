import type { Effect } from "../catalogue/effect.ts";
import type { Draft } from "../draft/draft.ts";
import { actionsOfVerb } from "../language/text/actions.ts";
import { isContent } from "../language/text/content-words.ts";
import { emptyNouns } from "../language/text/lexicon.ts";
import { stem } from "../language/text/stem.ts";

const questionWords: ReadonlySet<string> = new Set(
  "what which who whose whom when where why how is are was were does did has have".split(" "),
);

/** The share of a tool's own nouns that the words of its call do not mention: 1 for `fork_repository` of "Delete it". */
export function nameUnsaid({ profile, clause }: Draft): number {
  const nouns = profile.nameWords.filter(
    (word) => isContent(word) && !emptyNouns.has(word) && !profile.verbs.includes(word),
  );
  if (nouns.length === 0 || clause.tokens.length === 0) return 0;
  const said = new Set(clause.tokens.map((token) => token.stem));
  return nouns.filter((word) => !said.has(stem(word))).length / nouns.length;
}

/** Whether the words of a call name its tool: all of its nouns, and its verb where it has one. */
export function namesTool(draft: Draft): boolean {
  const { profile, clause } = draft;
  const said = new Set(clause.tokens.map((token) => token.stem));
  const hasNouns = profile.nameWords.some((word) => !profile.verbs.includes(word) && said.has(stem(word)));
  const saysVerb = profile.verbs.length === 0 || profile.verbs.some((verb) => said.has(stem(verb)));
  return hasNouns && saysVerb && nameUnsaid(draft) === 0;
}

/** Whether the words of a call ask to read and its tool changes something, or the other way round. */
export function contradictsVerb({ profile, clause }: Draft): boolean {
  const opening = clause.tokens.find(
    ({ kind, lower }) => kind === "word" && (isContent(lower) || questionWords.has(lower)),
  );
  const asked = opening === undefined ? "unknown" : effectAsked(opening.lower);
  return asked !== "unknown" && profile.effect !== "unknown" && asked !== profile.effect;
}

function effectAsked(opening: string): Effect {
  if (questionWords.has(opening)) return "reads";
  const actions = actionsOfVerb(opening);
  if (actions.size === 0 || actions.has("other") || actions.has("run")) return "unknown";
  if (!actions.has("read")) return "changes";
  return actions.size === 1 ? "reads" : "unknown";
}
