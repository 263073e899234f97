/** Characters of the end of a text that are looked at. */
const window = 8_192;
/** Characters between two looks. */
const step = 1_024;
/** The least length of a text that is nothing but a repetition, in characters, and the least number of repetitions. */
const leastStretch = 4_096;
const leastTimes = 8;
const shown = 120;

/**
 * Notices a text that says the same over and over, as a model does that has lost its way: its last 4,096 characters are one part, eight
 * times or more. Lists whose entries differ in as much as a number are none. Linear: each look costs 8 steps a character.
 */
export class RepetitionWatch {
  #tail = "";
  #unseen = 0;
  /** Characters so far. */
  characters = 0;

  /** @returns the end of the text once it repeats itself */
  add(text: string): string | undefined {
    this.characters += text.length;
    this.#unseen += text.length;
    this.#tail = (this.#tail + text).slice(-window);
    if (this.#unseen < step || this.#tail.length < leastStretch) return undefined;
    this.#unseen = 0;
    return repeatsAtEnd(this.#tail) ? this.#tail.slice(-shown) : undefined;
  }
}

/** Whether the end of `text` is one part again and again. By the prefix function of the reversed text (Knuth, Morris, Pratt 1977). O(n) */
export function repeatsAtEnd(text: string): boolean {
  const last = text.length - 1;
  const borders = new Uint32Array(text.length);
  for (let at = 1; at < text.length; at++) {
    let border = borders[at - 1]!;
    while (border > 0 && text[last - at] !== text[last - border]) border = borders[border - 1]!;
    if (text[last - at] === text[last - border]) border++;
    borders[at] = border;
    const length = at + 1;
    const period = length - border;
    if (length >= leastStretch && length / period >= leastTimes) return true;
  }
  return false;
}
