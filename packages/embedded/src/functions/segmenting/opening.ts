import type { Effect } from "../../catalogue/effect.ts";
import type { Profile } from "../../catalogue/profile.ts";
import type { Chunk } from "../../language/clauses/chunks.ts";
import { type Action, actionsOfVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { conjunctions } from "../../language/text/lexicon.ts";
import { stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import type { Relevance } from "./relevance.ts";

/** What a stretch of the goal opens with: often the verb of a call. */
export interface Opening {
  /** Position of the first word that says something; -1 for none. */
  readonly at: number;
  readonly stem: string;
  readonly actions: ReadonlySet<Action>;
}

export function openingOf(tokens: readonly Token[], chunk: Chunk): Opening {
  for (let each = chunk.from; each < chunk.to; each += 1) {
    const token = tokens[each]!;
    if (token.kind === "word" && isContent(token.lower))
      return { at: each, stem: token.stem, actions: actionsOfVerb(token.lower) };
  }
  return { at: -1, stem: "", actions: new Set() };
}

const questionWords: ReadonlySet<string> = new Set(
  "what which who whose whom when where why how is are was were does did has have".split(" "),
);

/** What a request asks for by how it opens: a question reads, "delete …" changes; unknown where a verb may do either. */
export function effectAsked(tokens: readonly Token[], { from, to }: Chunk, { actions }: Opening): Effect {
  const first = tokens.slice(from, to).find(({ kind, lower }) => kind === "word" && !conjunctions.has(lower));
  if (first !== undefined && questionWords.has(first.lower)) return "reads";
  if (actions.size === 0 || actions.has("other") || actions.has("run")) return "unknown";
  const reads = actions.has("read");
  return reads && actions.size > 1 ? "unknown" : reads ? "reads" : "changes";
}

/** Some resource is called by this verb. */
export function verbHolders(relevance: Relevance, verb: string): boolean {
  return relevance.of(verb).some(({ profile, field }) => field === 0 && verbStems(profile).has(verb));
}

const verbs = new WeakMap<Profile, ReadonlySet<string>>();

export function verbStems(profile: Profile): ReadonlySet<string> {
  const own = verbs.get(profile) ?? new Set(profile.verbs.map(stem));
  verbs.set(profile, own);
  return own;
}
