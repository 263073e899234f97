import { splitName } from "../../language/text/split-name.ts";
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
  // "for 30 minutes" is how long it takes, and not how long before it somebody is reminded.
  const isTime = reading.parameter.list !== undefined && periods.test(reading.parameter.words.at(-1) ?? "");
  if (group === "number" && isTime && !isHolderSaid(path, call)) return -2 * explicitLogOdds;
  // "rent 2 ladders" for `items[].quantity`
  const isAmount = reading.parameter.list !== undefined && reading.takes.numbers === "many";
  if (group !== "number" || requiredInItem === true || isAmount) return 0;
  const isSaid = stems.some((each) => call.words.some((word) => sameStem(word.stem, each)));
  const isElsewhere = readings.some(({ parameter }) => isNumeric(parameter) && parameter.path.length === 1);
  return !isSaid && isElsewhere ? -explicitLogOdds : 0;
}

const periods = /^(?:seconds?|minutes?|hours?|days?|weeks?)$/;
/** Letters that a holder and a word for it have in common: "remind" of `reminders`. */
const minRoot = 5;

/** Some word says the object that holds the option. */
const isHolderSaid = (path: Candidate["reading"]["parameter"]["path"], { words }: Call): boolean =>
  path
    .slice(0, -1)
    .flatMap((part) => (typeof part === "string" ? splitName(part) : []))
    .some((holder) => words.some(({ text }) => text.length >= minRoot && holder.startsWith(text.slice(0, minRoot))));

/** Its words are those that the tool tells of itself with. */
function namesTool({ said }: Candidate, { draft: { profile }, words }: Call): boolean {
  const stems = words.filter(({ text }) => said.toLowerCase().split(/\s+/).includes(text)).map(({ stem }) => stem);
  return stems.length > 0 && stems.every((each) => profile.about.has(each));
}
