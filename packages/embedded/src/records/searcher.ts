import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import type { Profile } from "../catalogue/profile.ts";
import { type Draft, fillValue } from "../draft/draft.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import { isContent } from "../language/text/content-words.ts";
import { emptyNouns } from "../language/text/lexicon.ts";
import type { Token } from "../language/text/token.ts";
import { wantedActions } from "./choose.ts";
import { isFreeText } from "./fit-text.ts";

/** A tool that searches, the argument that takes what is sought, and the words for it. */
interface Searcher {
  readonly profile: Profile;
  readonly parameter: Parameter;
  readonly sought: readonly Token[];
}

/**
 * "Do we have brake pads in stock?" where no tool knows of brake pads: the only tool that searches by a text and has arguments or fields for all
 * else that is said. Undefined where something else is known, or the unknown words are not of one phrase. O(words of the clause x resources)
 */
export function searcherFor(clause: Clause, { profiles, knows }: Catalogue): Searcher | undefined {
  const { tokens, phrases, verb } = clause;
  const asked = wantedActions(clause);
  if (asked.size > 0 && !asked.has("read")) return undefined;
  const isSaid = ({ kind, lower }: Token) =>
    kind === "word" && isContent(lower) && !emptyNouns.has(lower) && lower !== verb;
  const known = tokens.filter((token) => isSaid(token) && knows(token.stem));
  const [sought, more] = phrases.filter(({ words }) => words.some((token) => isSaid(token) && !knows(token.stem)));
  if (known.length === 0 || sought === undefined || more !== undefined || sought.negated) return undefined;
  if (!sought.words.every((token) => isSaid(token) && !knows(token.stem))) return undefined;
  const found = profiles.flatMap((profile): Searcher[] => {
    const { effect, actions, parameters, attributes } = profile;
    const [parameter, other] = parameters.filter((each) => each.required);
    const isOne = parameter !== undefined && other === undefined && isFreeText(parameter);
    return isOne && effect === "reads" && actions.has("read") && known.every(({ stem }) => attributes.has(stem))
      ? [{ profile, parameter, sought: sought.words }]
      : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** What is sought for is a guess, better than even: it is marked. */
const likelihood = 0.6;

export function fillSought(draft: Draft, { parameter, sought }: Searcher, text: string): void {
  const [first, last] = [sought[0]!, sought.at(-1)!];
  const said = text.slice(first.start, last.end);
  fillValue(draft, parameter, said, { source: "goal", text: said, start: first.start, likelihood });
}
