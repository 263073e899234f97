import type { Parameter } from "../catalogue/parameter.ts";
import type { Evidence } from "./evidence.ts";

/** What speaks for a text as the value of a parameter; comparable with the scores of other evidence (`fit.ts`). */
export const textScores = {
  quotation: 1.5,
  quotationForName: 0.6,
  quotationForId: -1,
  address: 4,
  link: 4,
  linkElsewhere: 0.8,
  file: 3,
  fileElsewhere: 1.2,
  telephone: 3.5,
  version: 3.5,
  street: 3.5,
  telephoneElsewhere: 0.3,
  idOfEntity: 4,
  idOfOwn: 1.6,
  idOfOther: 1,
  /** A code, where the call needs one id. */
  onlyId: 1,
  literal: 0.6,
  /** A thing of which is said how many, for a list of things with numbers. */
  countedItem: 2,
  /** An id that is, or is not, behind the preposition that the description has before such a thing. */
  receiver: 1.5,
  /** The id of a thing that a text does not name. */
  foreignId: -2,
  name: 0.5,
  maker: 2,
  /** Makes up for `undirected`. */
  recipient: 2.5,
  makerForPlace: -1,
  /** A name beside nothing, for what is found by its name: more than `placeScores.loose` and `byName`. */
  ownName: 1.5,
  /** The same for a text to search by: a little less, since a name is said by its own word. */
  sought: 1.4,
  personAfterFor: 1,
  topic: 1.5,
  /** A quotation that is what a text says. */
  quotedContent: 2.5,
  announcedName: 1.5,
  onlyFreeText: 1,
  nameForKind: -1,
  /** Words that no resource knows, before the noun, for a genre or category. */
  kind: 1.6,
  phrase: 0.3,
  phraseForPlace: -0.4,
  phraseForInstruction: 0.2,
  phraseBeforeNoun: -0.6,
  /** The parameter's own noun is at the end of the phrase, or at its beginning. */
  labelled: 3,
  labelledBeforeNoun: 2.6,
  required: 0.5,
  requiredPhrase: 0.4,
  requiredFile: 0.3,
} as const;
const directionScores = { same: 2, opposite: -4, undirected: -1.5 } as const;

/** Its name is like this, with `_` between the words. */
export const has = (parameter: Parameter, pattern: RegExp) => pattern.test(parameter.words.join("_"));
/** As the parameter takes it: alone, or as a list. */
export const wrap = (parameter: Parameter, value: string) =>
  parameter.takesList && !parameter.takesOne ? [value] : value;

/** "from" for an origin, "to" for a destination; never the other way round. */
export function directionFit(parameter: Parameter, evidence: Evidence): number {
  const from = evidence.preposition === "from" || evidence.preposition === "between";
  const to = evidence.preposition === "to" || evidence.preposition === "into" || evidence.preposition === "towards";
  if (parameter.direction === undefined) return to ? directionScores.undirected : 0;
  if (!from && !to) return 0;
  return (parameter.direction === "origin") === from ? directionScores.same : directionScores.opposite;
}
