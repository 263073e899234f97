/** So many characters on each side of a text say which of several equal ones it is. */
const maxContext = 40;
/** A part that occurs more often has an unknown place. */
const maxPlaces = 50;

/**
 * Where a part of a text that was rewritten is in the text that was written: its only place there, else the one whose surroundings are most like its own, else the
 * one with the same number among equal ones. Undefined where none of these tells. Linear in the texts.
 * @param start of the part in `rewritten`
 */
export function placeInOther(part: string, start: number, rewritten: string, written: string): number | undefined {
  const places = part === "" ? [] : placesOf(part, written);
  if (places.length < 2) return places[0];
  if (!rewritten.startsWith(part, start)) return undefined;
  const alike = places.map((place) => likeness(part, start, rewritten, place, written));
  const most = Math.max(...alike);
  const best = places.filter((_, at) => alike[at] === most);
  if (most > 0 && best.length === 1) return best[0];
  const own = placesOf(part, rewritten);
  return own.length === places.length ? places[own.indexOf(start)] : undefined;
}

function placesOf(part: string, text: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0 && found.length <= maxPlaces; at = text.indexOf(part, at + 1))
    found.push(at);
  return found.length > maxPlaces ? [] : found;
}

/** How many characters before and after a part are the same in both texts, up to the first that differs on each side. */
function likeness(part: string, own: number, text: string, other: number, otherText: string): number {
  const length = part.length;
  let before = 0;
  while (
    before < maxContext &&
    own > before &&
    other > before &&
    text[own - before - 1] === otherText[other - before - 1]
  )
    before += 1;
  let after = 0;
  const [end, otherEnd] = [own + length, other + length];
  while (after < maxContext && end + after < text.length && text[end + after] === otherText[otherEnd + after])
    after += 1;
  return before + after;
}
