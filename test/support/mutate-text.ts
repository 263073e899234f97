/** Marks that decide how a broken text is read. */
const marks = [
  ..."{}[]\"'`,:\\/<>#+-. \n\t“‘",
  "```json\n",
  "<think>",
  "</think>",
  "\\u00",
  "\ud83d",
  "True",
  "...",
  '"""',
  '\\"',
];

/**
 * One of the texts, hurt in one to eight places: pieces left out, doubled, swapped or put in, quotes of another kind, the end
 * cut off, the middle of another text spliced in. The same numbers from `random` (in [0, 1)) give the same text.
 */
export function mutateText(texts: readonly string[], random: () => number): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <Item>(items: readonly Item[]) => items[below(items.length)] as Item;
  let text = pick(texts);
  for (let times = 1 + below(8); times > 0; times -= 1) {
    const at = below(text.length + 1);
    const length = 1 + below(random() < 0.8 ? 4 : 60);
    const piece = text.slice(at, at + length);
    const rest = text.slice(at + length);
    switch (below(8)) {
      case 0:
        text = text.slice(0, at) + rest;
        break;
      case 1:
        text = text.slice(0, at) + piece.repeat(2 + below(4)) + rest;
        break;
      case 2:
      case 3:
        text = text.slice(0, at) + pick(marks) + text.slice(at);
        break;
      case 4:
        text = text.slice(0, at) + pick(marks) + rest;
        break;
      case 5:
        text =
          random() < 0.3
            ? text.slice(0, at)
            : text.replaceAll('"', (quote) => (random() < 0.1 ? pick(["'", "", '\\"', "”"]) : quote));
        break;
      case 6: {
        const other = pick(texts);
        text = text.slice(0, at) + other.slice(below(other.length), below(other.length + 1)) + text.slice(at);
        break;
      }
      default:
        text = rest + text.slice(0, at) + piece;
    }
  }
  return text;
}

/** Numbers from 0 to 1 from a seed (xorshift32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
