import { sameStem } from "../../language/text/stem.ts";
import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { isNumeric, type ParameterReading } from "./parameter-reading.ts";

/**
 * What a value is worth less for an option of an option, which is seldom meant: "give me 5 results" is the `limit` of a search and not how many
 * pages its parts may have, and "search the web" does not choose the web among its sources. Log-odds. O(parameters + words).
 */
export function nestedOdds(candidate: Candidate, call: Call, readings: readonly ParameterReading[]): number {
  const { group, reading } = candidate;
  const { path, required, requiredInItem, stems } = reading.parameter;
  if (path.length < 2 || required) return 0;
  if (group === "choice") return namesTool(candidate, call) ? -2 * explicitLogOdds : 0;
  // "rent 2 ladders" for `items[].quantity`
  const isAmount = reading.parameter.list !== undefined && reading.takes.numbers === "many";
  if (group !== "number" || requiredInItem === true || isAmount) return 0;
  const isSaid = stems.some((each) => call.words.some((word) => sameStem(word.stem, each)));
  const isElsewhere = readings.some(({ parameter }) => isNumeric(parameter) && parameter.path.length === 1);
  return !isSaid && isElsewhere ? -explicitLogOdds : 0;
}

/** Its words are those that the tool tells of itself with. */
function namesTool({ said }: Candidate, { draft: { profile }, words }: Call): boolean {
  const stems = words.filter(({ text }) => said.toLowerCase().split(/\s+/).includes(text)).map(({ stem }) => stem);
  return stems.length > 0 && stems.every((each) => profile.about.has(each));
}
