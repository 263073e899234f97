import type { Parameter } from "../../catalogue/parameter.ts";
import type { Draft } from "../../draft/draft.ts";
import type { Span } from "../../language/clauses/spans.ts";
import type { Token } from "../../language/text/token.ts";
import type { Excerpt } from "./excerpts.ts";
import type { OutputMention } from "./output-mentions.ts";
import type { saidBefore } from "./parallel-phrasing.ts";

/** One call in the making: its words, and the calls before it. */
export interface Call {
  readonly draft: Draft;
  readonly tokens: readonly Token[];
  /** Every word, also those within quotations, dates and identifiers. */
  readonly words: readonly CallWord[];
  readonly spans: readonly Span[];
  readonly excerpts: readonly Excerpt[];
  readonly earlier: readonly Draft[];
  /** Phrases that name what an earlier call yields. */
  readonly mentions: readonly OutputMention[];
  readonly hints: Hints;
  readonly before: ReturnType<typeof saidBefore>;
}

export interface CallWord {
  readonly stem: string;
  /** Lower case, without what belongs to punctuation. */
  readonly text: string;
  /** Position of its token. */
  readonly at: number;
  /** All its letters are capitals: "IN". */
  readonly inCapitals: boolean;
}

/** Stems that say what is called or what was found, rather than with what to call. */
export interface Known {
  readonly names: ReadonlySet<string>;
  /** Of the parameters: such a word announces a value and is none. */
  readonly labels: ReadonlySet<string>;
  /** Of the fields that earlier calls yield. */
  readonly results: ReadonlySet<string>;
  /** Stems of the descriptions of the resource and its parameters. */
  readonly own: ReadonlySet<string>;
  /** Some resource mentions the stem. */
  knows(stem: string): boolean;
  /** A required id of things that some resource finds by their names. */
  isLookedUp(parameter: Parameter): boolean;
}

/** What a call's own words say about where its arguments come from. */
export interface Hints {
  readonly stems: ReadonlySet<string>;
  /** "it", "them", "this", "the result": something said before is meant. */
  readonly pointsBack: boolean;
}
