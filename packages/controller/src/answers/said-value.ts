import { isRecord } from "@planloom/plan";

/** A text with one of these speaks of time. */
export const relativeTime =
  /\b(today|tonight|tomorrow|yesterday|now|current|latest|recent|ago|last|next|this|coming|past|since|until|day|week|weekend|month|quarter|year|(mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter)s?\b/i;
const dateLike = /^\d{4}-\d{2}(-\d{2})?([T ]|$)|^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/;

/**
 * Tells which texts a request gives evidence for: they share a word, or the beginning of one, with it. A date counts where the request names its
 * year or speaks of time in words ("last month"). Values that are not texts are not judged: they count as said.
 */
export function saidIn(request: string): (value: unknown) => boolean {
  const lower = request.toLowerCase();
  const words = new Set(lower.match(/[\p{L}\p{N}]+/gu) ?? []);
  const beginnings = new Set([...words].flatMap((word) => (word.length < 4 ? [word] : [word.slice(0, 4)])));
  const isSaid = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.length === 0 || value.some(isSaid);
    if (isRecord(value)) return Object.keys(value).length === 0 || Object.values(value).some(isSaid);
    if (typeof value !== "string") return true;
    const text = value.trim().toLowerCase();
    if (text.includes("${") || (text !== "" && lower.includes(text))) return true;
    if (dateLike.test(text)) return relativeTime.test(request) || lower.includes(text.slice(0, 4));
    const own = text.match(/[\p{L}\p{N}]+/gu) ?? [];
    return own.some((word) =>
      word.length < 4 ? startsAny(words, word) : beginnings.has(word.slice(0, 4)) || words.has(word),
    );
  };
  return isSaid;
}

/** "fr" for French, "kg" for kg. */
function startsAny(words: ReadonlySet<string>, beginning: string): boolean {
  if (words.has(beginning)) return true;
  if (beginning.length < 2 || /^\d/.test(beginning)) return false;
  for (const word of words) if (word.startsWith(beginning)) return true;
  return false;
}

const numberWords =
  /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen|half|couple|once|twice|single|first|last|latest|newest|top|hour|day|week|fortnight|month|year)s?\b/i;
const address = /^(https?:\/\/|www\.)|^[^\s@]+@[^\s@]+\.[^\s@]+$/i;

/**
 * Tells for which optional values a request gives evidence: a text as `saidIn` says, but an address only where the request has it; a number where
 * the request speaks of any; a truth value where it says a word of the parameter's name; a list or an object where it gives evidence
 * for something in it.
 */
export function evidentIn(request: string): (name: string, value: unknown) => boolean {
  const isSaid = saidIn(request);
  const lower = request.toLowerCase();
  const speaksOfNumbers = numberWords.test(request);
  const isEvident = (name: string, value: unknown): boolean => {
    if (typeof value === "number") return speaksOfNumbers;
    if (typeof value === "boolean")
      return isSaid(name.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replaceAll(/[_-]/g, " "));
    if (Array.isArray(value)) return value.length === 0 || value.some((each) => isEvident(name, each));
    if (isRecord(value)) {
      const entries = Object.entries(value);
      return entries.length === 0 || entries.some(([key, inner]) => isEvident(key, inner));
    }
    if (typeof value === "string" && address.test(value.trim())) return lower.includes(value.trim().toLowerCase());
    return isSaid(value);
  };
  return isEvident;
}
