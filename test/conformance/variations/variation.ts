/** An input that no case file has, and what the described system answers to it. */
export interface Variation {
  readonly input: unknown;
  /** In the language of `compare.ts`. */
  readonly expected: unknown;
}

/** By feature, as the case files name them. */
export type Variations = Readonly<Record<string, readonly Variation[]>>;
