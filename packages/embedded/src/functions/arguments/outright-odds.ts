import type { Profile } from "../../catalogue/profile.ts";
import type { Vocabulary } from "../../language/clauses/clauses.ts";
import type { Token } from "../../language/text/token.ts";
import type { Excerpt } from "./excerpts.ts";
import { cueOf, explicitLogOdds, textOdds } from "./explicit-cues.ts";
import { labelAgreement } from "./labels.ts";
import { outrightRules } from "./outright-rules.ts";
import type { ParameterReading } from "./parameter-reading.ts";
import { readSurroundings } from "./surroundings.ts";

/** What is said outright of one excerpt, for any parameter of its call: log-odds beside what is learned. */
export type OutrightOdds = (reading: ParameterReading) => number;

/**
 * Reads what the words of and around an excerpt say outright: how it is written, what it is called, which end of a change it is, that
 * it is to be left out, what a search is about. O(parameters) once, then O(parameters) a parameter.
 */
export function outrightOf(
  excerpt: Excerpt,
  tokens: readonly Token[],
  readings: readonly ParameterReading[],
  profile: Profile,
  vocabulary: Vocabulary,
  knows: (stem: string) => boolean,
): OutrightOdds {
  const cue = cueOf(excerpt, tokens);
  const said = readSurroundings(excerpt, tokens, readings, profile, vocabulary, knows);
  return (reading) => {
    let odds = textOdds(reading, excerpt, cue, readings);
    const named = labelAgreement(reading, said.labels, readings, profile);
    for (const rule of outrightRules) odds += explicitLogOdds * rule(said, reading, named);
    return odds;
  };
}
