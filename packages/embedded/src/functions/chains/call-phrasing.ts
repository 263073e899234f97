import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Span } from "../../language/clauses/spans.ts";
import { isContent } from "../../language/text/content-words.ts";
import { emptyNouns, ordinals } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import type { Relevance } from "../segmenting/relevance.ts";

/** What the words of a call say of what is to be found. */
export interface Wording {
  /** Stems of telling words, without those of the name. */
  readonly stems: ReadonlySet<string>;
  readonly relevance: Relevance;
  /** The thing that is named, if one is: a quotation, or a name with a word that no resource has. */
  readonly name?: Span;
  /** "directed by N", "the painter N", "N's newest boat": somebody's. */
  readonly isPerson: boolean;
  /** "Who …?" */
  readonly asksWho: boolean;
  /** Numbers and words of order: "the second". */
  readonly numbers: number;
}

export function readWording(
  tokens: readonly Token[],
  spans: readonly Span[],
  catalogue: Catalogue,
  relevance: Relevance,
): Wording {
  const name = spans.find(
    ({ kind, words }) =>
      kind === "quoted" ||
      (kind === "name" && words.some((word) => word.kind === "word" && !catalogue.knows(word.stem))),
  );
  const telling = tokens.filter(
    (token, at) =>
      token.kind === "word" &&
      isContent(token.lower) &&
      !emptyNouns.has(token.lower) &&
      !(name !== undefined && at >= name.from && at < name.to),
  );
  return {
    stems: new Set(telling.map((token) => token.stem)),
    relevance,
    ...(name !== undefined && { name }),
    isPerson: name !== undefined && namesPerson(name, tokens),
    asksWho: tokens.some((token) => /^(?:who|whom|whose)$/.test(token.lower)),
    numbers: tokens.filter(
      ({ kind, lower }) => kind === "number" || ordinals.has(lower) || /^\d+(?:st|nd|rd|th)$/.test(lower),
    ).length,
  };
}

function namesPerson({ kind, from, to }: Span, tokens: readonly Token[]): boolean {
  const before = tokens[from - 1];
  const agent = /[a-z]{2}(?:or|er|ist|ian)$/.test(before?.lower ?? "");
  return before?.lower === "by" || (kind === "name" && (agent || tokens[to - 1]?.possessive === true));
}
