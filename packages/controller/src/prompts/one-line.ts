/** A text in one line, cut after so many characters. */
export function oneLine(text: string, most: number): string {
  const words = text.replaceAll(/\s+/g, " ").trim();
  return words.length > most ? `${words.slice(0, most - 1)}…` : words;
}

/** The same, cut after a sentence where whole ones fill a third of the length at least. */
export function firstSentences(text: string, most: number): string {
  const words = text.replaceAll(/\s+/g, " ").trim();
  if (words.length <= most) return words;
  const ends = [...words.slice(0, most + 1).matchAll(/[.!?](?= )|[。！？]/g)].map(({ index }) => index + 1);
  const end = ends.at(-1) ?? 0;
  return end >= most / 3 ? words.slice(0, end) : oneLine(words, most);
}
