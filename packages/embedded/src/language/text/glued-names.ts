import { isVerb } from "./actions.ts";
import { prepositions } from "./lexicon.ts";
import { sameStem, stem } from "./stem.ts";

const minLength = 5;
const minPiece = 3;
/** Letters before the words say of what kind the thing is, and are left out: the "h" of `hgetall`. */
const maxPrefix = 2;
const particles = /^(?:on|off|in|out|up|down|away|back)$/;

/**
 * The words of a name that is written as one word, read by its description: `hgetall`, "Get all fields of a hash", is "get",
 * "all"; `listorders` is "list", "orders". A word that the description has, or that is a verb, stays whole, and so does one of which a
 * piece is in neither. O(length² of the word x words of the description).
 */
export function splitGlued(word: string, described: readonly string[]): readonly string[] {
  if (word.length < minLength - 1 || isVerb(word) || !/^\p{Ll}+$/u.test(word)) return [word];
  if (described.some((each) => sameStem(stem(each), stem(word)))) return [word];
  const stems = new Set(described.map(stem));
  const isDescribed = (piece: string) =>
    stems.has(stem(piece)) && (piece.length >= minPiece || prepositions.has(piece));
  for (let prefix = 0; prefix <= maxPrefix; prefix += 1) {
    // What follows a prefix is in the description; "crate" is not a way to "rate".
    const isPiece = prefix > 0 ? isDescribed : (piece: string) => isDescribed(piece) || isVerb(piece) || piece === "by";
    const pieces = covered(word.slice(prefix), isPiece);
    if (pieces === undefined || (prefix === 0 && pieces.length < 2)) continue;
    // "rollback", "login": a verb with its particle is one act.
    if (particles.test(pieces.at(-1)!)) return [word];
    if (pieces.some(isVerb) || pieces.some((piece) => stem(piece) === stem(described[0] ?? ""))) return pieces;
  }
  return [word];
}

/** The fewest pieces that a word is made of. */
function covered(word: string, isPiece: (piece: string) => boolean): readonly string[] | undefined {
  const best: (readonly string[] | undefined)[] = [[]];
  for (let end = 1; end <= word.length; end += 1)
    for (let start = 0; start < end; start += 1) {
      const before = best[start];
      if (before === undefined || (best[end]?.length ?? Infinity) <= before.length + 1) continue;
      const piece = word.slice(start, end);
      if (piece.length > 1 && isPiece(piece)) best[end] = [...before, piece];
    }
  return best[word.length];
}
